"""How much may a test do: nobody's disk is loaded without bounds in time, I/Os a second and bytes."""

from __future__ import annotations

from collections import namedtuple


class Limits(namedtuple("Limits", "block_bytes write_ratio most_iops most_bytes seconds")):
    """Bytes of one I/O, share of writes, I/Os a second at most, bytes in all at most, seconds a step."""

    __slots__ = ()

    def seconds_left(self, ios_done: int) -> float:
        """How long may the next step last, were it to run at the most I/Os a second?"""
        left = self.most_bytes - ios_done * self.block_bytes
        return float(max(0.0, min(self.seconds, left / self.block_bytes / self.most_iops)))
