"""How finely must the counters be read just now: a ladder between the policy's base and finest, inside a CPU budget."""

from __future__ import annotations

from .core.terms import PPM, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LADDER_MS = (1000, 100, 50, 20, 10)
NS_PER_S = 1_000_000_000
# A second asks for a finer eye when what the bounds leave open is over this part of its budget of slow I/Os: bounds
# within a tenth of the budget no longer straddle the objective, nearly ever.
OPEN_PART = 10
# How long a wish outlives the second that had it, so that the cadence does not flap.
HOLD_S = 30
# Averaging time of the CPU share: a quarter of a minute smooths one busy second, and follows a busy minute.
BUDGET_WINDOW_S = 15


class Cadence:
    """The cadence of all disks, in ms. `fixed` (a setting) overrules policy and budget."""

    __slots__ = ("_back", "_cpu_ns", "_fixed", "_held", "_load_ppm", "_rung", "base_ms", "budget_ppm", "finest_ms")

    def __init__(self, fixed: int | None = None) -> None:
        self._fixed = fixed
        self._back = 0
        self._held = 0
        self._load_ppm = 0
        self._cpu_ns = 0
        self.follow(100, 10, 20_000)
        self._rung = _rung_at(self.base_ms)

    def follow(self, base_ms: int, finest_ms: int, budget_ppm: int) -> None:
        """Take the policy's wishes."""
        self.base_ms = base_ms
        self.finest_ms = min(finest_ms, base_ms)
        self.budget_ppm = budget_ppm
        self._rung = _rung_at(base_ms)

    def hold_back(self, over: bool) -> None:
        """Once a minute: does the agent take more than it may beside CPU? A rung coarser each time that it does."""
        self._back = min(len(LADDER_MS) - 1, self._back + 1) if over else max(0, self._back - 1)

    @property
    def ms(self) -> int:
        """The cadence to use now."""
        return self._fixed or LADDER_MS[self._rung]

    def turn(self, finer: bool, cpu_ns: int) -> int:
        """After each second: was a finer eye wanted, and how much CPU has the sampler used in all? Answers the cadence.

        One rung a second at most, up as down; over the budget it goes back even beyond the base.
        """
        share_ppm = (cpu_ns - self._cpu_ns) * 1_000_000 // NS_PER_S if self._cpu_ns else 0
        self._cpu_ns = cpu_ns
        self._load_ppm += (share_ppm - self._load_ppm) // BUDGET_WINDOW_S
        self._held = HOLD_S if finer else max(0, self._held - 1)
        base, finest = _rung_at(self.base_ms), _rung_at(self.finest_ms)
        # A rung finer costs up to two and a half times as much: go only where that fits.
        room = self._load_ppm * 5 // 2 < self.budget_ppm
        wanted = max(0, (max(base, finest) if self._held else base) - self._back)
        if self._load_ppm > self.budget_ppm:
            self._rung = max(0, self._rung - 1)
        elif self._rung < wanted and room:
            self._rung += 1
        elif self._rung > wanted:
            self._rung -= 1
        return self.ms


def wants_finer(term: Term, ios: int, counts: Sequence[int], in_flight: int, pool: int) -> bool:
    """Would finer samples decide more: do the bounds straddle the objective, or is the ideal disk near its depth?

    `counts` in the order of core.meter.SecondCounts; `pool` is the §4 pool now.
    """
    high, low = counts[1] + counts[4], counts[0] + counts[3]
    straddles = (high - low) * OPEN_PART * PPM > (PPM - term.objective_ppm) * ios
    near_depth = in_flight * 2 > term.depth or pool > 0 or counts[8] > counts[7]
    return ios > 0 and (straddles or near_depth)


def _rung_at(ms: int) -> int:
    """The finest rung that is not finer than asked."""
    return max(index for index, rung in enumerate(LADDER_MS) if rung >= ms)
