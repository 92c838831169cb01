"""Has the wall clock jumped? It is set, or the machine slept: what lies between two looks is unknown then."""

from __future__ import annotations

NS_PER_S = 1_000_000_000
# Semantics §2: a clock that jumps by more makes the second unknown.
STEP_NS = 2 * NS_PER_S
# The server takes nothing that ends more than two minutes ahead: what was sent under such a clock was not kept.
FUTURE_S = 120


class Clock:
    """The two clocks of one process as they stood at its last look."""

    __slots__ = ("_offset_ns",)

    def __init__(self) -> None:
        self._offset_ns: int | None = None

    def jumped(self, wall_ns: int, mono_ns: int) -> bool:
        """Did wall and monotonic clock (which stands still in sleep) part since the last look? Not at the first one."""
        before, self._offset_ns = self._offset_ns, wall_ns - mono_ns
        return before is not None and abs(wall_ns - mono_ns - before) > STEP_NS
