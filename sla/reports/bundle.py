"""What does a dispute need? One ZIP with all that a statement rests on, made while it is sent: never held whole."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from typing import Any

import psycopg
from django.utils import timezone

from sla.reports import bundle_texts, keys, pieces
from sla.reports.envelope import manifest_json, statement_json
from sla.reports.evidence import Span, seconds_csv, slots_csv
from sla.reports.models import Statement
from sla.reports.printing import PDF_FILE, pdf_of
from sla.reports.services import HOURS_FILE
from sla.scoring import store

VERIFIER = Path(__file__).with_name("plimsoll_verify.py")
FORMAT = "plimsoll-evidence/1"
# Seconds of the minutes that cost most, a disk: enough for every bad hour of a month, and opened within seconds.
MINUTES_A_DISK = 720
MINUTES_OF_ONE = 7 * 1_440
# What tells that minutes are those that were stated.
COMPARED = (
    "observed_s",
    "ios",
    "eligible_low",
    "eligible",
    "eligible_high",
    "slow_low",
    "slow",
    "slow_high",
    "lost_ms",
)
LEVEL = 4  # of deflate: a third of the time of the usual level, a tenth larger


class Stream(RawIOBase):
    """Where the archive is written: what has come since the last look is taken away."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting += data
        return len(data)

    def taken(self) -> bytes:
        data = bytes(self.waiting)
        self.waiting.clear()
        return data


def spans_of(document: dict[str, Any], disk: int | None = None) -> list[Span]:
    """The spans of a stated month, in the order of its hours; of one disk only, or of all."""
    vantages = {one["term"]: 2 if one["vantage"] == "host" else 1 for one in document["contracts"]}
    groups: dict[tuple[int, int, int], set[int]] = {}
    for one in document["disks"]:
        if disk is None or one["id"] == disk:
            group = (vantages.get(one["term"], 1), one["span"]["start"], one["span"]["end"])
            groups.setdefault(group, set()).add(one["id"])
    return [Span(*group, tuple(sorted(groups[group]))) for group in sorted(groups)]


def bundle(statement: Statement, disk: int | None = None) -> Iterator[bytes]:
    """The archive, piece by piece; `disk`: minutes and seconds of this disk only, but more of its seconds."""
    key, private = keys.signer()
    document, listed = statement.document, []
    spans = minutes_kept(statement, disk)
    held = sorted({one for span in spans for one in span.disks})
    sink = Stream()
    at = statement.frozen_at.astimezone(UTC)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:  # type: ignore[arg-type]
        for name, blocks in _files(statement, document, spans, MINUTES_A_DISK if disk is None else MINUTES_OF_ONE):
            digest, size, rows = hashlib.sha256(), 0, 0
            with archive.open(_entry(name, at), "w", force_zip64=True) as out:
                for block in blocks:
                    digest.update(block)
                    size, rows = size + len(block), rows + block.count(b"\n")
                    out.write(block)
                    yield sink.taken()
            listed.append({"name": name, "sha256": digest.hexdigest(), "bytes": size, "rows": rows})
        manifest = {
            "format": FORMAT,
            "statement": {"number": statement.number, "digest": statement.digest},
            "made_at": int(timezone.now().timestamp()),
            "disks": held,
            "files": listed,
        }
        archive.writestr(_entry("evidence.json", at), manifest_json(manifest, key, private))
    yield sink.taken()


def _entry(name: str, at: datetime) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, at.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _files(
    statement: Statement, document: dict[str, Any], spans: list[Span], most: int
) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield "README.txt", [bundle_texts.readme(statement, document, {one for span in spans for one in span.disks})]
    yield "statement.json", [statement_json(statement)]
    yield PDF_FILE, [pdf_of(statement)]
    yield "contract.txt", [bundle_texts.contracts(document)]
    yield "exclusions.csv", [bundle_texts.exclusions(document)]
    yield HOURS_FILE, pieces.read(statement, HOURS_FILE)
    if spans:
        yield "slots.csv", slots_of(spans)
        yield "seconds.csv", seconds_csv(spans, costly_minutes(spans, most))
    yield "public-key.pem", [keys.pem(statement.key)]
    yield "plimsoll-verify.py", [VERIFIER.read_bytes()]


def minutes_kept(statement: Statement, disk: int | None = None) -> list[Span]:
    """The spans whose stored minutes are all there and still say what was stated.

    Minutes are kept for a year or so; they may be scored again after later frames, and then belong to a correction.
    """
    document = statement.document
    told: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for one in document["disks"]:
        sums = [tuple(part[name] for name in COMPARED) for part in one["sums"]]
        told[one["id"], one["span"]["start"], one["span"]["end"]] = tuple(map(sum, zip(*sums, strict=True)))
    kept = []
    with store.reading() as cursor:
        for span in spans_of(document, disk):
            stored = _stored(cursor, span)
            same = [one for one in span.disks if told[one, span.start, span.end] == stored.get(one, ())]
            if same := [one for one in same if one in stored]:
                kept.append(Span(span.vantage, span.start, span.end, tuple(same)))
    return kept


def _stored(cursor: "psycopg.Cursor[tuple]", span: Span) -> dict[int, tuple[int, ...]]:
    """Per disk the sums of its minutes as they are now."""
    sums = ", ".join("sum(read_ios + write_ios)::int8" if name == "ios" else f"sum({name})::int8" for name in COMPARED)
    rows = cursor.execute(
        f"SELECT disk_id, {sums} FROM scoring_slot WHERE disk_id = ANY(%s) AND vantage = {span.vantage} "  # noqa: S608
        f"AND start >= to_timestamp({span.start}) AND start < to_timestamp({span.end}) GROUP BY disk_id",
        [list(span.disks)],
        binary=True,
    )
    return {disk: tuple(figures) for disk, *figures in rows}


def slots_of(spans: list[Span]) -> Iterator[bytes]:
    """The minutes, on a cursor of their own."""
    with store.reading() as cursor:
        yield from slots_csv(cursor, spans)


def costly_minutes(spans: Iterable[Span], most: int) -> dict[int, list[int]]:
    """Per disk the minutes in which something was slow or lost, the worst of them if there are too many."""
    found: dict[int, list[int]] = {}
    with store.reading() as cursor:
        for span in spans:
            for disk in span.disks:
                rows = cursor.execute(
                    f"""
                    SELECT extract(epoch FROM start)::int8 FROM scoring_slot
                    WHERE disk_id = %s AND vantage = {span.vantage} AND (slow > 0 OR lost_ms > 0)
                      AND start >= to_timestamp({span.start}) AND start < to_timestamp({span.end})
                    ORDER BY slow + lost_ms DESC, start LIMIT {most}
                    """,  # noqa: S608  (only integers of ours are written into the text)
                    [disk],
                )
                found[disk] = sorted([*found.get(disk, []), *(at for (at,) in rows)])
    return found
