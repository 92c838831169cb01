"""Is what the product counted what the kernel counted? Every sentence of `faults` is one way in which it is not."""

from dataclasses import dataclass, field
from itertools import pairwise

from tests.soak.books import Book, Stretch
from tests.soak.witness import Record

# A second that was measured whole began with a sample taken before its end, so this much later the kernel's own count
# cannot be lower than what the frame says.
WITHIN_S = 1.0
# As a rule that sample comes within milliseconds of the boundary. Where the kernel's count stands still for so long
# after one, the frame says that very number, or its sample was late.
PUNCTUAL_S = 0.05
# A second is written down right after its end: a kill just then takes it along.
WRITTEN_S = 0.25
# The sampler loses a second when it is a second late: no fault of its own where our reader slept for so long as well.
STARVED_S = 0.5


@dataclass(frozen=True, slots=True)
class Absence:
    """From kill to recovery of the sampler: seconds in here may be unobserved."""

    start: float
    end: float


@dataclass
class Account:
    """One disk's figures.

    `counted` is what slots and gaps add up to, `kernel` the advance of the cumulative count. Of the `boundaries` of
    seconds, at `still` ones the kernel counted nothing for a second, so that one number only can be right (any other is
    a fault); at `quiet` ones nothing for PUNCTUAL_S, and at `quiet_equal` of them the frame says that number.
    """

    device: str
    counted: int = 0
    seen: int = 0
    gap: int = 0
    kernel: int = 0
    boundaries: int = 0
    still: int = 0
    quiet: int = 0
    quiet_equal: int = 0
    last_equal: int | None = None
    kernel_at_last_equal: int | None = None
    seconds: int = 0
    unobserved: int = 0
    widest_bracket: int = 0
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        self.faults.append(f"{self.device}: {text}")


def moments_of(one: Stretch) -> list[tuple[int, int]]:
    """(boundary, cumulative I/Os) of a frame: its base, and its base with its seconds added one by one."""
    count, moments = one.base, [(one.start, one.base)]
    for place, ios in enumerate(one.ios):
        if ios is None:  # the frame's sum goes on after a hole, but from where nobody knows
            break
        count += ios
        moments.append((one.start + place + 1, count))
    return moments


def audit(book: Book, record: Record, absences: list[Absence]) -> Account:
    """Hold one disk's books against the kernel's counters and against each other."""
    account = Account(book.device)
    if not book.stretches or not book.minutes:
        account.fault("nothing is stored")
        return account
    once_each(book, account)
    against_kernel(book, record, account)
    sums(book, account)
    holes(book, record, absences, account)
    return account


def once_each(book: Book, account: Account) -> None:
    """No second in two frames, no count that goes back."""
    for one, other in pairwise(book.stretches):
        if other.start < one.end:
            account.fault(f"the frames at {one.start} and {other.start} overlap: I/Os counted twice")
        if other.base < one.base + one.total:
            account.fault(f"the frame before {other.start} has counted {one.base + one.total - other.base} too many")


def against_kernel(book: Book, record: Record, account: Account) -> None:
    """Each boundary between two readings of our own; where these agree, it must be that number."""
    for one in book.stretches:
        for boundary, count in moments_of(one):
            low, high = record.at_least(boundary), record.at_most(boundary + WITHIN_S)
            if low is None or high is None:
                continue
            account.boundaries += 1
            account.widest_bracket = max(account.widest_bracket, high - low)
            if not low <= count <= high:
                account.fault(f"{count} I/Os at {boundary}, the kernel had {low} to {high}")
            account.still += low == high
            if low == record.at_most(boundary + PUNCTUAL_S):
                account.quiet += 1
                if count == low:
                    account.quiet_equal += 1
                    account.last_equal, account.kernel_at_last_equal = boundary, low
    first, last = book.stretches[0], book.stretches[-1]
    account.kernel = last.base + last.total - first.base


def sums(book: Book, account: Account) -> None:
    """Slots and gaps, as rows and through the API, against frames and the kernel's advance."""
    account.seen = sum(minute.ios for minute in book.minutes)
    account.gap = sum(minute.gap_ios for minute in book.minutes)
    account.counted = account.seen + account.gap
    if account.counted != account.kernel:
        account.fault(f"slots and gaps hold {account.counted} I/Os, the kernel counted {account.kernel}")
    if (book.api_ios, book.api_gap) != (account.seen, account.gap):
        account.fault(f"the API says {book.api_ios} + gap {book.api_gap}, the rows {account.seen} + {account.gap}")
    minutes: dict[int, list[int]] = {}
    for before, one in pairwise([None, *book.stretches]):
        figures = minutes.setdefault(one.start // 60 * 60, [0, 0])
        figures[0] += one.total
        # What nobody saw is told where it became known: with the frame after it.
        figures[1] += one.base - before.base - before.total if before else 0
    if minutes != {minute.start: [minute.ios, minute.gap_ios] for minute in book.minutes}:
        account.fault("some slot is not the sum of its frames and of the gaps before them")


def holes(book: Book, record: Record, absences: list[Absence], account: Account) -> None:
    """Seconds that nobody saw: only while the sampler itself was dead, or the machine ran nobody."""
    observed = {one.start + place for one in book.stretches for place, ios in enumerate(one.ios) if ios is not None}
    first, last = book.stretches[0].start, book.stretches[-1].end
    for second in range(first, last):
        if second in observed:
            continue
        account.unobserved += 1
        excused = any(absence.start - 1 - WRITTEN_S < second < absence.end for absence in absences)
        if not excused and not record.slept(second - 1, second + 2, STARVED_S):
            account.fault(f"the second {second} is missing, and the sampler was not dead then")
    account.seconds = len(observed)
