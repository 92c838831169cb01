"""The audit finds what it is there for: each of these books has one thing wrong."""

from dataclasses import replace

import pytest

from tests.soak.audit import Absence, Account, audit
from tests.soak.books import Book, Minute, Stretch
from tests.soak.witness import NS, Record

START = 1_800_000_000  # a full minute
PER_SECOND = 7


def kernel(seconds: int = 180, *, still_from: int = 150) -> Record:
    """Seven I/Os a second at its middle, none from `still_from` on; read twenty times a second."""
    record = Record()
    for tick in range(-40, seconds * 20):
        moment = START * NS + tick * NS // 20
        done = min(max((tick + 10) // 20, 0), still_from) * PER_SECOND
        record.add(moment, moment + 1000, 1000 + done)
    return record


def stretch(begin: int, end: int) -> Stretch:
    ios: list[int | None] = [PER_SECOND if second < 150 else 0 for second in range(begin, end)]
    return Stretch(START + begin, 1000 + PER_SECOND * min(begin, 150), ios, [100] * len(ios))


def minute(number: int, ios: int, gap: int, first: int, last: int) -> Minute:
    return Minute(START + 60 * number, ios, gap, 1000 + first, 1000 + last)


def book() -> Book:
    """Two and a half minutes with a hole of two seconds in the second one, then ten quiet seconds."""
    stretches = [stretch(0, 60), stretch(60, 80), stretch(82, 120), stretch(120, 160)]
    minutes = [minute(0, 420, 0, 0, 420), minute(1, 406, 14, 420, 840), minute(2, 210, 0, 840, 1050)]
    return Book("vda", stretches, minutes, 420 + 406 + 210, 14)


HOLE = [Absence(START + 80.5, START + 82.0)]


def of(changed: Book, absences: list[Absence] = HOLE) -> Account:
    return audit(changed, kernel(), absences)


def test_true_books_have_no_fault_and_reach_the_kernels_count():
    account = of(book())
    assert account.faults == []
    assert account.counted == account.kernel == 150 * PER_SECOND
    assert (account.unobserved, account.gap) == (2, 14)
    # All boundaries are quiet, each frame's end is the next one's start, and the last ten seconds are still.
    assert (account.boundaries, account.quiet, account.quiet_equal, account.still) == (162, 162, 162, 11)
    assert account.last_equal == START + 160
    assert account.kernel_at_last_equal == 1000 + 1050


def test_a_frame_stored_twice_is_found():
    twice = replace(book(), stretches=sorted([*book().stretches, stretch(70, 75)], key=lambda one: one.start))
    assert any("counted twice" in text for text in of(twice).faults)


def test_a_lost_frame_is_found_even_where_its_ios_are_told_as_a_gap():
    stretches = [one for one in book().stretches if one.start != START + 60]
    minutes = [minute(0, 420, 0, 0, 420), minute(1, 266, 154, 574, 840), minute(2, 210, 0, 840, 1050)]
    lost = Book("vda", stretches, minutes, 420 + 266 + 210, 154)
    faults = of(lost).faults
    assert len(faults) == 20
    assert all("is missing, and the sampler was not dead" in text for text in faults)


def test_a_count_that_the_kernel_never_had_is_found():
    late = book().stretches[3]
    off = replace(book(), stretches=[*book().stretches[:3], replace(late, ios=[*late.ios[:-1], 1])])
    assert any("the kernel had 2050 to 2050" in text for text in of(off).faults)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"api_gap": 13}, "the API says"),
        ({"api_ios": 1037}, "the API says"),
        ({"minutes": [*book().minutes[:2], minute(2, 211, 0, 840, 1050)]}, "the kernel counted"),
        ({"minutes": [minute(0, 419, 0, 0, 420), minute(1, 407, 14, 420, 840), book().minutes[2]]}, "not the sum"),
        ({"minutes": [minute(0, 420, 7, 0, 420), minute(1, 406, 7, 420, 840), book().minutes[2]]}, "not the sum"),
        ({"minutes": book().minutes[:2]}, "the kernel counted"),
    ],
)
def test_slots_that_do_not_add_up_are_found(change, found):
    assert any(found in text for text in of(replace(book(), **change)).faults)


def test_a_hole_without_a_death_is_a_fault_unless_the_machine_ran_nobody():
    assert len(of(book(), []).faults) == 2
    starved = kernel()
    for column in (starved.before, starved.after, starved.ios):
        del column[40 + 80 * 20 : 40 + 82 * 20]
    assert not [text for text in audit(book(), starved, []).faults if "missing" in text]


def test_nothing_stored_is_a_fault():
    assert of(Book("vda", [], [], 0, 0)).faults == ["vda: nothing is stored"]
