"""How often may one machine tell of its tests? Counted a minute in the cache; without a cache nothing is held up."""

import time

from django.core.cache import cache

# Acknowledgements come ten times a second at the most; twice that is a program gone wrong.
MOST_A_MINUTE = 1_200
SPAN_S = 60


def wait_of(machine: int, now: float | None = None) -> int | None:
    """One more call of this machine: the seconds to wait where it is over the limit, else None."""
    now = time.time() if now is None else now
    key = f"probe-calls:{machine}:{int(now // SPAN_S)}"
    try:
        count = 1 if cache.add(key, 1, SPAN_S) else cache.incr(key)
    except ValueError:  # it expired between the two
        count = 1
    return max(1, int(SPAN_S - now % SPAN_S)) if count > MOST_A_MINUTE else None
