"""When is an incident over, when does it come back, when is somebody reminded of it?"""

from sla.domain.incidents.words import Severity, Status

# The same trouble within this time is the same incident, not a new one.
REOPEN_S = 1_800
# How long nothing may hold before an incident that came back so often is over: the rules' own calm is enough at first.
HOLD_S = (0, 600, 1_800, 3_600)
# Nobody has said yet that they look at it; somebody has, and nothing has come of it.
REMIND_OPEN_S = {Severity.PAGE: 1_800, Severity.TICKET: 86_400}
REMIND_ACKNOWLEDGED_S = {Severity.PAGE: 14_400, Severity.TICKET: 3 * 86_400}


def hold_s(reopened: int) -> int:
    """Flap damping: each return doubles the patience, up to an hour."""
    return HOLD_S[min(reopened, len(HOLD_S) - 1)]


def is_over(quiet_at: float | None, reopened: int, now: float) -> bool:
    """Has nothing held for long enough? `quiet_at`: since when nothing holds, None: something does."""
    return quiet_at is not None and now - quiet_at >= hold_s(reopened)


def comes_back(resolved_at: float, now: float) -> bool:
    """Is the same trouble now the old incident again?"""
    return now - resolved_at < REOPEN_S


def flapping(reopened: int) -> bool:
    """Does it come and go?"""
    return reopened >= 2


def reminder_due(
    *, state: Status, severity: Severity, muted: bool, announced_at: float | None, touched_at: float, now: float
) -> bool:
    """Is it time to say it again?

    `announced_at`: the last event that anybody could be told of, None: it has been muted all along, so its first word
    is due as soon as it is not; `touched_at`: when a person last did something about it, or it was last announced.
    """
    if muted or state is Status.RESOLVED:
        return False
    if announced_at is None:
        return True
    after = (REMIND_OPEN_S if state is Status.OPEN else REMIND_ACKNOWLEDGED_S).get(severity)
    return after is not None and now - touched_at >= after
