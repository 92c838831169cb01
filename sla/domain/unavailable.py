"""For which 60 s in a row did a disk complete nothing while requests waited, wherever they begin? (semantics §4)

A slot knows its own minute. Where a stall goes on from the minute before, that minute's last seconds count too; the
slot in which the sixtieth second ends is the one that says so.
"""

import numpy as np

from sla.domain.evidence import MINUTE_S, Bools, Evidence, Ints
from sla.domain.seconds import Steps
from sla.domain.states import Case


def stalled_ends(e: Evidence, steps: Steps, slots: int) -> tuple[Ints, Ints]:
    """(S,) seconds in a row, at the beginning and at the end of each slot, in which it was stalled throughout."""
    stalled = np.zeros((slots, MINUTE_S), bool)
    frames, places = np.nonzero(steps.case == Case.STALLED)
    for second in range(int(e.step_s[frames].max(initial=0))):
        mine = e.step_s[frames] > second
        at = e.offset_s[frames[mine]] + places[mine] * e.step_s[frames[mine]] + second
        stalled[e.slot[frames[mine]], at] = True
    return _run(stalled), _run(stalled[:, ::-1])


def _run(stalled: Bools) -> Ints:
    """How many of each row's first ones are set."""
    return np.where(stalled.all(axis=1), MINUTE_S, np.argmin(stalled, axis=1)).astype(np.int64)


def reaches_a_minute(leading: int, trailing_before: int) -> bool:
    """Does a stall at a slot's beginning make 60 s with the one that the slot before ended in?"""
    return 0 < leading < MINUTE_S and leading + trailing_before >= MINUTE_S
