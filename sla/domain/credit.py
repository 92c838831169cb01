"""What is owed? The highest tier on the proved end, and 'up to' by the other end (semantics §6)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sla.domain.contract import PPM
from sla.domain.verdict import Interval


@dataclass(frozen=True, slots=True)
class Credit:
    """Per cent of the fee: `proved` is owed, `up_to` at most could be; cents where the fee is known."""

    proved_percent: int
    up_to_percent: int
    proved_cents: int | None
    up_to_cents: int | None


def tier(sli: Fraction | None, tiers: Iterable[tuple[int, int]]) -> int:
    """Per cent owed at an SLI: the largest of the tiers it lies below; 0 where the SLI is unknown."""
    if sli is None:
        return 0
    return max((percent for below_ppm, percent in tiers if sli * PPM < below_ppm), default=0)


def credit(sli: Interval, tiers: Iterable[tuple[int, int]], *, judged: bool, fee_cents: int | None = None) -> Credit:
    """The credit of a period. `judged`: its state is breached or met; no_data, excused and idle owe nothing.

    Proved is by the SLI's high end: the disk cannot have been better. An unknown low end counts as the estimate.
    """
    tiers = tuple(tiers)
    proved = tier(sli.high, tiers) if judged else 0
    worst = sli.low if sli.low is not None else sli.estimate
    up_to = max(proved, tier(worst, tiers)) if judged else 0

    def cents(percent: int) -> int | None:
        return None if fee_cents is None else fee_cents * percent // 100

    return Credit(proved, up_to, cents(proved), cents(up_to))
