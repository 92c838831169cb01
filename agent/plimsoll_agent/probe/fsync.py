"""How often a second can a database commit here: alone, beside a flood of buffered writes, with several writers?

Each commit is what a log-writing database does: append 4 KiB, fdatasync, and only then go on. Dirty pages of others and
other writers stand in its way in the file system's journal and in the disk's queue, which no average shows.
"""

from __future__ import annotations

import os
import threading
import time

from ..core.r40 import bucket_of, percentile_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

RECORD = 4096
WRITERS = 4
CHUNK = 1 << 20


class Committer(threading.Thread):
    """One log, one commit after the other."""

    def __init__(self, path: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.path = path
        self.stop = stop
        self.took_s: List[float] = []
        self.error: OSError | None = None

    def run(self) -> None:
        record = os.urandom(RECORD)
        try:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                while not self.stop.is_set():
                    begin = time.monotonic()
                    os.write(fd, record)
                    os.fdatasync(fd)
                    self.took_s.append(time.monotonic() - begin)
            finally:
                os.close(fd)
                os.unlink(self.path)
        except OSError as error:
            self.error = error


class Flood(threading.Thread):
    """Buffered writes without end, over and over the same bytes of one file: what an import or a backup does."""

    def __init__(self, path: str, most_bytes: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.path = path
        self.most_bytes = most_bytes
        self.stop = stop
        self.written = 0

    def run(self) -> None:
        chunk = os.urandom(CHUNK)
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while not self.stop.is_set():
                try:
                    self.written += os.pwrite(fd, chunk, self.written % self.most_bytes)
                except OSError:
                    return  # the file system is full: that is flood enough
        finally:
            os.close(fd)
            os.unlink(self.path)


def measure(path: str, seconds: float, writers: int, flood_bytes: int) -> Dict[str, Any]:
    """Commits beside `path`, in new files that are gone afterwards. Raises OSError."""
    stop = threading.Event()
    committers = [Committer(f"{path}.log{number}", stop) for number in range(writers)]
    flood = Flood(f"{path}.flood", flood_bytes, stop) if flood_bytes else None
    if flood is not None:
        flood.start()
        stop.wait(min(2.0, seconds / 2))  # until there is something dirty to stand in the way
    begin = time.monotonic()
    for committer in committers:
        committer.start()
    stop.wait(seconds)
    stop.set()
    for committer in committers:
        committer.join()
    elapsed = time.monotonic() - begin
    if flood is not None:
        flood.join()
    for committer in committers:
        if committer.error is not None:
            raise committer.error
    return told([one.took_s for one in committers], elapsed, flood.written if flood is not None else 0)


def told(took_s: List[List[float]], elapsed: float, flooded: int) -> Dict[str, Any]:
    """The figures of one run: commits of all writers together, and of the slowest one."""
    every = [took for one in took_s for took in one]
    histogram: Dict[int, int] = {}
    for took in every:
        bucket = bucket_of(int(took * 1e6))
        histogram[bucket] = histogram.get(bucket, 0) + 1
    p99 = percentile_us(histogram, 0.99)
    return {
        "writers": len(took_s),
        "flood_mib": flooded // (1 << 20),
        "commits": len(every),
        "commits_per_s": round(len(every) / elapsed, 1) if elapsed else 0.0,
        "slowest_writer_per_s": round(min(map(len, took_s)) / elapsed, 1) if elapsed else 0.0,
        "mean_ms": round(sum(every) / len(every) * 1000, 3) if every else None,
        "p99_ms": None if p99 is None else p99 / 1000,
        "worst_ms": round(max(every) * 1000, 1) if every else None,
    }
