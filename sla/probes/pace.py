"""How often may one machine tell of its tests? Counted a minute in the cache; without a cache nothing is held up."""

import time

from sla.accounts.throttle import counted, left

# Acknowledgements come ten times a second at the most; twice that is a program gone wrong.
MOST_A_MINUTE = 1_200
SPAN_S = 60


def wait_of(machine: int, now: float | None = None) -> int | None:
    """One more call of this machine: the seconds to wait where it is over the limit, else None."""
    now = time.time() if now is None else now
    count = counted(f"probe-calls:{machine}:{int(now // SPAN_S)}", SPAN_S)
    return left(SPAN_S, now) if count > MOST_A_MINUTE else None
