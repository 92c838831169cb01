"""Met or breached, and is it proved? The proof of semantics §5, over a slot or a whole period, in integers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM
from sla.domain.states import State

AT_RISK_LEFT = Fraction(1, 5)


@dataclass(frozen=True, slots=True)
class Sums:
    """What was counted over some time under one contract version. Everything adds."""

    observed_s: int = 0
    ios: int = 0
    eligible_low: int = 0
    eligible: int = 0
    eligible_high: int = 0
    slow_low: int = 0
    slow: int = 0
    slow_high: int = 0
    lost_ms: int = 0
    gap_ios: int = 0
    gap_ms: int = 0
    slots_met: int = 0
    slots_met_proved: int = 0
    slots_breached: int = 0
    slots_breached_proved: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Sums)))


@dataclass(frozen=True, slots=True)
class Part:
    """The sums of the time in which one objective was promised."""

    slow_ppm: int
    sums: Sums


@dataclass(frozen=True, slots=True)
class Interval:
    """Low, estimate, high; None where there is nothing to divide by."""

    low: Fraction | None
    estimate: Fraction | None
    high: Fraction | None


@dataclass(frozen=True, slots=True)
class Budget:
    """How many slow I/Os (or slots) were allowed and spent, by estimate; `left` = 1 − spent/total, may be negative."""

    total: Fraction
    spent: int
    left: Interval


def total_of(parts: Iterable[Part]) -> Sums:
    """All parts together."""
    parts = list(parts)
    return parts[0].sums if len(parts) == 1 else sum((part.sums for part in parts), Sums())


def allowed(parts: Iterable[Part], name: str) -> int:
    """Σ (1 − objective)·sums.NAME in millionths: parts of different objective add before they are compared."""
    return sum(part.slow_ppm * int(getattr(part.sums, name)) for part in parts)


def lost_too_long(parts: Sequence[Part]) -> bool:
    """More than 1 − objective of the observed time was lost: a breach of its own, and proof."""
    lost_ms = total_of(parts).lost_ms
    return lost_ms > 0 and lost_ms * PPM > allowed(parts, "observed_s") * 1000


def breach_proved(parts: Sequence[Part]) -> bool:
    """Σlow' > (1 − objective)·E_high, or the lost time is too long."""
    return total_of(parts).slow_low * PPM > allowed(parts, "eligible_high") or lost_too_long(parts)


def met_proved(parts: Sequence[Part]) -> bool:
    """Σhigh ≤ (1 − objective)·E_low and the lost time is not too long."""
    return total_of(parts).slow_high * PPM <= allowed(parts, "eligible_low") and not lost_too_long(parts)


def breach_likely(parts: Sequence[Part]) -> bool:
    """The estimate is over the objective, or the lost time is too long."""
    return total_of(parts).slow * PPM > allowed(parts, "eligible") or lost_too_long(parts)


def sli(parts: Sequence[Part]) -> Interval:
    """[1 − min(1, Σhigh/E_low), 1 − Σlow'/E_high] and the estimate between; the low end is unknown where E_low = 0."""
    s = total_of(parts)
    return Interval(_good(s.slow_high, s.eligible_low), _good(s.slow, s.eligible), _good(s.slow_low, s.eligible_high))


def _good(slow: int, eligible: int) -> Fraction | None:
    return Fraction(max(0, eligible - slow), eligible) if eligible else None


def budget(parts: Sequence[Part]) -> Budget:
    """The budget of requests, by estimate with its range."""
    s = total_of(parts)
    ends = [(s.slow_high, "eligible_low"), (s.slow, "eligible"), (s.slow_low, "eligible_high")]
    left = [_left(spent, allowed(parts, name)) for spent, name in ends]
    return Budget(Fraction(allowed(parts, "eligible"), PPM), s.slow, Interval(*left))


def slot_budget(parts: Sequence[Part]) -> Budget:
    """The budget of slots: of those judged met or breached, 1 − objective may be breached.

    Low end: every breached slot that is not disproved counts; high end: only those proved.
    """
    s = total_of(parts)
    total = allowed(parts, "slots_met") + allowed(parts, "slots_breached")
    doubtful = s.slots_met + s.slots_breached - s.slots_met_proved
    ends = [_left(spent, total) for spent in (doubtful, s.slots_breached, s.slots_breached_proved)]
    return Budget(Fraction(total, PPM), s.slots_breached, Interval(*ends))


def lost_left(parts: Sequence[Part]) -> Fraction | None:
    """The share of the allowed lost time that is left; None when nothing was observed."""
    return _left(total_of(parts).lost_ms, allowed(parts, "observed_s") * 1000)


