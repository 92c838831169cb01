"""What does an inventory file say? Which disk lies in which pool, which machine runs on which host, and since when."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

COLUMNS = ("machine", "disk", "pool", "host", "since")
# A fleet of ten thousand disks is a file of half a megabyte.
MOST_BYTES, MOST_ROWS = 2 * 2**20, 20_000
LONGEST = {"machine": 255, "disk": 200, "pool": 100, "host": 200, "since": 40}


@dataclass(frozen=True, slots=True)
class Row:
    """A line. `disk` "": all of the machine; `pool`, `host` "": not said, stays as it is; `since` None: from now on."""

    line: int
    machine: str
    disk: str
    pool: str
    host: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A line that says nothing usable, and why."""

    line: int
    message: str


def read_inventory(text: str) -> tuple[list[Row], list[Wrong]]:
    """The rows and what is wrong, by line; a wrong line does not stop the others."""
    if len(text.encode()) > MOST_BYTES:
        return [], [Wrong(0, f"the file has {len(text.encode())} bytes, at most {MOST_BYTES}: import it in parts")]
    text = text.removeprefix("\ufeff").replace("\0", "")
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter=";" if first.count(";") > first.count(",") else ",")
    try:
        lines = list(reader)
    except csv.Error as error:
        return [], [Wrong(reader.line_num, f"this is no CSV: {error}")]
    if not lines:
        return [], [Wrong(0, f"the file is empty: its first line names columns of {', '.join(COLUMNS)}")]
    if len(lines) > MOST_ROWS + 1:
        return [], [Wrong(0, f"{len(lines) - 1} rows, at most {MOST_ROWS}: import it in parts")]
    names = [name.strip().lower() for name in lines[0]]
    if wrong := _heading(names):
        return [], [Wrong(1, wrong)]
    rows, errors = [], []
    for number, cells in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        said = _row(number, names, cells)
        if isinstance(said, Row):
            rows.append(said)
        else:
            errors.append(said)
    return rows, errors


def _heading(names: Sequence[str]) -> str:
    if unknown := [name for name in names if name not in COLUMNS]:
        return f"there is no column {unknown[0]!r}: there is {', '.join(COLUMNS)}"
    if "machine" not in names:
        return "the column machine is missing: hostname or machine id"
    if not {"pool", "host"} & set(names):
        return "there is neither a column pool nor a column host: nothing to import"
    return f"{next(n for n in names if names.count(n) > 1)!r} is there twice" if len(set(names)) < len(names) else ""


def _row(number: int, names: Sequence[str], cells: Sequence[str]) -> Row | Wrong:
    if len(cells) != len(names):
        return Wrong(number, f"{len(cells)} cells where the first line names {len(names)} columns")
    said = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    for name, value in said.items():
        if len(value) > LONGEST[name]:
            return Wrong(number, f"{name} has {len(value)} characters, at most {LONGEST[name]}")
    if not said["machine"]:
        return Wrong(number, "machine is empty: hostname or machine id")
    if not said.get("pool") and not said.get("host"):
        return Wrong(number, "neither pool nor host is said")
    since = said.get("since", "")
    try:
        moment = datetime.fromisoformat(since) if since else None
    except ValueError:
        return Wrong(number, f"{since!r} is no moment: write it like 2026-11-21T12:00Z")
    if moment is not None and moment.tzinfo is None:
        return Wrong(number, f"{since!r} names no zone: write it like 2026-11-21T12:00Z")
    at = moment.astimezone(UTC) if moment else None
    return Row(number, said["machine"], said.get("disk", ""), said.get("pool", ""), said.get("host", ""), at)
