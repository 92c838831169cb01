"""How much CPU and memory has a process used, its children included: /proc/PID/stat and smaps_rollup."""

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
# utime, stime, cutime, cstime of all threads: proc(5) fields 14 to 17, counted from the one after the command's name.
TIMES = slice(11, 15)


def cpu_s(pid: int) -> float:
    """CPU seconds of the process with all its threads, and of its children that have ended, to the tick."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[TIMES])) / TICKS


def memory_mb(pid: int) -> tuple[float, float]:
    """(RSS, PSS) in MB; zeros for a process that has just gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0, 0.0
    found = {line.split()[0]: int(line.split()[1]) / 1024 for line in text.splitlines()[1:] if line.endswith("kB")}
    return found.get("Rss:", 0.0), found.get("Pss:", 0.0)


def children(pid: int) -> list[int]:
    """The process's living children."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Watcher:
    """CPU between `begin` and `end`; memory without children (median) and the most with them, as `look` came by."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.quiet: list[tuple[float, float]] = []
        self.peak = 0.0
        self.begun = (0.0, 0.0)
        self.spent = (0.0, 0.0)

    def begin(self) -> None:
        self.begun = (time.monotonic(), cpu_s(self.pid))

    def end(self) -> None:
        self.spent = (time.monotonic() - self.begun[0], cpu_s(self.pid) - self.begun[1])

    def look(self) -> None:
        """A cheap look for the peak: resident pages of the process and its children."""
        kids = children(self.pid)
        if kids:
            self.peak = max(self.peak, sum(memory_mb(pid)[0] for pid in (self.pid, *kids)))

    def rest(self) -> None:
        """A look at the process by itself."""
        if not children(self.pid):
            self.quiet.append(memory_mb(self.pid))
            self.peak = max(self.peak, self.quiet[-1][0])

    def row(self) -> dict[str, float]:
        seconds, cpu = self.spent
        middle = sorted(self.quiet)[len(self.quiet) // 2] if self.quiet else (0.0, 0.0)
        return {
            "cpu_s_per_min": round(cpu / seconds * 60, 4),
            "rss_mb": round(middle[0], 2),
            "pss_mb": round(middle[1], 2),
            "peak_rss_mb": round(self.peak, 2),
        }
