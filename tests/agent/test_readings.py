"""What is worked on once a second gives the very figures of what is worked on at once."""

import os
from pathlib import Path

import pytest

from plimsoll_agent import readings as module
from plimsoll_agent.core.terms import Term
from plimsoll_agent.kernel.blockdev import block_devices
from plimsoll_agent.readings import Readings
from plimsoll_agent.watch import Watch
from tests.agent.simulated import NS, Clock, Disk

TERM = Term(7, 15_000, 15_000, 1000, 13, 100_000, 262_144)


class Bench:
    """A disk, and readings of it that are settled when the test says so."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, together: bool) -> None:
        self.clock = Clock()
        monkeypatch.setattr(module, "time", self.clock)
        self.disk = Disk(tmp_path / "sys")
        (found,) = block_devices(str(tmp_path / "sys"), (6, 18))
        self.watch = Watch(found, "6.18.0", (TERM,))
        self.watch.prefix = b" 254       0 vda "
        self.stats = tmp_path / "diskstats"
        self.readings = Readings()
        self.fd = -1
        self.together = together
        self.write()
        self.open()

    def open(self) -> None:
        if self.together:
            self.fd = os.open(self.stats, os.O_RDONLY)
        else:
            self.watch.fd = os.open(self.disk.folder / "stat", os.O_RDONLY)
        self.readings.of([self.watch], self.fd)

    def write(self) -> None:
        self.disk.write()
        values = " ".join(map(str, self.disk.values))
        self.stats.write_text(f"   7       0 loop0 0 0\n 254       0 vda {values}\n")

    def second(self, *, at_once: bool) -> bytes | None:
        """A hundred samples with an I/O in most of them, and a slow one."""
        self.watch.begin_second()
        for turn in range(100):
            if turn % 3:
                self.disk.add(reads=turn % 5, read_ms=turn % 7, writes=turn % 2, write_ms=30 * (turn == 50))
                self.disk.values[8] = int(turn % 4 == 1)
                self.write()
            self.clock.mono += NS // 100
            self.readings.take(self.clock.mono)
            if at_once:
                self.readings.settle()
        self.readings.settle()
        return self.watch.end_second()


@pytest.mark.parametrize("together", [False, True])
def test_a_second_worked_on_at_its_end_is_the_second_worked_on_sample_by_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    rows = []
    for at_once in (True, False):
        bench = Bench(tmp_path / str(at_once), monkeypatch, together=together)
        bench.readings.take(bench.clock.mono)
        bench.readings.settle()
        rows.append([bench.second(at_once=at_once) for _ in range(3)])
    assert rows[0] == rows[1]
    assert all(row is not None and row.startswith(b"s\t") for row in rows[0])


def test_many_texts_are_worked_on_before_they_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    bench = Bench(tmp_path, monkeypatch, together=False)
    seen = set()
    for _ in range(50):
        bench.disk.add(reads=1, read_ms=1)
        bench.clock.mono += NS // 100
        bench.readings.take(bench.clock.mono)
        seen.add(bench.watch.samples)
    assert max(seen) > 30


def test_a_disk_that_does_not_answer_is_forgotten_in_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, together=False)
    bench.readings.take(bench.clock.mono)
    os.close(bench.watch.fd)
    bench.clock.mono += NS
    bench.readings.take(bench.clock.mono)
    bench.readings.settle()
    assert bench.watch.counters == ()
