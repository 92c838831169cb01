"""What did the kernel's counters say in a recorded run, and how long did each of its I/Os really take?

The form of a run's files is described beside them (README.md of the lab folder).
"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from plimsoll_agent.core.counters import FIELDS, Counters

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading: monotonic stamps before and after it, and the counters."""

    before_ns: int
    after_ns: int
    counters: Counters


@dataclass(frozen=True, slots=True)
class Run:
    """One recorded run: samples in order; latencies in µs in the order of completion, reads and writes apart."""

    name: str
    rule: str
    samples: list[Sample]
    read_us: list[int]
    write_us: list[int]

    @property
    def scenario(self) -> str:
        """The load's short name (s01 …), the same for every disk and repetition."""
        return self.name.split("_")[1]

    def at_cadence(self, cadence_ms: int) -> list[Sample]:
        """The samples that a sampler of that cadence would have taken: the first at or after each tick."""
        step = cadence_ms * NS_PER_MS
        chosen: list[Sample] = []
        tick = self.samples[0].before_ns
        for sample in self.samples:
            # The recorder's grid is 10 ms and wakes up a little late at random: allow it a tenth of a period.
            if sample.before_ns >= tick - step // 10:
                chosen.append(sample)
                tick += step * max(1, -(-(sample.before_ns - step // 10 - tick + 1) // step))
        if chosen[-1] is not self.samples[-1]:
            chosen.append(self.samples[-1])
        return chosen


def load(folder: Path) -> list[Run]:
    """Every run of a lab folder, in order of name. Raises FileNotFoundError where there is none."""
    names = sorted(path.name.removesuffix(".samples.csv.gz") for path in folder.glob("*.samples.csv.gz"))
    if not names:
        raise FileNotFoundError(f"no *.samples.csv.gz in {folder}")
    return [_load_run(folder, name) for name in names]


def _load_run(folder: Path, name: str) -> Run:
    with gzip.open(folder / f"{name}.samples.csv.gz", "rt") as lines:
        rows = list(csv.DictReader(lines))
    columns = [f"f{place + 1}" for place in range(len(FIELDS))]
    samples = [
        Sample(
            int(row["mono_ns"]),
            int(row["mono_ns"]) + int(row["read_dur_ns"] or 0),
            tuple(int(row[column]) if row.get(column) else (0 if column in row else None) for column in columns),
        )
        for row in rows
    ]
    with gzip.open(folder / f"{name}.truth.csv.gz", "rt") as lines:
        truth = sorted((int(row["done_us"]), row["op"], int(row["lat_us"])) for row in csv.DictReader(lines))
    reads = [latency for _, op, latency in truth if op == "R"]
    writes = [latency for _, op, latency in truth if op in ("W", "F")]
    facts = json.loads((folder / f"{name}.json").read_text())
    return Run(name, rule_of(str(facts["kernel"])), samples, reads, writes)


def rule_of(kernel: str) -> str:
    """What may in_flight prove on this kernel? From 6.16 on it counts every I/O whose clock runs."""
    major, minor = (int(part) for part in kernel.split(maxsplit=1)[0].split(".")[:2])
    return "accounted" if (major, minor) >= (6, 16) else "driver"
