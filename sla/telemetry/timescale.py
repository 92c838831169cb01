"""What is special about TimescaleDB? The one module that knows: hypertables, compression where the edition has it,
dropping old chunks. Everything else sees ordinary tables."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import connection
from django.db.migrations import RunSQL

SQL_DIR = Path(__file__).parent / "sql"


def run_sql(name: str, directory: Path = SQL_DIR) -> RunSQL:
    """A migration step from NAME.up.sql with its reverse NAME.down.sql."""
    return RunSQL(
        sql=(directory / f"{name}.up.sql").read_text(), reverse_sql=(directory / f"{name}.down.sql").read_text()
    )


def edition() -> str:
    """'apache' (Debian) or 'timescale' (the community edition of the official image)."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW timescaledb.license")
        return str(cursor.fetchone()[0])


@dataclass(frozen=True, slots=True)
class Chunks:
    """What a hypertable holds on disk."""

    chunks: int
    total_bytes: int


def size(table: str) -> Chunks:
    """Chunks and bytes (heap, indexes and TOAST) of a hypertable."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM show_chunks(%s::regclass)), hypertable_size(%s::regclass)", [table, table]
        )
        chunks, total = cursor.fetchone()
    return Chunks(chunks, total)


def drop_before(table: str, before: datetime) -> int:
    """Drop the chunks that lie wholly before the moment; how many went."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM drop_chunks(%s::regclass, older_than => %s::timestamptz)", [table, before])
        return int(cursor.fetchone()[0])
