"""Which share of the I/Os is slow where nobody queues? (design semantics §4: the estimate under bursts)

While excess I/Os wait, nobody can see which of the others were slow by themselves. The sub-intervals far from any
excess tell what the disk does then, and what it does then it probably does all the time.
"""

from __future__ import annotations

MEMORY = 0.8  # what a second later counts: 5 s of memory
ENOUGH = 50
FEW = 5
US_PER_MS = 1000
MS_PER_S = 1000
OWN_QUEUE = 4  # n I/Os of one sub-interval, half of them side by side, have a quarter before them on average
QUEUED = -1  # a sub-interval with excess in it
BUSY = -2  # one without, but with more than half of the depth in flight or in the ideal disk


class CalmShare:
    """The share of slow I/Os in calm sub-intervals of the last seconds, of one term and direction."""

    __slots__ = ("_before", "_ios", "_size_ms", "_slow", "_usual_ms")

    def __init__(self) -> None:
        self._slow = self._ios = 0.0
        self._usual_ms = self._size_ms = 0.0
        self._before: list[int] = []  # levels of the second before

    def learn(
        self,
        steps: list[tuple[int, int]],
        places: list[int],
        levels: list[int],
        threshold_us: int,
        rate: float,
        unit: float,
        step_ms: float,
    ) -> None:
        """Take a second.

        steps: I/Os and summed ms of each sub-interval; places: its number in the second; levels: of each number the
        most units that were in flight around it, or QUEUED or BUSY. rate: what the contract allows, units a second;
        unit: what an I/O counts on average; step_ms: how long a sub-interval is, about.
        """
        threshold = threshold_us / US_PER_MS
        before, self._before = self._before, levels
        calm = []
        for (n, sum_ms), place in zip(steps, places):
            if _calm_at(place, levels, []):
                calm.append((n, sum_ms, place))
        if len(calm) >= FEW:
            self._usual_ms = sorted(sum_ms / n for n, sum_ms, _ in calm)[len(calm) // 2]
        ios = 0
        odd = []
        telling = self._size_ms or 2 * threshold
        for n, sum_ms, place in calm:
            # So much waiting is their share in a fair queue of this length, and of their own making.
            fair = n * (levels[place] + n * unit / OWN_QUEUE) * MS_PER_S / rate
            ios += n
            over = sum_ms - n * self._usual_ms
            if over >= threshold and over > fair and fair < telling:
                odd.append((n, over, place))
        if odd:
            self._size_ms = sorted(over for _, over, _ in odd)[len(odd) // 2]
        slow = 0
        for n, over, place in odd:
            many = min(n, max(1, round(over / self._size_ms)))
            # The slow ones of a burst end when it is long gone: what counts is where they came from.
            if _calm_at(place - round(over / many / step_ms), levels, before):
                slow += many
        self._slow = self._slow * MEMORY + slow
        self._ios = self._ios * MEMORY + ios

    def of(self, ios: int) -> int:
        """How many of so many I/Os would be slow at that share? 0 while too little was seen."""
        return int(self._slow * ios / self._ios) if self._ios >= ENOUGH else 0


def _calm_at(place: int, levels: list[int], before: list[int]) -> bool:
    """Was there neither excess nor much in flight in this sub-interval or beside it? Negative places lie in the second
    before; what lies further back counts as calm."""
    for one in (place - 1, place, place + 1):
        if 0 <= one < len(levels):
            if levels[one] < 0:
                return False
        elif -len(before) <= one < 0 and before[one] < 0:
            return False
    return True
