"""The load itself, without fio: threads that read and write one block at a time past the page cache.

Python's threads wait for each other between two calls, not in them; beyond some 10,000 I/Os a second that shows, so
fio is taken where it is installed.
"""

from __future__ import annotations

import mmap
import os
import random
import threading
import time

from ..core.r40 import bucket_of
from .limits import Limits
from .steps import Step, merged
from .target import Target


class Worker(threading.Thread):
    """One I/O in flight after the other, until told to stop."""

    def __init__(self, target: Target, limits: Limits, concurrency: int, stop: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        flags = (os.O_RDWR if limits.write_ratio else os.O_RDONLY) | os.O_DIRECT | os.O_CLOEXEC
        self.fd = os.open(target.path, flags)
        self.blocks = target.size // limits.block_bytes
        self.limits = limits
        self.concurrency = concurrency
        self.stop = stop
        self.chance = random.Random(seed)  # noqa: S311 - places on a disk, not secrets
        self.histogram: dict[int, int] = {}
        self.sum_us = 0.0
        self.error: OSError | None = None

    def run(self) -> None:
        # O_DIRECT wants an aligned buffer: a page of anonymous memory is.
        buffer = mmap.mmap(-1, self.limits.block_bytes)
        buffer.write(os.urandom(self.limits.block_bytes))
        pause = self.concurrency / self.limits.most_iops
        clock = time.monotonic
        due = clock()
        try:
            while not self.stop.is_set():
                at = self.chance.randrange(self.blocks) * self.limits.block_bytes
                begin = clock()
                if self.chance.random() < self.limits.write_ratio:
                    os.pwritev(self.fd, [buffer], at)
                else:
                    os.preadv(self.fd, [buffer], at)
                end = clock()
                us = (end - begin) * 1e6
                self.sum_us += us
                bucket = bucket_of(int(us))
                self.histogram[bucket] = self.histogram.get(bucket, 0) + 1
                due = max(due + pause, end - pause)
                if due > end:
                    self.stop.wait(due - end)
        except OSError as error:
            self.error = error
        finally:
            os.close(self.fd)


def run(target: Target, limits: Limits, concurrency: int, seconds: float) -> Step:
    """One step. Raises OSError where the target does not take it."""
    stop = threading.Event()
    workers = [Worker(target, limits, concurrency, stop, seed) for seed in range(concurrency)]
    begin = time.monotonic()
    for worker in workers:
        worker.start()
    stop.wait(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    elapsed = time.monotonic() - begin
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return merged(concurrency, elapsed, [worker.histogram for worker in workers], [worker.sum_us for worker in workers])
