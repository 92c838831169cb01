"""Which slots stand in an exported file? `time,pool,disk,ios,bytes,time_ms[,queue_ms]`, one row a disk and step."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite

import numpy as np

from sla.domain.neighbours.slots import Ints, PoolSlots

NEEDED = ("time", "disk", "ios", "bytes", "time_ms")
# A month of 5,000 disks at 5 minutes is 43 million rows; what does not fit into memory is refused, not tried.
MOST_BYTES = 4 * 2**30
SHORTEST_STEP_S, LONGEST_STEP_S = 10, 3_600
# Unix seconds pass this in the year 5138: larger figures are milliseconds.
SECONDS_END = 10**11
UNKNOWN = ("", "null", "nan", "none", "na", "-")


class ExportError(ValueError):
    """The file is not what it should be; the message names line and value."""


@dataclass(frozen=True, slots=True)
class Export:
    """Pools of a file by name ("" is unknown): their disks by name, and the slots."""

    step_s: int
    pools: dict[str, tuple[list[str], PoolSlots]]


def read_export(data: bytes) -> Export:
    """A whole file, gzipped or not. Raises ExportError."""
    rows = _Rows()
    for line, row in _lines(_text(data)):
        rows.add(line, row)
    return rows.export()


def _text(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ExportError(f"the file begins like gzip but is not: {error}") from error
    if len(data) > MOST_BYTES:
        raise ExportError(f"the file has over {MOST_BYTES} bytes: give it in parts")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExportError(f"byte {error.start} is {data[error.start]:#x}: the file must be UTF-8 text") from error


def _lines(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    header = [name.strip().lower() for name in next(reader, [])]
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise ExportError(
            f"line 1: {', '.join(missing)} missing in {','.join(header)[:200]!r}; "
            "columns are time,pool,disk,ios,bytes,time_ms[,queue_ms]"
        )
    try:
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise ExportError(f"line {reader.line_num}: {len(row)} values where the header has {len(header)}")
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise ExportError(f"line {reader.line_num}: {error}") from error


class _Rows:
    """What was read so far, column by column."""

    def __init__(self) -> None:
        self.members: dict[tuple[str, str], int] = {}
        self.time: list[float] = []
        self.member: list[int] = []
        self.figures: list[tuple[float, float, float]] = []
        self.lines: list[int] = []

    def add(self, line: int, row: dict[str, str]) -> None:
        disk = row["disk"].strip()
        if not disk:
            raise ExportError(f"line {line}: disk is empty")
        pool = (row.get("pool") or "").strip()
        key = ("" if pool.lower() in UNKNOWN else pool, disk)
        self.member.append(self.members.setdefault(key, len(self.members)))
        self.time.append(_moment(line, row["time"]))
        self.figures.append(
            (
                _count(line, "ios", row["ios"]),
                _count(line, "bytes", row["bytes"]),
                _count(line, "time_ms", row["time_ms"]),
            )
        )
        self.lines.append(line)

    def export(self) -> Export:
        if not self.time:
            raise ExportError("line 2: there is no row after the header")
        member, time = np.array(self.member), np.array(self.time)
        self._refuse_doubles(member, time)
        step = _step(member, time)
        slot = np.floor(time / step).astype(np.int64)
        names = list(self.members)
        pools: dict[str, tuple[list[str], PoolSlots]] = {}
        figures = np.array(self.figures)
        for pool in sorted({name for name, _ in names}):
            mine = [place for place, (name, _) in enumerate(names) if name == pool]
            rows = np.isin(member, mine)
            pools[pool] = (
                [names[place][1] for place in mine],
                _table(step, np.searchsorted(mine, member[rows]), len(mine), slot[rows], figures[rows]),
            )
        return Export(step, pools)

    def _refuse_doubles(self, member: Ints, time: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> None:
        order = np.lexsort((time, member))
        same = (np.diff(member[order]) == 0) & (np.diff(time[order]) == 0)
        if same.any():
            place = int(order[int(np.argmax(same)) + 1])
            name = list(self.members)[self.member[place]][1]
            raise ExportError(f"line {self.lines[place]}: {name!r} has time {self.time[place]:.0f} a second time")


def _table(
    step: int, disk: Ints, disks: int, slot: Ints, figures: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
) -> PoolSlots:
    moments, place = np.unique(slot, return_inverse=True)
    table = np.full((3, disks, len(moments)), np.nan)
    table[:, disk, place] = figures.T
    return PoolSlots(step, moments * step, table[0], table[1], table[2])


def _step(member: Ints, time: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> int:
    """The most frequent distance between two rows of a disk, in whole seconds."""
    order = np.lexsort((time, member))
    apart = np.diff(time[order])[np.diff(member[order]) == 0]
    if not len(apart):
        raise ExportError("no disk has two rows: the step cannot be inferred")
    values, counts = np.unique(np.round(apart).astype(np.int64), return_counts=True)
    step = int(values[np.argmax(counts)])
    # Clocks that are a second off: 59 and 61 mean a minute.
    step = next((round_one for round_one in (60, 300) if abs(step - round_one) <= round_one // 20), step)
    if not SHORTEST_STEP_S <= step <= LONGEST_STEP_S:
        raise ExportError(
            f"rows of a disk are {step} s apart: the step must be {SHORTEST_STEP_S} to {LONGEST_STEP_S} s"
        )
    return step


def _moment(line: int, text: str) -> float:
    """Unix seconds from seconds, milliseconds or ISO 8601 (UTC where it names no zone)."""
    text = text.strip()
    try:
        value = float(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise ExportError(f"line {line}: time is {text[:40]!r}: neither Unix seconds nor ISO 8601") from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not (isfinite(value) and value >= 0):
        raise ExportError(f"line {line}: time is {text[:40]!r}: it must be Unix seconds")
    return value / 1000 if value >= SECONDS_END else value


def _count(line: int, name: str, text: str) -> float:
    """A figure that is not negative; NaN where it is unknown."""
    text = text.strip()
    if text.lower() in UNKNOWN:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        raise ExportError(f"line {line}: {name} is {text[:40]!r}: it must be a number") from None
    if not isfinite(value) or value < 0:
        raise ExportError(f"line {line}: {name} is {text[:40]!r}: it must be 0 or more")
    return value
