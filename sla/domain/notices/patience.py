"""How long until something that failed is tried again, and when is it enough?"""

from datetime import timedelta

# A greylisting server wants five minutes: the sixth try is after them. Half an hour at most, as mail servers do.
FIRST_S, LONGEST_S = 10.0, 1800.0
# A server that is away is asked often: each of its mails waits for it, and asking costs one connection.
SERVER_FIRST_S, SERVER_LONGEST_S = 2.0, 60.0
# Mail servers give up after three to five days; an alert is worth nothing then.
KEEP_TRYING = timedelta(hours=72)
SPREAD = 0.2


def wait_s(failures: int, chance: float, *, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> float:
    """Twice as long after each failure, within a fifth of it; `chance` is in [0, 1), `failures` is 1 after the first.

    The spread keeps what failed together from coming back together.
    """
    if failures < 1:
        raise ValueError(f"{failures} failures: there is nothing to wait for")
    usual = min(longest_s, first_s * 2.0 ** min(failures - 1, 30))
    return usual * (1 - SPREAD + 2 * SPREAD * chance)


def server_wait_s(failures: int, chance: float) -> float:
    """The same for a server as a whole."""
    return wait_s(failures, chance, first_s=SERVER_FIRST_S, longest_s=SERVER_LONGEST_S)
