"""Which words are there for a second, a slot, a period, a disk? Values are stored: written out, never renumbered."""

from enum import IntEnum


class Word(IntEnum):
    """An enum whose members are said in lower case."""

    @property
    def word(self) -> str:
        """`NO_DATA` is 'no_data'."""
        return self.name.lower()


class State(Word):
    """Of a slot, a period, a disk (semantics §5)."""

    MAINTENANCE = 1
    NO_DATA = 2
    IDLE = 3
    BREACHED = 4
    EXCUSED = 5
    MET = 6
    AT_RISK = 7


class Case(Word):
    """Of a second (semantics §4)."""

    NORMAL = 1
    PRO_RATA = 2
    EXCUSED = 3
    UNDER_DELIVERY = 4
    STALLED = 5
    IDLE = 6
    UNKNOWN = 7


class Grade(IntEnum):
    """How good the evidence is: A exact histogram, B fine-cadence bounds, C whole seconds or coarser (semantics §3)."""

    A = 1
    B = 2
    C = 3


class Reason(IntEnum):
    """Why a slot is what it is, where its figures alone do not say it."""

    NONE = 0
    NO_CONTRACT = 1
    READS_OUTSIDE = 2
    BLOCKS_OUTSIDE = 3
    LOAD_OUTSIDE = 4
    UNAVAILABLE = 5


# Worst first: what a list of disks begins with. No data comes last but visible.
WORST_FIRST = (
    State.BREACHED,
    State.AT_RISK,
    State.EXCUSED,
    State.MET,
    State.IDLE,
    State.MAINTENANCE,
    State.NO_DATA,
)
