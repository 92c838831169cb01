"""What does the product say it has counted? Read from outside: its API, and the rows of frames and slots."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from plimsoll_agent.core.layout import decode


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stored frame: the kernel's cumulative count at its start, what it counted in each second, how finely."""

    start: int
    base: int
    ios: list[int | None]
    fine_ms: list[int | None]

    @property
    def end(self) -> int:
        return self.start + len(self.ios)

    @property
    def total(self) -> int:
        return sum(count or 0 for count in self.ios)


@dataclass(frozen=True, slots=True)
class Minute:
    """One stored slot."""

    start: int
    ios: int
    gap_ios: int
    first_ios: int
    last_ios: int


@dataclass(frozen=True, slots=True)
class Book:
    """One disk: its frames and slots as rows, and the same through the API."""

    device: str
    stretches: list[Stretch]
    minutes: list[Minute]
    api_ios: int
    api_gap: int


class Books:
    """The twin's database and API."""

    def __init__(self, top: Path) -> None:
        env = dict(line.split("=", 1) for line in (top / "var/env").read_text().splitlines())
        first = json.loads((top / "var/first-run.json").read_text())
        self.url, self._token, self._database = first["url"], first["api_token"], env["DATABASE_URL"]

    def get(self, path: str, timeout: float = 10) -> Any:
        """An answer of the API. OSError where there is none."""
        asked = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self._token}"})  # noqa: S310
        with urllib.request.urlopen(asked, timeout=timeout) as answer:  # noqa: S310  the twin's own address
            return json.loads(answer.read())

    def parts(self) -> dict[str, str]:
        """What /readyz says of each part; empty where nobody answers."""
        try:
            return self.get("/readyz", timeout=3)
        except urllib.error.HTTPError as error:
            with error:
                return json.loads(error.read() or b"{}")
        except OSError:
            return {}

    @contextmanager
    def _rows(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self._database, autocommit=True, connect_timeout=5) as connection:
            yield connection

    def devices(self) -> dict[str, int]:
        """Disk ids by device."""
        return {item["device"]: item["id"] for item in self.get("/api/v1/disks")["items"]}

    def put_mark(self) -> int:
        """Have the newest minute scored once more; the id to look for. Proves the line: whoever settles it is alive."""
        with self._rows() as rows:
            found = rows.execute(
                """
                INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
                SELECT disk_id, vantage, date_trunc('minute', start), now() FROM telemetry_frame
                ORDER BY start DESC LIMIT 1 RETURNING id
                """
            ).fetchone()
        if found is None:
            raise LookupError("no frame is stored yet")
        return int(found[0])

    def is_settled(self, mark: int | None = None) -> bool:
        """Is this mark gone (without one: are all)?"""
        with self._rows() as rows:
            some = rows.execute(
                "SELECT EXISTS (SELECT 1 FROM telemetry_dueslot WHERE %(id)s::int8 IS NULL OR id = %(id)s)",
                {"id": mark},
            ).fetchone()
        return some is not None and not some[0]

    def frames_until(self) -> int:
        """The end of the newest frame, in Unix seconds; 0 before the first."""
        with self._rows() as rows:
            row = rows.execute(
                "SELECT coalesce(max(extract(epoch FROM start) + n * step_s), 0)::int8 FROM telemetry_frame"
            ).fetchone()
        return int(row[0]) if row else 0

    def read(self) -> list[Book]:
        """Everything, disk by disk."""
        return [self._book(device, disk) for device, disk in self.devices().items()]

    def _book(self, device: str, disk: int) -> Book:
        with self._rows() as rows:
            frames = rows.execute(
                """
                SELECT extract(epoch FROM start)::int8, n, body FROM telemetry_frame
                WHERE disk_id = %s ORDER BY start
                """,
                [disk],
            ).fetchall()
            slots = rows.execute(
                """
                SELECT extract(epoch FROM start)::int8, read_ios + write_ios, gap_ios, first_ios, last_ios
                FROM scoring_slot WHERE disk_id = %s ORDER BY start
                """,
                [disk],
            ).fetchall()
        now = int(time.time()) + 60
        items = self.get(f"/api/v1/disks/{disk}/slots?from={now - 86400}&to={now}")["items"]
        scores = {time.strftime("%Y-%m", time.gmtime(start)) for start, *_ in slots}
        gap = sum(self.get(f"/api/v1/disks/{disk}/score?period={month}")["gap"]["ios"] for month in scores)
        return Book(
            device,
            [stretch(int(start), n, bytes(body)) for start, n, body in frames],
            [Minute(*map(int, slot)) for slot in slots],
            sum(item["ios"] for item in items),
            gap,
        )


def stretch(start: int, n: int, body: bytes) -> Stretch:
    """A stored frame, read by the reference reader."""
    frame = decode(body, n)
    base = frame["base"]
    both = [
        None if r is None or w is None else r + w for r, w in zip(frame["read_ios"], frame["write_ios"], strict=True)
    ]
    return Stretch(start, base["read_ios"] + base["write_ios"], both, frame.get("fine_ms") or [None] * n)
