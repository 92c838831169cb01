"""How many slow I/Os are in a sum, if a few stand among many fast ones?

Two kinds of latency, each a bell with a learnt mean and spread (ms), and a learnt share of the slow kind. The kinds
know no threshold: one model serves all terms.
"""

from __future__ import annotations

from math import erfc, exp, lgamma, log, sqrt

Outcome = tuple[float, int, float, float]  # chance, how many of the slow kind, spread of the sum, surprise
Sums = tuple["tuple[float, ...]", "tuple[float, ...]", "tuple[float, ...]"]

SHARE_MEMORY = 0.8  # what a second later counts of the share: 5 s of memory
SIZE_MEMORY = 0.9  # … and of means and spreads
ROUNDS = 3
APART = 4.0  # the slow kind begins so many spreads above the fast one
# Slow I/Os come together (a stall, a full queue) far more often than by chance: the n-th costs no more than this.
TOGETHER = log(0.5)
# The learnt spread of the slow kind also holds what the model does not know; of one slow I/O less is unknown.
KNOWN = 0.1
ROUNDING = 1 / 6
UNLIKELY = 10.0  # log of the odds below which an outcome is not worth a thought
MOST_OUTCOMES = 14
FEW_PAIRS = 3.0
SPREADS = 3.0
FAR = 2.0  # spreads
FIRST_SHARE = 0.01
LEAST_MS = 0.02


