"""The recorded clusters of the PERSEUS slice, where they lie beside the checkout: disks × 5-minute slots."""

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sla.domain.neighbours.fail_slow import fail_slow
from sla.domain.neighbours.slots import Floats, Ints, PoolSlots

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "perseus"
STEP_S = 300
# There is no count of I/Os; the README of the data says how to go without.
IOS = 300


@dataclass(frozen=True, slots=True)
class Recorded:
    """One cluster: names, host and label of D disks, (S,) starts, latency and throughput (D, S)."""

    names: list[str]
    host: Ints
    label: Ints
    starts: Ints
    latency: Floats
    throughput: Floats

    @property
    def hosts(self) -> Ints:
        return np.unique(self.host)

    def slots(self, chosen: Ints) -> PoolSlots:
        """Those disks as a pool."""
        known = np.isfinite(self.latency[chosen]) & np.isfinite(self.throughput[chosen])
        ios = np.where(known, float(IOS), np.nan)
        return PoolSlots(STEP_S, self.starts, ios, self.throughput[chosen] * STEP_S, ios * self.latency[chosen] / 1000)

    @classmethod
    def read(cls, folder: Path, name: str) -> "Recorded":
        with gzip.open(folder / f"cluster-{name}.csv.gz", "rt") as file:
            rows = list(csv.DictReader(file))
        keys = sorted({(int(row["host"]), int(row["disk"])) for row in rows})
        moments = sorted({int(row["slot_utc"]) for row in rows})
        disk = {key: place for place, key in enumerate(keys)}
        slot = {moment: place for place, moment in enumerate(moments)}
        latency, throughput = np.full((2, len(keys), len(moments)), np.nan)
        label = np.zeros(len(keys), np.int64)
        for row in rows:
            place, at = disk[int(row["host"]), int(row["disk"])], slot[int(row["slot_utc"])]
            latency[place, at] = float(row["lat_mean"] or "nan")
            throughput[place, at] = float(row["thr_mean"] or "nan")
            label[place] = int(row["fail_slow"])
        names = [f"{name}/{host}/{number}" for host, number in keys]
        return cls(names, np.array([key[0] for key in keys]), label, np.array(moments), latency, throughput)


def mcc() -> float | None:
    """Matthews correlation of our fail-slow disks with the publishers' labels, clusters A and C together, each host a
    pool of peers; None where the data is not there."""
    if not FOLDER.is_dir():
        return None
    said, labelled = [], []
    for name in ("A", "C"):
        cluster = Recorded.read(FOLDER, name)
        for host in cluster.hosts:
            chosen = np.flatnonzero(cluster.host == host)
            said += list(fail_slow(cluster.slots(chosen)).failing > 0)
            labelled += list(cluster.label[chosen] == 1)
    table = np.zeros((2, 2))
    np.add.at(table, (np.array(labelled, int), np.array(said, int)), 1)
    (true_no, false_yes), (false_no, true_yes) = table
    size = np.sqrt((true_yes + false_yes) * (true_yes + false_no) * (true_no + false_yes) * (true_no + false_no))
    return round(float((true_yes * true_no - false_yes * false_no) / size), 4) if size else 0.0
