"""What did each drive of a VM do, as its hypervisor sees it: exact, from QEMU's own latency histograms.

QEMU counts every request of a device with its time (block/accounting.c) and, once asked to, in a histogram with edges
of our choice: R40, so that every contracted threshold is an edge.
"""

from __future__ import annotations

from collections import namedtuple

from ..core.counters import SECTOR_BYTES, WRAP, Counters, difference
from ..core.r40 import EDGES_NS
from .client import Client, QmpError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Mapping

    Hists = Dict[str, Dict[int, int]]
    Names = Dict[str, tuple[str | None, str | None]]

BOUNDARIES_NS = list(EDGES_NS)
OURS, FOREIGN = "ours", "foreign"
DIRECTIONS = (("read", "rd"), ("write", "wr"))
PERIPHERAL = "/machine/peripheral/"
NS_PER_MS = 1_000_000


class Drive(namedtuple("Drive", "name path serial wwn ios bytes ns hists counters")):
    """Cumulative figures of one drive: each of ios, bytes, ns, hists by "read" and "write"; hists None: not ours.

    ios: ended requests, failed ones too, as the guest's kernel counts them. counters: the same and the rest in the
    order and units of /proc/diskstats; what QEMU does not tell (in flight) is None.
    """

    __slots__ = ()


def watch(client: Client) -> Dict[str, str]:
    """Ask for R40 histograms of every drive that has none; name -> OURS or FOREIGN (somebody else's is left alone)."""
    told = {}
    for entry in _devices(client):
        held = entry["stats"].get("rd_latency_histogram")
        if held is None:
            _ask_for_histograms(client, entry["qdev"])
        told[_name(entry)] = OURS if held is None or held["boundaries"] == BOUNDARIES_NS else FOREIGN
    return told


def read(client: Client, names: Names | None = None) -> Dict[str, Drive]:
    """Every drive's figures now, by name.

    `names`: what is remembered of serials and WWNs by path, filled here; a drive that has no histogram yet is asked
    anew, as it may be another one on the same path.
    """
    known: Names = {} if names is None else names
    found = {}
    for entry in _devices(client):
        path = entry["qdev"]
        if path not in known or "rd_latency_histogram" not in entry["stats"]:
            known[path] = _serial(client, path), _wwn(client, path)
        found[_name(entry)] = _drive(entry, *known[path])
    return found


def between(old: Drive, new: Drive) -> Drive | None:
    """What it did from one reading to the next. None: it is another drive, or its counters were reset."""
    if (old.path, old.serial) != (new.path, new.serial):
        return None
    advances = difference(old.counters, new.counters)
    ios, size, ns = ({way: after[way] - before[way] for way in after} for before, after in zip(old[4:7], new[4:7]))
    if advances is None or min(*ios.values(), *size.values(), *ns.values()) < 0:
        return None
    hists = None
    if old.hists is not None and new.hists is not None:
        hists = {way: _grown(old.hists[way], new.hists[way]) for way in new.hists}
        if any(count < 0 for hist in hists.values() for count in hist.values()):
            hists = None  # somebody has emptied them
    return new._replace(ios=ios, bytes=size, ns=ns, hists=hists, counters=advances)


def _devices(client: Client) -> list[Dict[str, Any]]:
    """Drives that a guest sees: those behind a device."""
    return [entry for entry in client.execute("query-blockstats") if entry.get("qdev")]


def _ask_for_histograms(client: Client, path: str) -> None:
    # Of flushes it would be a third as long again with every look.
    both = {"boundaries_read": BOUNDARIES_NS, "boundaries_write": BOUNDARIES_NS}
    client.execute("block-latency-histogram-set", id=path, **both)


def _drive(entry: Mapping[str, Any], serial: str | None, wwn: str | None) -> Drive:
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
        wwn,
        {way: _ended(stats, short) for way, short in DIRECTIONS},
        {way: stats[f"{short}_bytes"] for way, short in DIRECTIONS},
        {way: stats[f"{short}_total_time_ns"] for way, short in DIRECTIONS},
        hists,
        counters_of(stats),
    )


def counters_of(stats: Mapping[str, Any]) -> Counters:
    """In the order of core.counters.FIELDS: sectors, and ms that wrap as the kernel's do."""

    def ms(name: str) -> int | None:
        ns = stats.get(f"{name}_total_time_ns")
        return None if ns is None else int(ns) // NS_PER_MS % WRAP

    out: list[int | None] = []
    for _, short in DIRECTIONS:
        merged = stats.get(f"{short}_merged")
        out += [_ended(stats, short), merged, int(stats[f"{short}_bytes"]) // SECTOR_BYTES, ms(short)]
    unmapped = stats.get("unmap_bytes")
    out += [None, None, None, stats.get("unmap_operations"), stats.get("unmap_merged")]
    out += [None if unmapped is None else int(unmapped) // SECTOR_BYTES, ms("unmap")]
    out += [stats.get("flush_operations"), ms("flush")]
    return tuple(out)


def _ended(stats: Mapping[str, Any], short: str) -> int:
    return int(stats[f"{short}_operations"]) + int(stats.get(f"failed_{short}_operations", 0))


def _name(entry: Mapping[str, Any]) -> str:
    """The id its operator gave it; QEMU's own path of a device without one."""
    path = str(entry["qdev"])
    if path.startswith(PERIPHERAL):
        return path[len(PERIPHERAL) :].split("/", maxsplit=1)[0]
    return entry.get("device") or path


def _serial(client: Client, path: str) -> str | None:
    """The serial that the guest sees on this drive: what maps it to the guest's disk."""
    try:
        return client.execute("qom-get", path=path, property="serial") or None
    except QmpError:
        return None  # a device without serials, such as a floppy drive


def _wwn(client: Client, path: str) -> str | None:
    """The WWN as a Linux guest words it; only SCSI and IDE disks have one."""
    try:
        number = client.execute("qom-get", path=path, property="wwn")
    except QmpError:
        return None
    return f"naa.{number:016x}" if isinstance(number, int) and number else None


def _grown(old: Mapping[int, int], new: Mapping[int, int]) -> Dict[int, int]:
    buckets = {*old, *new}
    return {at: new.get(at, 0) - old.get(at, 0) for at in buckets if new.get(at, 0) != old.get(at, 0)}
