"""What is wrong with this disk now? A look at it becomes conditions: the reasons for which incidents open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sla.domain.burn import ACUTE_CALM_S, RULES
from sla.domain.incidents.words import SLOW_KINDS, Kind, Severity, shared_kind

Family = Literal["slow", "silent", "period"]
PAGING = frozenset(rule.name for rule in RULES if rule.severity == "page")
# With less than this of the contracted load coming through, requests are held, not slowed: a stall.
STALL_BELOW = 0.1


@dataclass(frozen=True, slots=True)
class Shared:
    """An open window of shared storage that this disk suffers in."""

    window: int
    cause: Literal["neighbour", "backend", "wider", "unknown"]
    start: float


@dataclass(frozen=True, slots=True)
class Look:
    """All that the rules ask about a disk. Moments in Unix seconds; None where it never was.

    `firing`, `firing_lost`: names of the burn rules that hold, on slow I/Os and on lost time. `delivered`: share of
    the contracted load that came through in the minutes with lost time, None without such. `proved`: some minute of
    the trouble is proved to break the contract. `period_over`: None, or whether it is certain (False: likely) that
    the month cannot be met any more. `shared`: only where a minute of the disk broke its contract within the window.
    `mute`: in a maintenance window that mutes, where nothing new is opened. `gone`: taken away, or its agent shut out:
    nobody expects it to be better, or to be there.
    """

    disk: int
    machine: int
    pool: int | None
    customer: int
    seen_at: float | None
    silent: bool = False
    acute_at: float | None = None
    firing: frozenset[str] = frozenset()
    firing_lost: frozenset[str] = frozenset()
    delivered: float | None = None
    unavailable: bool = False
    proved: bool = False
    period: str = ""
    period_over: bool | None = None
    shared: Shared | None = None
    mute: bool = False
    gone: bool = False

    @property
    def wider(self) -> bool:
        """Does what it suffers from lie above several pools?"""
        return self.shared is not None and self.shared.cause == "wider"


@dataclass(frozen=True, slots=True)
class Condition:
    """One reason, of one disk, for an incident. At most one a family and disk."""

    family: Family
    kind: Kind
    severity: Severity
    suspected: bool
    since: float


def conditions(look: Look, now: float) -> Iterator[Condition]:
    """What holds of this disk now."""
    if look.silent and not look.gone and look.seen_at is not None:
        yield Condition("silent", Kind.SILENT, Severity.TICKET, False, look.seen_at)
    slow = [] if look.gone else list(_slow(look, now))
    if slow:
        yield _one_of(slow)
    if look.period_over is not None:
        yield Condition("period", Kind.PERIOD, Severity.TICKET, not look.period_over, now)


def acute_holds(look: Look, now: float) -> bool:
    """Five calm minutes end it, and calm is only what was seen: a disk that went silent is not calm."""
    if look.acute_at is None:
        return False
    known = now if look.seen_at is None else min(now, look.seen_at)
    return known - look.acute_at < ACUTE_CALM_S


def _slow(look: Look, now: float) -> Iterator[Condition]:
    suspected = not look.proved
    held = look.delivered is not None and look.delivered < STALL_BELOW
    short = look.delivered is not None and not held
    if acute_holds(look, now):
        since = look.acute_at or now
        kind = Kind.STALL if held or look.unavailable else Kind.UNDER_DELIVERY if short else Kind.ACUTE
        # Lost time is proof in itself (semantics §5).
        yield Condition("slow", kind, Severity.PAGE, suspected and kind is Kind.ACUTE, since)
    if look.firing:
        yield Condition("slow", Kind.BURN, _urgency(look.firing), suspected, now)
    if look.firing_lost:
        kind = Kind.STALL if held else Kind.UNDER_DELIVERY
        yield Condition("slow", kind, _urgency(look.firing_lost), False, now)
    if look.shared is not None:
        kind = shared_kind(look.shared.cause)
        yield Condition("slow", kind, Severity.TICKET, suspected, look.shared.start)


def _urgency(firing: frozenset[str]) -> Severity:
    return Severity.TICKET if PAGING.isdisjoint(firing) else Severity.PAGE


def _one_of(found: list[Condition]) -> Condition:
    """One trouble of one disk: the worst severity, under the name that says most, since the earliest."""
    severity = max((one.severity for one in found), key=lambda one: one.weight)
    kind = min((one.kind for one in found), key=_says_most)
    return Condition("slow", kind, severity, all(one.suspected for one in found), min(one.since for one in found))


def _says_most(kind: Kind) -> int:
    return SLOW_KINDS.index(kind) if kind in SLOW_KINDS else len(SLOW_KINDS)
