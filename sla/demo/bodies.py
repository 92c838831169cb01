"""In which bytes would the server keep these simulated minutes? Frames of many disks in the stored layout, in bulk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from zlib_ng import zlib_ng

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.varint import put
from sla.domain.contract import Contract
from sla.domain.evidence import Ints
from sla.telemetry import numbers
from sla.telemetry.content import LEVEL

FRAME = ("read_ios", "write_ios", "read_sectors", "write_sectors", "read_ms", "write_ms")
FRAME += ("queue_ms", "in_flight", "in_flight_ms", "fine_ms")
BASE = ("read_ios", "read_sectors", "read_ms", "write_ios", "write_sectors", "write_ms", "in_flight", "queue_ms")
WRAP_MS = 1 << 32


@dataclass(frozen=True, slots=True)
class Raw:
    """F frames of n steps: `columns` name -> (F, n) of FRAME and the term's; `base` name -> (F,) of BASE.

    hists: bucket and count of reads and of writes, (F, K) each, buckets rising within a row.
    """

    columns: Mapping[str, Ints]
    base: Mapping[str, Ints]
    hists: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
    accounted: Sequence[bool]
    term: Sequence[int]
    contract: Sequence[Contract]


def bodies(raw: Raw) -> list[bytes]:
    """One body a frame, equal to what the agent's core would have encoded, but for its compression."""
    frames, n = raw.columns["read_ios"].shape
    listed = [(names.FRAME_COLUMNS[name], raw.columns[name]) for name in FRAME]
    listed += [(names.TERM_BASE + number, raw.columns[name]) for name, number in names.TERM_COLUMNS.items()]
    listed.sort(key=lambda one: one[0])
    figures = np.stack([values for _, values in listed], axis=1).astype("<i4").reshape(frames, -1)
    planes = np.stack([(figures >> 8 * place & 0xFF).astype(np.uint8) for place in range(4)], axis=1)
    head = bytearray()
    put(head, names.VERSION)
    put(head, n)
    list_of_columns = _column_list([number for number, _ in listed])
    out = []
    for meta, plane in zip(metas(raw, frames), planes, strict=True):
        length = bytearray()
        put(length, len(meta))
        out.append(zlib_ng.compress(b"".join((head, length, meta, list_of_columns, plane.tobytes())), LEVEL))
    return out


def _column_list(found: list[int]) -> bytes:
    out = bytearray()
    put(out, len(found))
    for number in found:
        put(out, number)
    put(out, 0)  # none that needs 64 bits
    return bytes(out)


def metas(raw: Raw, frames: int) -> list[bytes]:
    """The meta section of each frame: base, rule, its one term, histograms."""
    order = [name for name in names.BASE_FIELDS if name in BASE]
    known = sum(1 << bit for bit, name in enumerate(names.BASE_FIELDS) if name in order)
    base = np.column_stack([raw.base[name] for name in order]).tolist()
    terms = [_term(contract) for contract in raw.contract]
    hists = [_histograms(bucket, count) for bucket, count in raw.hists]
    pools = raw.base["in_flight"].tolist()
    rows = []
    for index in range(frames):
        rule = names.RULES["accounted" if raw.accounted[index] else "driver"]
        row = [known << 1 | 1, 0, *base[index], rule, 2, raw.term[index], *terms[index]]
        row += [layout_meta.WHOLE, pools[index], *hists[0][index], *hists[1][index], 0]
        rows.append(row)
    return numbers.write(rows)


def _term(contract: Contract) -> tuple[int, ...]:
    """threshold_ms, or read_ and write_threshold_ms where they differ, as the agent writes them down."""
    read, write = contract.read_threshold_us, contract.write_threshold_us
    if read == write:
        return (*_ms(read), layout_meta.ABSENT, layout_meta.ABSENT)
    return (layout_meta.NULL, *_ms(read), *_ms(write))


def _ms(us: int) -> tuple[int, int]:
    if us % 1_000 == 0:
        return layout_meta.WHOLE, us // 1_000
    return layout_meta.MILLIONTHS, us * 1_000


def _histograms(bucket: Ints, count: Ints) -> list[list[int]]:
    """Each row as number of pairs + 1, then distances and counts; cells of one bucket are one pair."""
    rows = []
    for buckets, counts in zip(np.clip(bucket, -1, 280).tolist(), count.tolist(), strict=True):
        row = [0]
        last, at = -2, -1
        for one, many in zip(buckets, counts, strict=True):
            if not many:
                continue
            if one == last:
                row[at] += many
            else:
                row += (one - last, many)
                last, at = one, len(row)
                at -= 1
        row[0] = len(row) // 2 + 1
        rows.append(row)
    return rows
