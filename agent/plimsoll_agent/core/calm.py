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

    __slots__ = ("_ios", "_size_ms", "_slow", "_usual_ms")

    def __init__(self) -> None:
        self._slow = self._ios = 0.0
        self._usual_ms = self._size_ms = 0.0

    def learn(
        self, steps: list[tuple[int, int]], places: list[int], levels: list[int], threshold_us: int, rate: float
    ) -> None:
        """Take a second.

        steps: I/Os and summed ms of each sub-interval; places: its number in the second; levels: of each number the
        most that were in flight around it, or QUEUED or BUSY. rate: what the contract allows, I/Os a second.
        """
        threshold = threshold_us / US_PER_MS
        last = len(levels) - 1
        calm = []
        for (n, sum_ms), place in zip(steps, places):
            around = levels[max(0, place - 1) : min(last, place + 1) + 1]
            if min(around) >= 0:
                calm.append((n, sum_ms, levels[place]))
        if len(calm) >= FEW:
            self._usual_ms = sorted(sum_ms / n for n, sum_ms, _ in calm)[len(calm) // 2]
        ios = 0
        odd = []
        telling = self._size_ms or 2 * threshold
        for n, sum_ms, level in calm:
            # So much waiting is their share in a fair queue of this length, and of their own making.
            fair = n * (level + n / OWN_QUEUE) * MS_PER_S / rate
            ios += n
            over = sum_ms - n * self._usual_ms
            if over >= threshold and over > fair and fair < telling:
                odd.append((n, over))
        if odd:
            self._size_ms = sorted(over for _, over in odd)[len(odd) // 2]
        slow = sum(min(n, max(1, round(over / self._size_ms))) for n, over in odd)
        self._slow = self._slow * MEMORY + slow
        self._ios = self._ios * MEMORY + ios

    def of(self, ios: int) -> int:
        """How many of so many I/Os would be slow at that share? 0 while too little was seen."""
        return int(self._slow * ios / self._ios) if self._ios >= ENOUGH else 0
