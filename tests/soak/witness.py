"""What does the kernel itself count? A reader of /proc/diskstats that shares nothing with the product.

Each reading lies between two stamps of the wall clock, so that a count at a moment is bracketed and never guessed.
"""

import os
import subprocess
import sys
import threading
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from tests.soak import children

EVERY_S = 0.01
NS = 1_000_000_000


def ios_of(text: bytes) -> dict[str, int]:
    """Reads and writes completed, by device."""
    counts = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 14:
            counts[words[2].decode()] = int(words[3]) + int(words[7])
    return counts


@dataclass
class Record:
    """Readings of one device: taken after `before[i]`, done by `after[i]` (ns), `ios[i]` I/Os so far."""

    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    ios: list[int] = field(default_factory=list)

    def add(self, before: int, after: int, ios: int) -> None:
        self.before.append(before)
        self.after.append(after)
        self.ios.append(ios)

    def at_least(self, moment_s: float) -> int | None:
        """What had been counted by then for sure."""
        place = bisect_right(self.after, int(moment_s * NS))
        return self.ios[place - 1] if place else None

    def at_most(self, moment_s: float) -> int | None:
        """What no count taken until then can exceed."""
        place = bisect_left(self.before, int(moment_s * NS))
        return self.ios[place] if place < len(self.before) else None

    def slept(self, start_s: float, end_s: float, longer_s: float) -> bool:
        """Was this reader itself not run for so long in between? Then the machine had no time for anybody."""
        places = range(bisect_left(self.before, int(start_s * NS)), bisect_right(self.before, int(end_s * NS)))
        return any(self.before[i] - self.before[i - 1] > longer_s * NS for i in places if i)


class Witness:
    """Runs the reader and keeps what it says. `devices` are known from the start; partitions do no harm."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self._process = children.start("tests.soak.witness", stdout=subprocess.PIPE)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            before, after, *pairs = line.decode().split()
            for name, ios in zip(pairs[::2], pairs[1::2], strict=True):
                self.records.setdefault(name, Record()).add(int(before), int(after), int(ios))

    def stop(self) -> None:
        self._process.terminate()
        self._thread.join(5)
        self._process.wait()


def main() -> int:
    """One line a reading: two stamps, then name and count of every device that ever did an I/O."""
    fd = os.open("/proc/diskstats", os.O_RDONLY)
    while True:
        before = time.time_ns()
        os.lseek(fd, 0, os.SEEK_SET)
        text = b""
        while part := os.read(fd, 65536):
            text += part
        after = time.time_ns()
        pairs = " ".join(f"{name} {ios}" for name, ios in ios_of(text).items() if ios and not name.startswith("loop"))
        os.write(1, f"{before} {after} {pairs}\n".encode())
        time.sleep(EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
