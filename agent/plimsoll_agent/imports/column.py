"""One imported disk: its counters at the last boundary, and the steps of the frame that is open."""

from __future__ import annotations

from ..core.counters import FIELDS, Counters, difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

    Frame = Dict[str, Any]

MINUTE_S = 60


class Column:
    """The open frame of one disk. Nothing is measured inside a step, so nothing is labelled: the server judges whole
    steps."""

    __slots__ = ("_base", "_last", "_rows", "_start", "device", "rule", "serial", "wwn")

    def __init__(self, device: str, serial: str | None, wwn: str | None, rule: str) -> None:
        """`rule`: what in_flight may prove on that machine's kernel (kernel/release.py)."""
        self.device = device
        self.serial = serial
        self.wwn = wwn
        self.rule = rule
        self._last: Counters | None = None
        self._base: Counters = ()
        self._start = 0
        self._rows: List[Counters] = []

    def take(self, at: int, step_s: int, counters: Counters, follows: bool) -> bool:
        """The counters at the boundary `at`; `follows`: they were read at the boundary before it as well.

        False where the step in between is unknown: a gap, a reset. What is open must be cut then; what comes begins
        with these counters.
        """
        before, self._last = self._last, counters
        advances = difference(before, counters) if follows and before is not None else None
        if advances is None or before is None:
            return False
        if not self._rows:
            self._start = at - step_s
            self._base = before
        self._rows.append(advances)
        return True

    def cut(self, step_s: int, vantage: str) -> Frame | None:
        """The open frame, ended. None: it holds no step."""
        if not self._rows:
            return None
        rows, self._rows = self._rows, []
        frame: Frame = {
            "device": self.device,
            "serial": self.serial,
            "wwn": self.wwn,
            "vantage": vantage,
            "source": "import",
            "start": self._start,
            "step_s": step_s,
            "n": len(rows),
            "base": {name: value for name, value in zip(FIELDS, self._base) if value is not None},
        }
        for index, name in enumerate(FIELDS):
            column = [row[index] for row in rows]
            if name != "discard_merges" and any(value is not None for value in column):
                frame[name] = column
        frame["in_flight_rule"] = self.rule
        frame["slow"] = []
        return frame
