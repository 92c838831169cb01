"""Since when a disk has been idle, by counters that hold the canary's own reads as well."""

import pytest

from plimsoll_agent.canary.idle import Idle
from plimsoll_agent.core.counters import FIELDS

NS = 10**9


def counters(**some):
    return tuple(some.get(name, 0) for name in FIELDS)


def test_it_is_idle_from_the_first_look_on():
    idle = Idle()
    for second in (10, 11, 15):
        idle.look(second * NS, counters(read_ios=5, write_ios=9))
        assert idle.quiet_ns(second * NS) == (second - 10) * NS


@pytest.mark.parametrize("name", ["read_ios", "write_ios", "discard_ios", "flush_ios", "in_flight"])
def test_anything_that_it_completes_or_that_waits_ends_it(name):
    idle = Idle()
    idle.look(0, counters())
    idle.look(9 * NS, counters(**{name: 1}))
    assert idle.quiet_ns(9 * NS) == 0


def test_a_read_of_our_own_does_not_end_it_whenever_the_counters_tell_it():
    for shown_at in (1, 2):
        idle = Idle()
        idle.look(0, counters(read_ios=5))
        idle.begin()
        idle.look(1 * NS, counters(read_ios=5 + (shown_at == 1)))
        idle.end()
        idle.look(2 * NS, counters(read_ios=6))
        assert idle.quiet_ns(2 * NS) == 2 * NS, shown_at
        idle.look(3 * NS, counters(read_ios=7))
        assert idle.quiet_ns(3 * NS) == 0, "the second one was somebody else's"


def test_a_read_of_our_own_that_hangs_leaves_it_idle_and_another_beside_it_does_not():
    idle = Idle()
    idle.look(0, counters())
    idle.begin()
    idle.look(60 * NS, counters(in_flight=1))
    assert idle.reading and idle.quiet_ns(60 * NS) == 60 * NS
    idle.look(61 * NS, counters(in_flight=2))
    assert idle.quiet_ns(61 * NS) == 0


def test_another_io_beside_our_own_is_seen():
    idle = Idle()
    idle.look(0, counters())
    idle.begin()
    idle.look(1 * NS, counters(read_ios=2))
    assert idle.quiet_ns(1 * NS) == 0


def test_counters_that_begin_anew_or_are_not_there_begin_it_anew():
    idle = Idle()
    idle.look(0, counters(read_ios=5))
    idle.look(5 * NS, ())
    assert idle.quiet_ns(5 * NS) == 0
    idle.look(6 * NS, counters(read_ios=5))
    idle.look(8 * NS, counters(read_ios=5))
    assert idle.quiet_ns(8 * NS) == 2 * NS
    idle.look(9 * NS, counters())
    assert idle.quiet_ns(9 * NS) == 0
