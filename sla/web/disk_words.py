"""How is a disk said in words? Header and tiles of its page, the same at first sight and at each refresh."""

from datetime import UTC, date
from fractions import Fraction
from math import floor
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from sla import figures
from sla.accounts.models import User
from sla.contracts.models import Assignment, ContractVersion
from sla.domain.display import percent
from sla.domain.states import Grade, State
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow
from sla.web.fleet_rows import said
from sla.web.lengths import about, exactly

Tile = dict[str, str | int | None]
JUDGED = (State.MET, State.AT_RISK, State.BREACHED)
REASONS = {
    "LOW_COVERAGE": gettext_lazy("too little was observed to judge the month"),
    "LOW_VOLUME": gettext_lazy("too few I/Os to judge the month"),
    "NO_CONTRACT": gettext_lazy("no contract is in force"),
    "DISPUTED": gettext_lazy("disputed: guest and host differ by more than was in flight"),
}


def state_words(now: DiskNow | None) -> dict[str, Any]:
    """The pill: state, its icon, and whether it is proved."""
    state = State(now.state) if now else State.NO_DATA
    proof = (gettext("proved") if now.proved else gettext("likely")) if now and state in JUDGED else None
    return {
        "state": state.word,
        "word": said(state),
        "proof": proof,
        "reasons": [str(REASONS[reason]) for reason in now.reasons if reason in REASONS] if now else [],
    }


def cut_percent(ratio: float | None, digits: int = 2) -> str | None:
    """A stored ratio in percent, cut: 0.99996 is 99.99."""
    return None if ratio is None else percent(Fraction(repr(ratio)), digits)


def plain_percent(ppm: int) -> str:
    """990000 is 99, 999500 is 99.95."""
    return f"{ppm / 10_000:.4f}".rstrip("0").rstrip(".")


def digits_for(objective_ppm: int) -> int:
    """One place more than the objective has, two at least: 99.95 % is judged by 99.953."""
    return max(2, len(plain_percent(objective_ppm).partition(".")[2]) + 1)


def month_name(period: str) -> str:
    """November for 2026-11."""
    return figures.month_alone(date(int(period[:4]), int(period[5:]), 1)) if period else gettext("this month")


def shown_percent(cut: str | None) -> str:
    """'99.99 %' as the reader writes it; a dash where it is unknown."""
    return "–" if cut is None else f"{figures.decimal(cut)} %"


def shown_range(low: str | None, high: str | None) -> str:
    """'98.61–98.90 %', one figure where both ends are the same."""
    if low is None or high is None:
        return "–"
    return shown_percent(low) if low == high else f"{figures.decimal(low)}–{shown_percent(high)}"


def tiles(disk: Disk, now: DiskNow | None, assigned: Assignment | None) -> list[Tile]:
    """Objective, attained, budget left, evidence: a name, a figure, a line below it; `since` ages beside the line."""
    version = assigned.version if assigned else None
    agent = getattr(disk.machine, "agent", None)
    seen_at = int(now.seen_at.timestamp()) if now and now.seen_at else None
    agent_words = " · ".join(
        words
        for words in (
            gettext("agent %(version)s") % {"version": agent.version} if agent and agent.version else "",
            pgettext("the agent, so long ago", "seen") if seen_at else gettext("no frame yet"),
        )
        if words
    )
    in_month = gettext("Attained in %(month)s") % {"month": month_name(now.period if now else "")}
    if now is None or version is None:
        objective = _objective(version) if version else gettext("none")
        inside = gettext("of the requests inside the contract") if version else ""
        return [
            _tile("objective", gettext("Objective"), objective, inside),
            _tile("attained", in_month, "–", gettext("nothing was judged yet")),
            _tile("budget", gettext("Budget left so far"), "–", gettext("nothing was judged yet")),
            _tile("evidence", gettext("Evidence"), "–", agent_words, since=seen_at),
        ]
    digits = digits_for(version.objective_ppm)
    low, middle, high = (cut_percent(v, digits) for v in (now.sli_low, now.sli_estimate, now.sli_high))
    left = now.budget_left_estimate
    tone = {State.BREACHED: "breached", State.AT_RISK: "at_risk"}.get(State(now.period_state), "")
    of_requests = ngettext(
        "of %(count)s request inside the contract", "of %(count)s requests inside the contract", now.eligible
    )
    estimate = gettext("estimate %(share)s") % {"share": shown_percent(middle)}
    return [
        _tile(
            "objective",
            gettext("Objective"),
            _objective(version),
            of_requests % {"count": figures.whole(now.eligible)},
        ),
        _tile("attained", in_month, shown_range(low, high), estimate if middle else gettext("too few I/Os"), tone),
        _tile(
            "budget",
            gettext("Budget left so far"),
            "–" if left is None else f"{whole_percent(left)} %",
            _allowed(now),
            tone,
        ),
        _tile(
            "evidence",
            gettext("Evidence"),
            "–" if now.coverage is None else shown_percent(cut_percent(now.coverage, 1)),
            agent_words,
            note=gettext("observed, grade %(grade)s") % {"grade": Grade(now.grade).name},
            since=seen_at,
        ),
    ]


