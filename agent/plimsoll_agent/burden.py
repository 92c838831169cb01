"""What does the agent itself take of its machine: CPU with all its uploads, and memory?

Kernel: times(2) counts the children that were waited for; /proc/self/statm is in pages, its second figure is resident.
"""

from __future__ import annotations

import os

from .kernel.files import read_bytes

NS_PER_S = 1_000_000_000


class Burden:
    """Looked at once a minute. `cpu_ppm`: millionths of one CPU since the look before, None after the first one."""

    __slots__ = ("_cpu_s", "_page", "_seen_ns", "cpu_ppm", "rss_bytes")

    def __init__(self) -> None:
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._seen_ns = 0
        self._cpu_s = 0.0
        self.cpu_ppm: int | None = None
        self.rss_bytes: int | None = None

    def look(self, mono_ns: int) -> None:
        """Take stock at this moment of the monotonic clock."""
        spent = sum(os.times()[:4])
        if self._seen_ns and mono_ns > self._seen_ns:
            self.cpu_ppm = round((spent - self._cpu_s) * 1e6 * NS_PER_S / (mono_ns - self._seen_ns))
        self._seen_ns, self._cpu_s = mono_ns, spent
        fields = (read_bytes("/proc/self/statm") or b"").split()
        self.rss_bytes = int(fields[1]) * self._page if len(fields) > 1 else None

    def over(self, memory_bytes: int) -> bool:
        """Is more in memory than may be?"""
        return self.rss_bytes is not None and self.rss_bytes > memory_bytes

    def pairs(self) -> dict[str, object]:
        """For the status file; what is unknown is left out."""
        named = {"cpu_ppm": self.cpu_ppm, "rss_bytes": self.rss_bytes}
        return {name: value for name, value in named.items() if value is not None}
