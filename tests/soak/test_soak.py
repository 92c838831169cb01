"""kill -9 of each process, one after another, under load: the books are the kernel's counters.

The long form is `make soak`.
"""

import time

import pytest

from tests.soak.members import ALL
from tests.soak.soak import NEVER_QUIET, soaking
from tests.soak.twin import CannotSoak


@pytest.mark.long
def test_every_process_may_die_and_no_io_is_lost_or_counted_twice():
    begin = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begin:5.1f} s  {text}", flush=True)

    try:
        with soaking(say) as soak:
            soak.strike_uplink()
            for name in ("web", "postgres"):
                soak.strike_in_upload(name)
            for name in ("redis", "worker", "beat"):
                soak.strike(name)
            outcome = soak.close()
    except CannotSoak as why:
        pytest.skip(str(why))
    say(str(outcome.as_plain()))
    faults = [fault for fault in outcome.faults if NEVER_QUIET not in fault]
    assert faults == []
    assert {strike.what for strike in outcome.strikes} == {*ALL, "uplink"}
    if outcome.faults:
        pytest.skip("all brackets held, but something else used the disk without pause: no equality to the last I/O")
