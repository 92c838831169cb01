"""How does one house of disks become fifty? Its rows again, copied in SQL; copy k has all its ids k × STRIDE higher."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
from django.db.models import Field, ForeignKey, Model

from sla.accounts.models import Customer
from sla.contracts.models import Assignment, Contract, ContractVersion
from sla.fleet.models import Agent, Disk, Host, Machine, Pool, PoolMembership
from sla.incidents.models import Incident, IncidentDisk, IncidentEvent
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.scoring.models import DiskNow

STRIDE = 1_000_000  # above every id of the first house
HOUR_S = 3_600
SHIFT_H = 7  # the last days of one house run so many hours apart from those of the next
WRITERS = 2
Tables = Mapping[type[Model], Mapping[str, str]]
TERM = {"term": f"s.term + k * {STRIDE}"}
# Tables of a house, with what must differ beside ids.
INVENTORY: Tables = {
    Customer: {"name": "s.name || ' ' || k"},
    Contract: {"name": "s.name || ' ' || k", "is_default": "s.is_default AND s.customer_id IS NOT NULL"},
    ContractVersion: {},
    Host: {"name": "s.name || '-' || k"},
    Pool: {"name": "s.name || '-' || k"},
    Machine: {"machine_id": "'copy-' || k || '-' || s.machine_id", "hostname": "s.hostname || '-' || k"},
    Agent: {"token_hash": "sha256(s.token_hash || k::text::bytea)"},
    Disk: {},
    PoolMembership: {},
    Assignment: {},
}
STANDING: Tables = {DiskNow: TERM}
EVENTS: Tables = {
    Incident: {"key": "s.key || '-' || k"},
    IncidentDisk: {},
    IncidentEvent: {},
    NeighbourWindow: {},
    WindowDisk: {},
}
OURS = {*INVENTORY, *STANDING, *EVENTS}


def clear(cursor: "psycopg.Cursor[Any]", tables: Tables) -> None:
    """Away with the copies' rows, and with what detection has found in them: its ids are low, its pools are theirs."""
    for model in reversed(tables):
        ours = [field.column for field in model._meta.concrete_fields if field.column and _shift(field)]
        theirs = " OR ".join(f'"{column}" >= {STRIDE}' for column in ours)
        cursor.execute(f"DELETE FROM {model._meta.db_table} WHERE {theirs}")  # noqa: S608


def copy_tables(cursor: "psycopg.Cursor[Any]", tables: Tables, houses: int) -> None:
    """The first house's rows for houses 1 to `houses` − 1, in place of what they had."""
    clear(cursor, tables)
    for model, changed in tables.items():
        names, values = _lists(model, changed)
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({names}) SELECT {values} FROM {model._meta.db_table} s, "  # noqa: S608
            f"generate_series(1, {houses - 1}) AS k WHERE s.{_key(model)} < {STRIDE} ORDER BY k, s.{_key(model)}"
        )


def _key(model: type[Model]) -> str:
    return str(model._meta.pk.column)


def _lists(model: type[Model], changed: Mapping[str, str]) -> tuple[str, str]:
    """Columns, and what stands in them in copy k of a row s."""
    values = {
        f'"{field.column}"': changed.get(field.column) or f's."{field.column}"{_shift(field)}'
        for field in model._meta.concrete_fields
        if field.column
    }
    return ", ".join(values), ", ".join(values.values())


def _shift(field: "Field[Any, Any]") -> str:
    is_id = field.related_model in OURS if isinstance(field, ForeignKey) else field.primary_key
    return f" + k * {STRIDE}" if is_id else ""


class History:
    """Slots and roll-ups of the copies, in target hours from `first` on; the source's last days begin at `recent`."""

    def __init__(self, url: str, houses: int, recent: int, span_s: int) -> None:
        self.url, self.houses, self.recent, self.span_s = url, houses, recent, span_s

    def source(self, house: int, hour: int) -> int:
        """Which hour of the first house that hour of this one is a copy of, in Unix seconds."""
        if hour < self.recent:
            return hour
        return self.recent + (hour - self.recent - house * SHIFT_H * HOUR_S) % self.span_s

    def write(self, model: type[Model], hours: Sequence[int], since: int, until: int) -> int:
        """Rows of these hours that begin in [since, until); how many."""
        with ThreadPoolExecutor(WRITERS) as pool:
            return sum(pool.map(lambda hour: self._hour(model, hour, since, until), hours))

    def _hour(self, model: type[Model], hour: int, since: int, until: int) -> int:
        copies = range(1, self.houses)
        table = model._meta.db_table
        start = "s.start + moved * interval '1 second'"
        names, values = _lists(model, {**TERM, "start": start})
        with psycopg.connect(self.url) as link:
            quiet(link)
            return link.execute(
                f"INSERT INTO {table} ({names}) SELECT {values} "  # noqa: S608
                "FROM unnest(%s::int8[], %s::int8[], %s::int8[]) AS house (k, hour, moved) "
                f"JOIN {source_of(model)} s ON s.hour = house.hour "
                f"WHERE {start} >= to_timestamp(%s) AND {start} < to_timestamp(%s)",
                [
                    list(copies),
                    [self.source(k, hour) for k in copies],
                    [hour - self.source(k, hour) for k in copies],
                    since,
                    until,
                ],
            ).rowcount


def source_of(model: type[Model]) -> str:
    return f"bench_{model._meta.db_table}"


def quiet(link: "psycopg.Connection[Any]") -> None:
    """No check of each row's foreign keys, no wait for the disk: what is lost in a crash is made again."""
    link.execute("SET session_replication_role = replica")
    link.execute("SET synchronous_commit = off")
    link.execute("SET maintenance_work_mem = '1GB'")


def keep_source(link: "psycopg.Connection[Any]", model: type[Model], since: int, until: int) -> None:
    """The first house's rows of a span beside the table, by hour; Timescale would look into every chunk for each."""
    link.execute(f"DROP TABLE IF EXISTS {source_of(model)}")
    link.execute(
        f"CREATE UNLOGGED TABLE {source_of(model)} AS SELECT s.*, extract(epoch FROM date_trunc('hour', start))::int8 AS hour "  # noqa: S608, E501
        f"FROM {model._meta.db_table} s WHERE disk_id < {STRIDE} AND start >= to_timestamp({since}) "
        f"AND start < to_timestamp({until}) ORDER BY start"
    )
    link.execute(f"CREATE INDEX ON {source_of(model)} (hour)")
    link.execute(f"ANALYZE {source_of(model)}")


def key_dropped(link: "psycopg.Connection[Any]", model: type[Model]) -> str:
    """The definition of the primary key that is gone now: an index over all rows is made faster than row by row."""
    table = model._meta.db_table
    row = link.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'p'",
        [table],
    ).fetchone()
    if row is None:
        raise RuntimeError(f"{table} has no primary key: drop the database")
    link.execute(f"ALTER TABLE {table} DROP CONSTRAINT {row[0]}")
    return f"ALTER TABLE {table} ADD CONSTRAINT {row[0]} {row[1]}"


def drop_source(link: "psycopg.Connection[Any]", model: type[Model]) -> None:
    """Away with it."""
    link.execute(f"DROP TABLE {source_of(model)}")
