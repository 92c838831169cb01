"""How is a disk said in words? Header and tiles of its page, the same at first sight and at each refresh."""

import calendar
import re
from datetime import UTC
from fractions import Fraction
from math import floor
from typing import Any

from sla.accounts.models import User
from sla.contracts.models import Assignment
from sla.domain.display import percent
from sla.domain.states import Grade, State
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow

Tile = dict[str, str | int | None]
JUDGED = (State.MET, State.AT_RISK, State.BREACHED)
REASONS = {
    "LOW_COVERAGE": "too little was observed to judge the month",
    "LOW_VOLUME": "too few I/Os to judge the month",
    "NO_CONTRACT": "no contract is in force",
    "DISPUTED": "disputed: guest and host differ by more than was in flight",
}


def state_words(now: DiskNow | None) -> dict[str, Any]:
    """The pill: state, its icon, and whether it is proved."""
    state = State(now.state) if now else State.NO_DATA
    proof = ("proved" if now.proved else "likely") if now and state in JUDGED else None
    return {
        "state": state.word,
        "word": state.word.replace("_", " ").capitalize(),
        "proof": proof,
        "reasons": [REASONS[reason] for reason in now.reasons if reason in REASONS] if now else [],
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


def readable(formula: str) -> str:
    """A formula with its long figures grouped: 628,144 for 628144."""
    return re.sub(r"\d{5,}", lambda found: f"{int(found[0]):,}", formula)


def month_name(period: str) -> str:
    """November for 2026-11."""
    return calendar.month_name[int(period[5:])] if period else "this month"


def tiles(disk: Disk, now: DiskNow | None, assigned: Assignment | None) -> list[Tile]:
    """Objective, attained, budget left, evidence: a name, a figure, a line below it; `since` ages beside the line."""
    version = assigned.version if assigned else None
    agent = getattr(disk.machine, "agent", None)
    seen_at = int(now.seen_at.timestamp()) if now and now.seen_at else None
    agent_words = " · ".join(
        words
        for words in (
            f"agent {agent.version}" if agent and agent.version else "",
            "seen" if seen_at else "no frame yet",
        )
        if words
    )
    month = month_name(now.period if now else "")
    if now is None or version is None:
        objective = f"{plain_percent(version.objective_ppm)} %" if version else "none"
        return [
            _tile("objective", "Objective", objective, "of the requests inside the contract" if version else ""),
            _tile("attained", f"Attained in {month}", "–", "nothing was judged yet"),
            _tile("budget", "Budget left so far", "–", "nothing was judged yet"),
            _tile("evidence", "Evidence", "–", agent_words, since=seen_at),
        ]
    digits = digits_for(version.objective_ppm)
    low, middle, high = (cut_percent(v, digits) for v in (now.sli_low, now.sli_estimate, now.sli_high))
    attained = "–" if low is None or high is None else f"{low} %" if low == high else f"{low}–{high} %"
    left = now.budget_left_estimate
    allowed = int(now.budget_total) - now.slow
    over = "over" if allowed < 0 else "left"
    tone = {State.BREACHED: "breached", State.AT_RISK: "at_risk"}.get(State(now.period_state), "")
    return [
        _tile(
            "objective",
            "Objective",
            f"{plain_percent(version.objective_ppm)} %",
            f"of {now.eligible:,} requests inside the contract",
        ),
        _tile("attained", f"Attained in {month}", attained, f"estimate {middle} %" if middle else "too few I/Os", tone),
        _tile(
            "budget",
            "Budget left so far",
            "–" if left is None else f"{whole_percent(left)} %",
            "too few I/Os to judge" if now.budget_total < 1 else f"{abs(allowed):,} slow requests {over}",
            tone,
        ),
        _tile(
            "evidence",
            "Evidence",
            "–" if now.coverage is None else f"{cut_percent(now.coverage, 1)} %",
            agent_words,
            note=f"observed, grade {Grade(now.grade).name}",
            since=seen_at,
        ),
    ]


def whole_percent(ratio: float) -> str:
    """-0.381 is −39: cut towards less, with a minus sign as wide as the figures."""
    return str(floor(Fraction(repr(ratio)) * 100)).replace("-", "−")


def _tile(
    key: str, name: str, figure: str, line: str, tone: str = "", note: str = "", since: int | None = None
) -> Tile:
    return {"key": key, "name": name, "figure": figure, "line": line, "tone": tone, "note": note, "since": since}


def header(disk: Disk, user: User, assigned: Assignment | None) -> dict[str, Any]:
    """What the disk is. Host and pool are the provider's: a customer does not read what lies beside whom."""
    shown: list[tuple[str, str]] = [("customer", disk.machine.customer.name)]
    if user.is_noc:
        if disk.pool:
            shown.append(("pool", disk.pool.name))
        if disk.machine.host:
            shown.append(("host", disk.machine.host.name))
    if disk.serial or disk.wwn:
        shown.append(("serial", disk.serial or disk.wwn))
    version = assigned.version if assigned else None
    since = None
    if assigned:
        begun = assigned.valid_from
        since = (
            f"in force since {begun.astimezone(UTC):%-d %b %Y %H:%M} UTC" if begun else "in force from the first frame"
        )
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
            "windows": f"{_span(row['long_s'])} / {_span(row['short_s'])}",
            "long_word": _times(row["long"]),
            "short_word": _times(row["short"]),
            "limit_word": f"{row['factor']:g}×",
        }
        for row in rows
    ]


def runs_out(budget: dict[str, Any] | None, burn: list[dict[str, Any]], at: float) -> str:
    """When the month's expected budget is spent if the last hour goes on; nothing to say where nothing was covered."""
    left = next((share for share in reversed(budget["left"]) if share is not None), None) if budget else None
    if budget is None or left is None or not burn or burn[0]["long"] is None:
        return ""
    if left <= 0:
        return "The whole budget expected for the month is spent."
    rate = burn[0]["long"]
    if rate == 0:
        return "Nothing was spent in the last hour."
    lasts_s = left * (budget["end"] - budget["begin"]) / rate
    if lasts_s >= budget["end"] - at:
        return "At the last hour's rate the budget lasts the month."
    return f"At the last hour's rate the month's budget is spent in {_about(lasts_s)}."


def _about(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds // 60)} min"


def _times(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.1f}×"


def _span(seconds: int) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds // 60} min"
