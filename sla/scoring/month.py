"""What was a disk's month by the frames themselves? From 1-s evidence, some hours at a time, nothing stored."""

from collections.abc import Callable, Sequence

import numpy as np

from sla.domain.contract import Contract
from sla.domain.slot import Slots
from sla.domain.states import State
from sla.domain.verdict import Sums
from sla.scoring import store
from sla.scoring.settle import judge_minutes

# So many seconds of frames are opened at once. The arrays of a quarter of a day stay below what the allocator keeps for
# the next quarter: a day's are given back to the kernel, and a third of the CPU goes into faulting them in again.
AT_ONCE_S = 21_600
ADDED = (
    *("observed_s", "eligible_low", "eligible", "eligible_high"),
    *("slow_low", "slow", "slow_high", "lost_ms"),
)


def sums_of_slots(slots: Slots, keep: "np.ndarray") -> Sums:
    """Everything of these slots added up."""
    state, proved = slots.state[keep], slots.proved[keep]
    met, breached = state == State.MET, state == State.BREACHED
    return Sums(
        ios=int(slots.ios[keep].sum()),
        **{name: int(getattr(slots, name)[keep].sum()) for name in ADDED},
        slots_met=int(met.sum()),
        slots_met_proved=int((met & proved).sum()),
        slots_breached=int(breached.sum()),
        slots_breached_proved=int((breached & proved).sum()),
    )


def sums_from_frames(
    disk_id: int,
    start: int,
    end: int,
    *,
    vantage: int,
    contract: Contract | None = None,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> Sums:
    """The sums of [start, end) from stored frames; `contract` judges instead of the one in force (what-if: then whole
    seconds are all there is to judge by, unless its terms were shipped). Time that is taken out is left out."""
    total = Sums()
    spans: Sequence[int] = range(start // AT_ONCE_S * AT_ONCE_S, end, AT_ONCE_S)
    for done, first in enumerate(spans, 1):
        minutes = range(max(first, start) // 60 * 60, min(first + AT_ONCE_S, end), 60)
        with store.reading() as cursor:
            batch = judge_minutes(
                cursor, [(disk_id, vantage, minute) for minute in minutes], instead=contract, histograms=False
            )
        if batch is not None:
            keep = np.array([not one.excluded for one in batch.judged], bool)
            total += sums_of_slots(batch.slots, keep)
        progress(done, len(spans))
    return total
