"""Which rows stand behind a statement? Hours, minutes and seconds as CSV, streamed: no table is ever held whole."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg

from sla.domain.evidence import UNKNOWN, Ints
from sla.domain.slot import run_ends
from sla.domain.statement.columns import HOURS, HOURS_SUMMED, SECONDS, SLOTS
from sla.scoring import store
from sla.scoring.columns import COUNTED
from sla.scoring.period_sums import pieces
from sla.scoring.settle import Batch, judge_minutes

BLOCK = 64 * 1024
# Minutes whose frames are opened at once: two hours of seconds are some MB.
MINUTES_AT_ONCE = 120


@dataclass(frozen=True, slots=True)
class Span:
    """Disks that are told by one side over one [start, end)."""

    vantage: int
    start: int
    end: int
    disks: tuple[int, ...]


def header(columns: Sequence[str]) -> bytes:
    return (",".join(columns) + "\n").encode()


def hours_csv(cursor: "psycopg.Cursor[tuple]", spans: Iterable[Span]) -> Iterator[bytes]:
    """Every hour of these spans; where a span's edge cuts an hour, the part of it that lies inside."""
    yield header(HOURS)
    for span in spans:
        yield from _copied(cursor, f"{hours_query(span)} ORDER BY disk_id, at, term, excluded", span)


def hours_query(span: Span) -> str:
    """Rows of HOURS, as SQL with one parameter: the disks. Days are left out: hours are the grain."""
    parts = []
    for table, first, last in _hourly(span):
        where = (
            f"FROM {table} WHERE vantage = {span.vantage} AND disk_id = ANY(%s) "
            f"AND start >= to_timestamp({first}) AND start < to_timestamp({last})"
        )
        hour, names, group = "extract(epoch FROM start)::int8", f"grade, {', '.join(HOURS_SUMMED)}", ""
        if table == "scoring_slot":
            hour = f"greatest(extract(epoch FROM date_trunc('hour', start))::int8, {first})"
            names, group = ", ".join(["max(grade) AS grade", *map(_summed, HOURS_SUMMED)]), "GROUP BY 1, 2, 3, 4"
        parts.append(f"SELECT disk_id, {hour} AS at, term, excluded::int AS excluded, {names} {where} {group}")
    return " UNION ALL ".join(parts)


def _summed(name: str) -> str:
    """A column of HOURS over slots."""
    return f"count(*) FILTER (WHERE {COUNTED[name]}) AS {name}" if name in COUNTED else f"sum({name})::int8 AS {name}"


def _hourly(span: Span) -> list[tuple[str, int, int]]:
    """The span as hours and, at an edge that cuts one, minutes."""
    found: list[tuple[str, int, int]] = []
    for largest, first, last in pieces(span.start, span.end):
        table = "scoring_hour" if largest == "scoring_day" else largest
        if found and found[-1][0] == table and found[-1][2] == first:
            found[-1] = (table, found[-1][1], last)
        else:
            found.append((table, first, last))
    return found


def slots_csv(cursor: "psycopg.Cursor[tuple]", spans: Iterable[Span]) -> Iterator[bytes]:
    """Every minute of these spans."""
    given = {
        "disk": "disk_id",
        "start": "extract(epoch FROM start)::int8",
        "excluded": "excluded::int",
        "proved": "proved::int",
    }
    columns = ", ".join(given.get(name, name) for name in SLOTS)
    yield header(SLOTS)
    for span in spans:
        for disk in span.disks:
            one = Span(span.vantage, span.start, span.end, (disk,))
            yield from _copied(
                cursor,
                f"SELECT {columns} FROM scoring_slot AS s WHERE vantage = {span.vantage} AND disk_id = ANY(%s) "  # noqa: S608
                f"AND s.start >= to_timestamp({span.start}) AND s.start < to_timestamp({span.end}) ORDER BY s.start",
                one,
            )


def _copied(cursor: "psycopg.Cursor[tuple]", query: str, span: Span) -> Iterator[bytes]:
    """A query's rows as PostgreSQL itself writes them, in blocks: a row at a time would cost more than making it."""
    waiting: list[bytes] = []
    size = 0
    arguments = [list(span.disks)] * query.count("%s")
    with cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT CSV)", arguments) as rows:
        for row in rows:
            waiting.append(bytes(row))
            size += len(row)
            if size >= BLOCK:
                yield b"".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def seconds_csv(spans: Iterable[Span], minutes: dict[int, Sequence[int]] | None = None) -> Iterator[bytes]:
    """Every second whose frames are still kept; `minutes`: of these minutes of a disk only."""
    yield header(SECONDS)
    for span in spans:
        for disk in span.disks:
            every = range(span.start // 60 * 60, span.end, 60)
            wanted = every if minutes is None else [at for at in minutes.get(disk, ()) if at in every]
            for first in range(0, len(wanted), MINUTES_AT_ONCE):
                some = wanted[first : first + MINUTES_AT_ONCE]
                with store.reading() as cursor:
                    batch = judge_minutes(cursor, [(disk, span.vantage, at) for at in some], histograms=False)
                if batch is not None:
                    yield _seconds(batch)


def _seconds(batch: Batch) -> bytes:
    """The steps of a batch as lines."""
    e, steps = batch.evidence, batch.steps
    disk = np.array([one.key[0] for one in batch.judged], np.int64)[e.slot]
    minute = np.array([one.key[2] for one in batch.judged], np.int64)[e.slot]
    inside = np.arange(steps.ios.shape[1]) < e.n[:, None]
    place = np.arange(steps.ios.shape[1])[None, :]
    start = (minute + e.offset_s)[:, None] + place * e.step_s[:, None]
    pool, left = run_marks(batch)
    table = {
        "disk": np.broadcast_to(disk[:, None], start.shape),
        "start": start,
        "step_s": np.broadcast_to(e.step_s[:, None], start.shape),
        "case": steps.case,
        "covered": steps.covered,
        "pool": pool,
        "left": left,
        **{name: getattr(steps, name) for name in SECONDS if name in steps.__dataclass_fields__ and name != "case"},
    }
    # Of what nobody looked at only the moment and its word are known.
    unseen = ("ios", "covered", "excess_low", "excess_high", "slow_low", "slow", "slow_high", "lost_ms", "pool", "left")
    columns = []
    for name in SECONDS:
        values = table[name]
        if name in unseen:
            values = np.where(steps.observed, values, UNKNOWN)
        columns.append(["" if value == UNKNOWN else str(value) for value in values[inside].tolist()])
    return "".join([",".join(row) + "\n" for row in zip(*columns, strict=True)]).encode()


def run_marks(batch: Batch) -> tuple[Ints, Ints]:
    """Per step what may have been excess before a run began and what was in flight when one ended.

    `sla.domain.slot.run_ends` adds both up per frame: they stand at its first and last step that was observed.
    """
    seen = batch.steps.observed
    rows = np.arange(len(seen))
    marks = []
    for values, place in zip(
        run_ends(batch.evidence, batch.steps),
        (seen.argmax(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)),
        strict=True,
    ):
        table = np.zeros(seen.shape, np.int64)
        table[rows, place] = values
        marks.append(table)
    return marks[0], marks[1]
