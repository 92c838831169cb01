"""What does a page cost? At most fifteen queries, whatever the number of disks."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.test import Client

from sla.fleet.models import Disk
from tests.conftest import People

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15
Queries = Callable[[str], list[str]]


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch, client: Client) -> Callable[[str], list[str]]:
    """What a page asks the database: also through the cursors that Django does not count."""
    said: list[str] = []
    for kind in (psycopg.Cursor, psycopg.ClientCursor):
        execute = kind.__dict__.get("execute")
        if execute is None:
            continue

        def noted(cursor: Any, query: Any, *more: Any, _execute: Any = execute, **named: Any) -> Any:
            said.append(" ".join(str(query).split())[:150])
            return _execute(cursor, query, *more, **named)

        monkeypatch.setattr(kind, "execute", noted)

    def asked(path: str) -> list[str]:
        said.clear()
        assert client.get(path).status_code == 200, path
        return list(said)

    return asked


def test_no_page_asks_more_than_fifteen_times(
    seeded: dict[str, Disk], people: People, client: Client, queries: Queries
) -> None:
    disk = seeded["web-12/vda"].pk
    client.force_login(people.noc)
    paths = [
        "/",
        "/?state=breached&q=a",
        "/agents",
        f"/disks/{disk}/",
        f"/disks/{disk}/?range=30d",
        f"/disks/{disk}/data",
    ]
    for path in paths:
        client.get(path)  # contracts are read once a process
        asked = queries(path)
        assert len(asked) <= MOST_QUERIES, "\n".join([path, *asked])


def test_a_list_of_many_asks_no_more_than_a_list_of_few(
    seeded: dict[str, Disk], people: People, client: Client, queries: Queries
) -> None:
    counted = []
    for user in (people.a, people.noc):
        client.force_login(user)
        client.get("/")
        counted.append(len(queries("/")))
    few, many = counted
    assert many <= few + 3  # what only the NOC is shown


def test_refresh_stays_small(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    disk = seeded["web-12/vda"].pk
    sizes: dict[str, Any] = {path: len(client.get(path).content) for path in ("/", f"/disks/{disk}/data?range=6h")}
    assert {path: size for path, size in sizes.items() if size > 200_000} == {}