class Mixture:
    """The learnt mixture of one direction."""

    __slots__ = (
        "_fast",
        "_fast_sums",
        "_fast_var",
        "_share",
        "_shares",
        "_slow",
        "_slow_sums",
        "_slow_var",
        "usual_ms",
    )

    def __init__(self) -> None:
        self.usual_ms = 0.0
        self._shares: tuple[float, ...] = (0.0, 0.0)
        self._fast_sums: tuple[float, ...] = (0.0, 0.0, 0.0)
        self._slow_sums: tuple[float, ...] = (0.0, 0.0, 0.0)
        self._share = FIRST_SHARE
        self._fast = self._fast_var = self._slow = self._slow_var = 0.0

    def start(self, mean_ms: float) -> None:
        """The first second's lowest mean is where the search begins; later calls change nothing."""
        if self.usual_ms:
            return
        self.usual_ms = self._fast = max(mean_ms, 0.05)
        self._fast_var = (0.7 * self._fast) ** 2 + 0.01
        self._slow = max(10 * self._fast, 5.0)
        self._slow_var = (0.6 * self._slow) ** 2

    def learn(self, steps: list[tuple[int, int]]) -> dict[tuple[int, int], list[Outcome]]:
        """Take a second's sub-intervals (I/Os, summed ms); what is in each of them?"""
        counts: dict[tuple[int, int], int] = {}
        for step in steps:
            counts[step] = counts.get(step, 0) + 1
        shares, fast_sums, slow_sums = self._shares, self._fast_sums, self._slow_sums
        found: dict[tuple[int, int], list[Outcome]] = {}
        for _ in range(ROUNDS):
            found = {step: self._outcomes(*step) for step in counts}
            now = self._gather(counts, found)
            shares = _faded(self._shares, now[0], SHARE_MEMORY)
            fast_sums = _faded(self._fast_sums, now[1], SIZE_MEMORY)
            slow_sums = _faded(self._slow_sums, now[2], SIZE_MEMORY)
            self._maximise(shares, fast_sums, slow_sums)
            if self._doubled(counts, found):
                slow_sums = self._slow_sums = (0.0, 0.0, 0.0)
        self._shares, self._fast_sums, self._slow_sums = shares, fast_sums, slow_sums
        self.usual_ms = self._fast
        return found

    def _outcomes(self, n: int, sum_ms: int) -> list[Outcome]:
        """How many of `n` I/Os are of the slow kind, with which chances?"""
        fast, fast_var, slow, slow_var, share = self._fast, self._fast_var, self._slow, self._slow_var, self._share
        over = sum_ms - n * fast
        spread = n * fast_var + ROUNDING
        if over < slow / 3 and over * over < 4 * spread:
            return [(1.0, 0, spread, over)]
        likely = over / (slow - fast)
        wide = sqrt(n * fast_var + max(likely, 1.0) * slow_var + ROUNDING) / (slow - fast)
        first = max(0, int(likely - SPREADS * wide) - 1)
        last = min(n, int(likely + SPREADS * wide) + 2)
        if first > last:
            first = last = min(max(int(likely + 0.5), 0), n)
        if last - first < 3:
            first, last = max(0, first - 1), min(n, last + 1)
        log_fast, log_slow = log(1 - share), log(share)
        any_slow = log(1 - exp(n * log_fast))
        log_n = lgamma(n + 1)
        weighed: list[Outcome] = []
        best = -1e300
        for k in range(first, last + 1, max(1, (last - first) // MOST_OUTCOMES)):
            spread = (n - k) * fast_var + k * slow_var + ROUNDING
            surprise = sum_ms - (n - k) * fast - k * slow
            weight = log_n - lgamma(k + 1) - lgamma(n - k + 1) + k * log_slow + (n - k) * log_fast
            if k:
                weight = max(weight, any_slow + (k - 1) * TOGETHER)
            weight -= surprise * surprise / (2 * spread) + 0.5 * log(spread)
            best = max(best, weight)
            weighed.append((weight, k, spread, surprise))
        kept = [(exp(one[0] - best), *one[1:]) for one in weighed if one[0] >= best - UNLIKELY]
        total = sum(one[0] for one in kept)
        return [(weight / total, k, spread, surprise) for weight, k, spread, surprise in kept]

    def _doubled(self, counts: dict[tuple[int, int], int], found: dict[tuple[int, int], list[Outcome]]) -> bool:
        """Were slow I/Os taken for pairs of half their size? Then single ones are rare beside pairs: begin again.

        Slow ones do come in pairs, but TOGETHER makes the single one the likelier by half.
        """
        single = several = size = 0.0
        for step, outcomes in found.items():
            for chance, k, _, _ in outcomes:
                weight = chance * counts[step]
                if k == 1:
                    single += weight
                elif k and 2 * k <= step[0]:
                    several += weight
                    size += weight * (step[1] - step[0] * self._fast)
        if several <= single or several < FEW_PAIRS:
            return False
        self._slow = max(self._slow, size / several)
        self._slow_var = (0.3 * self._slow) ** 2
        return True

    def _gather(self, counts: dict[tuple[int, int], int], found: dict[tuple[int, int], list[Outcome]]) -> Sums:
        """What all sub-intervals together say: (fast, slow) I/Os, and of each kind its I/Os, sum and squares."""
        fast, fast_var, slow, slow_var = self._fast, self._fast_var, self._slow, self._slow_var
        fast_n = fast_sum = fast_squares = slow_ios = slow_n = slow_sum = slow_squares = 0.0
        for (n, _), outcomes in found.items():
            times = counts[n, _]
            for chance, k, spread, surprise in outcomes:
                weight = chance * times
                pull = surprise / spread
                many = weight * (n - k)
                move = fast_var * pull
                fast_n += many
                fast_sum += many * (fast + move)
                fast_squares += many * (move * move + fast_var - fast_var * fast_var / spread)
                if k:
                    slow_ios += weight * k
                    # An outcome that may be another tells little of the slow kind's size, and none is so odd as to
                    # move it by more than FAR.
                    many = weight * k * chance
                    most = FAR * sqrt(slow_var)
                    move = min(max(slow_var * pull, -most), most)
                    slow_n += many
                    slow_sum += many * (slow + move)
                    slow_squares += many * (move * move + slow_var - slow_var * slow_var / spread)
        return (fast_n, slow_ios), (fast_n, fast_sum, fast_squares), (slow_n, slow_sum, slow_squares)

    def _maximise(self, shares: tuple[float, ...], fast: tuple[float, ...], slow: tuple[float, ...]) -> None:
        """Set share, means and spreads to what the sums say. One I/O ten times the usual size is always believed in,
        so that the slow kind has a size before the first one is seen.
        """
        self._share = min(max((shares[1] + 0.02) / (shares[0] + shares[1] + 1), 1e-5), 0.5)
        if fast[0] > 0.5:
            self._fast = max(fast[1] / fast[0], LEAST_MS)
            self._fast_var = max(fast[2] / fast[0], (0.1 * self._fast) ** 2 + 0.003)
        guess = 10 * self._fast + 2
        nearest = 2 * self._fast + APART * sqrt(self._fast_var)
        self._slow = max((slow[1] + guess) / (slow[0] + 1), nearest)
        self._slow_var = max((slow[2] + (0.6 * guess) ** 2) / (slow[0] + 1), (0.05 * self._slow) ** 2)

    def slow(self, threshold: float, n: int, outcomes: list[Outcome]) -> float:
        """How many of the `n` I/Os of such a sub-interval reach the threshold (ms)?"""
        fast, fast_var, slow, slow_var = self._fast, self._fast_var, self._slow, self._slow_var
        total = 0.0
        for chance, k, spread, surprise in outcomes:
            pull = surprise / spread
            if k:
                left = KNOWN * max(slow_var - slow_var * slow_var / spread, 0.0) + 0.01
                total += chance * k * 0.5 * erfc((threshold - slow - slow_var * pull) / sqrt(2 * left))
            if k < n:
                left = max(fast_var - fast_var * fast_var / spread, 0.0) + 0.01
                total += chance * (n - k) * 0.5 * erfc((threshold - fast - fast_var * pull) / sqrt(2 * left))
        return total


def _faded(past: tuple[float, ...], now: tuple[float, ...], memory: float) -> tuple[float, ...]:
    return tuple(old * memory + new for old, new in zip(past, now))
