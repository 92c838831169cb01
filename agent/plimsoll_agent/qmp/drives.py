"""What did each drive of a VM do, as its hypervisor sees it: exact, from QEMU's own latency histograms.

QEMU counts every request of a device with its time (block/accounting.c) and, once asked to, in a histogram with edges
of our choice: R40, so that every contracted threshold is an edge.
"""

from __future__ import annotations

from collections import namedtuple

from ..core.r40 import EDGES_NS
from .client import Client, QmpError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Mapping

BOUNDARIES_NS = list(EDGES_NS)
OURS, FOREIGN = "ours", "foreign"
DIRECTIONS = (("read", "rd"), ("write", "wr"))


class Drive(namedtuple("Drive", "name path serial ios bytes ns hists")):
    """Cumulative figures of one drive: each of ios, bytes, ns, hists by "read" and "write"; hists None: not ours."""

    __slots__ = ()


def watch(client: Client) -> Dict[str, str]:
    """Ask for R40 histograms of every drive that has none; name -> OURS or FOREIGN (somebody else's is left alone)."""
    told = {}
    for entry in _devices(client):
        name, path = _name(entry), entry["qdev"]
        held = entry["stats"].get("rd_latency_histogram")
        if held is None:
            client.execute("block-latency-histogram-set", id=path, boundaries=BOUNDARIES_NS)
            told[name] = OURS
        else:
            told[name] = OURS if held["boundaries"] == BOUNDARIES_NS else FOREIGN
    return told


def read(client: Client) -> Dict[str, Drive]:
    """Every drive's figures now, by name."""
    return {_name(entry): _drive(entry, _serial(client, entry["qdev"])) for entry in _devices(client)}


def between(old: Drive, new: Drive) -> Drive | None:
    """What it did from one reading to the next. None: it is another drive, or its counters were reset."""
    if (old.path, old.serial) != (new.path, new.serial) or any(new.ios[way] < old.ios[way] for way in new.ios):
        return None
    hists = None
    if old.hists is not None and new.hists is not None:
        hists = {way: _grown(old.hists[way], new.hists[way]) for way in new.hists}
        if any(count < 0 for hist in hists.values() for count in hist.values()):
            return None
    ios, size, ns = ({way: after[way] - before[way] for way in after} for before, after in zip(old[3:6], new[3:6]))
    return Drive(new.name, new.path, new.serial, ios, size, ns, hists)


def _devices(client: Client) -> list[Dict[str, Any]]:
    """Drives that a guest sees: those behind a device."""
    return [entry for entry in client.execute("query-blockstats") if entry.get("qdev")]


def _drive(entry: Mapping[str, Any], serial: str | None) -> Drive:
    stats = entry["stats"]
    hists = None
    held = stats.get("rd_latency_histogram")
    if held is not None and held["boundaries"] == BOUNDARIES_NS:
        hists = {
            way: {at - 1: count for at, count in enumerate(stats[f"{short}_latency_histogram"]["bins"]) if count}
            for way, short in DIRECTIONS
        }
    return Drive(
        _name(entry),
        entry["qdev"],
        serial,
        {way: stats[f"{short}_operations"] for way, short in DIRECTIONS},
        {way: stats[f"{short}_bytes"] for way, short in DIRECTIONS},
        {way: stats[f"{short}_total_time_ns"] for way, short in DIRECTIONS},
        hists,
    )


def _name(entry: Mapping[str, Any]) -> str:
    """The id its operator gave it; QEMU's own path of a device without one."""
    path = str(entry["qdev"])
    marker = "/machine/peripheral/"
    return path[len(marker) :].split("/", maxsplit=1)[0] if path.startswith(marker) else entry.get("device") or path


def _serial(client: Client, path: str) -> str | None:
    """The serial that the guest sees on this drive: what maps it to the guest's disk."""
    try:
        return client.execute("qom-get", path=path, property="serial") or None
    except QmpError:
        return None  # a device without serials, such as a floppy drive


def _grown(old: Mapping[int, int], new: Mapping[int, int]) -> Dict[int, int]:
    buckets = {*old, *new}
    return {at: new.get(at, 0) - old.get(at, 0) for at in buckets if new.get(at, 0) != old.get(at, 0)}