def _objective(version: ContractVersion) -> str:
    return shown_percent(plain_percent(version.objective_ppm))


def _allowed(now: DiskNow) -> str:
    """How many requests may still be slow, or how many too many were."""
    if now.budget_total < 1:
        return gettext("too few I/Os to judge")
    allowed = int(now.budget_total) - now.slow
    if allowed < 0:
        words = ngettext("%(count)s slow request over", "%(count)s slow requests over", -allowed)
    else:
        words = ngettext("%(count)s slow request left", "%(count)s slow requests left", allowed)
    return words % {"count": figures.whole(abs(allowed))}


def whole_percent(ratio: float) -> str:
    """-0.381 is −39: cut towards less, with a minus sign as wide as the figures."""
    return str(floor(Fraction(repr(ratio)) * 100)).replace("-", "−")


def _tile(
    key: str, name: str, figure: str, line: str, tone: str = "", note: str = "", since: int | None = None
) -> Tile:
    return {"key": key, "name": name, "figure": figure, "line": line, "tone": tone, "note": note, "since": since}


def header(disk: Disk, user: User, assigned: Assignment | None) -> dict[str, Any]:
    """What the disk is. Host and pool are the provider's: a customer does not read what lies beside whom."""
    shown: list[tuple[str, str]] = [("", disk.machine.customer.name)]
    if user.is_noc:
        if disk.pool:
            shown.append((gettext("pool"), disk.pool.name))
        if disk.machine.host:
            shown.append((gettext("host"), disk.machine.host.name))
    if disk.serial or disk.wwn:
        shown.append((gettext("serial"), disk.serial or disk.wwn))
    version = assigned.version if assigned else None
    since = None
    if assigned:
        begun = assigned.valid_from
        since = gettext("in force from the first frame")
        if begun:
            since = gettext("in force since %(when)s UTC") % {"when": figures.moment(begun.astimezone(UTC))}
    return {
        "machine": disk.machine.hostname,
        "device": disk.device,
        "facts": shown,
        "contract": version.text if version else None,
        "version": version.number if version else None,
        "since": since,
        "removed": disk.removed_at,
    }


def burn_words(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The burn table as it is read: 21.0×, and a dash where nothing was covered."""
    return [
        {
            **row,
            "windows": f"{exactly(row['long_s'])} / {exactly(row['short_s'])}",
            "long_word": _times(row["long"]),
            "short_word": _times(row["short"]),
            "limit_word": f"{figures.decimal(format(row['factor'], 'g'))}×",
        }
        for row in rows
    ]


def runs_out(budget: dict[str, Any] | None, burn: list[dict[str, Any]], at: float) -> str:
    """When the month's expected budget is spent if the last hour goes on; nothing to say where nothing was covered."""
    left = next((share for share in reversed(budget["left"]) if share is not None), None) if budget else None
    if budget is None or left is None or not burn or burn[0]["long"] is None:
        return ""
    if left <= 0:
        return gettext("The whole budget expected for the month is spent.")
    rate = burn[0]["long"]
    if rate == 0:
        return gettext("Nothing was spent in the last hour.")
    lasts_s = left * (budget["end"] - budget["begin"]) / rate
    if lasts_s >= budget["end"] - at:
        return gettext("At the last hour's rate the budget lasts the month.")
    return gettext("At the last hour's rate the month's budget is spent in %(time)s.") % {"time": about(lasts_s)}


def _times(rate: float | None) -> str:
    return "–" if rate is None else f"{figures.decimal(f'{rate:.1f}')}×"