def _left(spent: int, allowed_millionths: int) -> Fraction | None:
    if not allowed_millionths:
        return None
    return Fraction(allowed_millionths - spent * PPM, allowed_millionths)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A state word, whether it is proved, and why."""

    state: State
    proved: bool
    reasons: tuple[str, ...] = field(default=())

    @property
    def word(self) -> str:
        """'breached', 'likely breached', …: what every page says."""
        return self.state.word if self.proved else f"likely {self.state.word}"


def judge_period(
    parts: Sequence[Part],
    *,
    coverage_ppm: int,
    min_coverage_ppm: int,
    min_eligible: int,
    budget_by: str = "both",
    closed: bool = False,
    firing: Sequence[str] = (),
) -> Verdict:
    """The state of a period, first that fits (semantics §5).

    `coverage_ppm`: observed share of the time to be covered; `firing`: names of the §6 rules that hold now. With
    `budget_by` 'slots' the slots' budget decides instead of the requests'; with 'both' it stands beside.
    """
    s = total_of(parts)
    by_slots = budget_by == "slots"
    reasons = list(_reasons(parts, by_slots))
    if coverage_ppm < min_coverage_ppm:
        reasons.append("LOW_COVERAGE")
    if s.eligible < min_eligible:
        reasons.append("LOW_VOLUME")
    if s.gap_ios:
        reasons.append("GAP")
    breached, proof_breached, proof_met = _by_slots(parts) if by_slots else _by_requests(parts)
    if breached:
        return Verdict(State.BREACHED, proof_breached, tuple(reasons))
    if "LOW_COVERAGE" in reasons or (closed and "LOW_VOLUME" in reasons and s.ios):
        return Verdict(State.NO_DATA, True, tuple(reasons))
    if s.ios and s.eligible * PPM < EXCUSED_BELOW_PPM * s.ios:
        return Verdict(State.EXCUSED, s.eligible_high * PPM < EXCUSED_BELOW_PPM * s.ios, tuple(reasons))
    if not s.ios:
        return Verdict(State.IDLE, True, tuple(reasons))
    burning = [f"BURNING_{name.upper()}" for name in firing]
    low = little_left(parts, by_slots=by_slots)
    if not closed and (burning or low):
        return Verdict(State.AT_RISK, proof_met, (*reasons, *burning, *(["BUDGET_LOW"] if low else [])))
    return Verdict(State.MET, proof_met, tuple(reasons))


def little_left(parts: Sequence[Part], *, by_slots: bool) -> bool:
    """Under a fifth of the budget (of requests or slots) or of the allowed lost time is left, by estimate."""
    s = total_of(parts)
    if by_slots:
        spent = s.slots_breached
        total = allowed(parts, "slots_met") + allowed(parts, "slots_breached")
    else:
        spent, total = s.slow, allowed(parts, "eligible")
    lost_total = allowed(parts, "observed_s") * 1000
    return any(
        AT_RISK_LEFT.denominator * (whole - gone * PPM) < AT_RISK_LEFT.numerator * whole
        for gone, whole in ((spent, total), (s.lost_ms, lost_total))
    )


def _by_requests(parts: Sequence[Part]) -> tuple[bool, bool, bool]:
    return breach_likely(parts), breach_proved(parts), met_proved(parts)


def _by_slots(parts: Sequence[Part]) -> tuple[bool, bool, bool]:
    left, lost = slot_budget(parts).left, lost_too_long(parts)

    def over(ratio: Fraction | None) -> bool:
        return ratio is not None and ratio < 0

    return over(left.estimate) or lost, over(left.high) or lost, not over(left.low) and not lost


def _reasons(parts: Sequence[Part], by_slots: bool) -> Iterable[str]:
    if by_slots:
        left = slot_budget(parts).left.estimate
        if left is not None and left < 0:
            yield "SLOW_SLOTS"
    elif total_of(parts).slow * PPM > allowed(parts, "eligible"):
        yield "SLOW"
    if lost_too_long(parts):
        yield "LOST_TIME"


def judge_now(
    *,
    in_maintenance: bool,
    silent_s: float | None,
    period: State,
    paging: bool,
    idle_s: float,
    excused_s: float,
) -> State:
    """The state of a disk now, first that fits (semantics §5).

    `silent_s`: seconds since its last frame ended (None: it never sent one); `paging`: a page rule holds; `idle_s` and
    `excused_s`: for how long, up to the last frame, there was nothing, or nothing covered.
    """
    if in_maintenance:
        return State.MAINTENANCE
    if silent_s is None or silent_s > SILENT_S:
        return State.NO_DATA
    if period is State.BREACHED or paging:
        return State.BREACHED
    if period is State.AT_RISK:
        return State.AT_RISK
    if idle_s >= QUIET_S:
        return State.IDLE
    return State.EXCUSED if excused_s >= QUIET_S else State.MET


SILENT_S = 180
QUIET_S = 900
