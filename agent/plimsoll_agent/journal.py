"""The seconds that are not in a frame yet: one growing text file a frame, made so that kill -9 loses a second at most.

The sampler appends a line each second with one plain write; renaming the file from .open to .cut ends the frame. The
uplink child turns .cut files into frames, and a sampler that starts renames what its predecessor left behind.

    plimsoll-journal 1
    disk     device  serial  wwn  vantage  rule
    start    unix second
    base     17 counters at the start, - where the kernel has no such field
    term     the seven figures of a term, pool at the start
    machine  the figures of kernel/machine.py, at the start and at the cut, unless it is another machine's disk
    s        17 advances, in_flight_ms or -, fine_ms, ten counts for each term, two histograms as bucket:count,...
    i        fine_ms: a second in which nothing moved and nothing was in flight
    source   before the cut: where else the figures come from than the counters alone
Fields are separated by tabs; a last line without its newline was torn by a crash and does not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from .core.counters import Counters
from .core.terms import Term
from .kernel.files import list_names, read_all
from .kernel.machine import Machine

HEADER = b"plimsoll-journal\t1\n"
OPEN, CUT = ".open", ".cut"
PER_TERM = 10
# Ten hours of one disk's minutes in memory (about 10 KB each) when the child can do nothing: then the oldest go.
MOST_FILES = 600
UNKNOWN = "-"


class JournalError(ValueError):
    """A file that is not a journal; the message says where it goes wrong."""


class Journal:
    """The open journal of one disk, on the writing side."""

    __slots__ = ("fd", "path", "rows", "start")

    def __init__(self, folder: str, start: int, head: bytes, device: str) -> None:
        self.path = f"{folder}/{start}-{device.replace('/', '!')}"
        self.start = start
        self.rows = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        self.fd = os.open(self.path + OPEN, flags, 0o600)
        os.write(self.fd, head)

    def append(self, row: bytes) -> None:
        """One finished second, with its newline."""
        os.write(self.fd, row)
        self.rows += 1

    def cut(self, machine: Machine | None, source: str = "diskstats") -> bool:
        """End the frame. False where it holds no second: then nothing is left behind."""
        try:
            if self.rows and source != "diskstats":
                os.write(self.fd, f"source\t{source}\n".encode())
            if self.rows and machine is not None:
                os.write(self.fd, machine_line(machine))
        finally:
            os.close(self.fd)
        if not self.rows:
            os.unlink(self.path + OPEN)
            return False
        os.rename(self.path + OPEN, self.path + CUT)
        return True


def head(
    device: str,
    serial: str | None,
    wwn: str | None,
    vantage: str,
    rule: str,
    start: int,
    base: Counters,
    terms: Iterable[tuple[Term, int]],
    machine: Machine | None,
) -> bytes:
    """Everything about a frame that is known when it begins; `terms` with the pool of semantics §4 at that moment."""
    lines = [
        "disk\t" + "\t".join(_plain(text) for text in (device, serial or "", wwn or "", vantage, rule)),
        f"start\t{start}",
        "base\t" + _join(base),
    ]
    lines += [f"term\t{_join(term)}\t{pool}" for term, pool in terms]
    looked = b"" if machine is None else machine_line(machine)
    return HEADER + "\n".join(lines).encode() + b"\n" + looked


def machine_line(machine: Machine) -> bytes:
    """One look at the machine."""
    return b"machine\t" + _join([getattr(machine, name) for name in Machine.__slots__]).encode() + b"\n"


def second_line(
    advances: Sequence[int | None],
    in_flight_ms: int | None,
    fine_ms: int,
    counts: Iterable[Sequence[int]],
    histograms: tuple[Mapping[int, int], Mapping[int, int]],
) -> bytes:
    """One second in which something happened."""
    fields = [_join([*advances, in_flight_ms]), str(fine_ms)]
    fields += ["\t".join(map(str, term)) for term in counts]
    fields += [",".join(f"{bucket}:{count}" for bucket, count in half.items()) for half in histograms]
    return ("s\t" + "\t".join(fields) + "\n").encode()


def idle_line(fine_ms: int) -> bytes:
    """One second in which nothing did."""
    return b"i\t%d\n" % fine_ms


def cut_left_behind(folder: str) -> int:
    """End the journals of a sampler that was killed. Answers how many."""
    count = 0
    for name in list_names(folder):
        if name.endswith(OPEN):
            os.rename(f"{folder}/{name}", f"{folder}/{name[: -len(OPEN)]}{CUT}")
            count += 1
    return count


def waiting(folder: str) -> list[str]:
    """Paths of the journals to be made into frames, oldest first."""
    return [f"{folder}/{name}" for name in list_names(folder) if name.endswith(CUT)]


def bound(folder: str) -> int:
    """Drop the oldest of too many. Answers how many were dropped."""
    spare = waiting(folder)[:-MOST_FILES]
    for path in spare:
        os.unlink(path)
    return len(spare)


class Contents:
    """A journal as read back. Rows are (advances, in_flight_ms, fine_ms, counts a term, read and write histogram)."""

    __slots__ = ("base", "device", "machines", "rows", "rule", "serial", "source", "start", "terms", "vantage", "wwn")

    def __init__(self) -> None:
        self.device = ""
        self.serial: str | None = None
        self.wwn: str | None = None
        self.vantage = ""
        self.rule = ""
        self.source = "diskstats"
        self.start = -1
        self.base: Counters = ()
        self.terms: list[tuple[Term, int]] = []
        self.machines: list[Machine] = []
        self.rows: list[tuple[Counters, int | None, int, list[tuple[int, ...]], dict[int, int], dict[int, int]]] = []

    @property
    def begun(self) -> bool:
        """Is the head whole, as far as a frame needs it?"""
        return bool(self.device) and self.start >= 0 and len(self.base) == 17


def read(path: str) -> Contents:
    """What a journal holds, up to the last whole line. Raises JournalError where even its head is not whole."""
    raw = read_all(path)
    if raw is None or not raw.startswith(HEADER):
        raise JournalError(f"{path} does not begin as a journal: {(raw or b'')[:40]!r}")
    contents = Contents()
    for line in raw.split(b"\n")[1:-1]:
        try:
            _take(contents, line.decode().split("\t"))
        except (ValueError, IndexError, TypeError) as error:
            if contents.begun:
                break  # written over by a crash from here on: the seconds before it are whole
            raise JournalError(f"{path}: {error} in {line[:80]!r}") from error
    if not contents.begun:
        raise JournalError(f"{path} has no whole head")
    return contents


def _take(contents: Contents, fields: list[str]) -> None:
    kind = fields[0]
    if kind == "s":
        contents.rows.append(_second(contents, fields))
    elif kind == "i":
        # Nothing moved: a field the kernel has advanced by 0, one it lacks stays unknown.
        still = tuple(None if value is None else 0 for value in contents.base)
        none = [(0,) * PER_TERM] * len(contents.terms)
        contents.rows.append((still, 0, int(fields[1]), none, {}, {}))
    elif kind == "disk":
        contents.device, serial, wwn, contents.vantage, contents.rule = fields[1:6]
        contents.serial, contents.wwn = serial or None, wwn or None
    elif kind == "start":
        contents.start = int(fields[1])
    elif kind == "base":
        contents.base = _values(fields[1:18])
    elif kind == "source":
        contents.source = fields[1]
    elif kind == "term":
        *figures, pool = map(int, fields[1:])
        contents.terms.append((Term(*figures), pool))
    elif kind == "machine":
        cpu, steal, iowait, some, full, dirty, blocked = _values(fields[1:8])
        contents.machines.append(Machine(cpu, steal, iowait, some, full, dirty, blocked, int(fields[8])))
    else:
        raise JournalError(f"unknown line {kind!r}")


def _second(
    contents: Contents, fields: list[str]
) -> tuple[Counters, int | None, int, list[tuple[int, ...]], dict[int, int], dict[int, int]]:
    wanted = 1 + 17 + 2 + PER_TERM * len(contents.terms) + 2
    if len(fields) != wanted:
        raise JournalError(f"{len(fields)} fields, not {wanted}")
    counts = [tuple(map(int, fields[at : at + PER_TERM])) for at in range(20, wanted - 2, PER_TERM)]
    read_hist, write_hist = (_histogram(text) for text in fields[-2:])
    *advances, in_flight_ms = _values(fields[1:19])
    return tuple(advances), in_flight_ms, int(fields[19]), counts, read_hist, write_hist


def _histogram(text: str) -> dict[int, int]:
    pairs = (entry.split(":") for entry in text.split(",") if entry)
    return {int(bucket): int(count) for bucket, count in pairs}


def _values(fields: Sequence[str]) -> Counters:
    return tuple(None if field == UNKNOWN else int(field) for field in fields)


def _join(values: Iterable[int | None]) -> str:
    return "\t".join(UNKNOWN if value is None else str(value) for value in values)


def _plain(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
