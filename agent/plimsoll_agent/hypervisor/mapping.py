"""What the operator says of whose disk is whose: a file of lines `source,machine,disk`.

`source` is a VM's drive as vm:NAME/DRIVE, or a block device of this host: a path under /dev or the kernel's name.
`machine` is the id or the host name of the machine whose disk it is, `disk` its device, serial or WWN in there.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List

HEADING = ("source", "machine", "disk")
DRIVE = "vm:"
# A hypervisor of a thousand disks is a file of 100 KB.
MOST_LINES, MOST_BYTES, LONGEST = 4_000, 1 << 20, 200


class MappingError(ValueError):
    """A file that cannot be used; the message holds the line and its number."""


class Line(namedtuple("Line", "number source machine disk")):
    """One line; `source` as written, without /dev/ in front of a kernel's name."""

    __slots__ = ()

    @property
    def is_drive(self) -> bool:
        """Is it a VM's drive, not a block device of this host?"""
        return bool(self.source.startswith(DRIVE))


def read(text: str, name: str) -> List[Line]:
    """The lines; # begins a comment, the heading may be left out. Raises MappingError for the first wrong one."""
    if len(text) > MOST_BYTES or text.count("\n") > MOST_LINES:
        raise MappingError(f"{name}: at most {MOST_LINES} lines of {MOST_BYTES >> 20} MiB together")
    lines: List[Line] = []
    sources: Dict[str, int] = {}
    disks: Dict[tuple[str, str], int] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        plain = raw.partition("#")[0].strip()
        if not plain:
            continue
        cells = tuple(cell.strip() for cell in plain.split(","))
        if not lines and tuple(cell.lower() for cell in cells) == HEADING:
            continue
        line = _line(number, cells, f"{name}:{number}: ", raw.strip())
        if (earlier := sources.setdefault(line.source, number)) != number:
            raise MappingError(f"{name}:{number}: {line.source} is mapped by line {earlier} already: {raw.strip()!r}")
        if (earlier := disks.setdefault((line.machine, line.disk), number)) != number:
            raise MappingError(
                f"{name}:{number}: line {earlier} leads to {line.disk} of {line.machine} already: {raw.strip()!r}"
            )
        lines.append(line)
    return lines


def _line(number: int, cells: tuple[str, ...], where: str, raw: str) -> Line:
    if len(cells) != len(HEADING):
        raise MappingError(f"{where}{len(cells)} cells, not {len(HEADING)} ({', '.join(HEADING)}): {raw!r}")
    if not all(cells):
        raise MappingError(f"{where}the {HEADING[cells.index('')]} is empty: {raw!r}")
    if max(map(len, cells)) > LONGEST:
        raise MappingError(f"{where}a cell is longer than {LONGEST} characters: {raw[:80]!r}")
    source, machine, disk = cells
    if source.startswith(DRIVE):
        vm, slash, drive = source[len(DRIVE) :].rpartition("/")
        if not (vm and slash and drive):
            raise MappingError(f"{where}a VM's drive is written {DRIVE}NAME/DRIVE: {raw!r}")
    elif source.startswith("/") and not source.startswith("/dev/"):
        raise MappingError(f"{where}a block device is a path under /dev or the kernel's name for it: {raw!r}")
    return Line(number, source, machine, disk)
