"""What does a page cost? At most fifteen queries, whatever the number of disks."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sla.fleet.models import Disk
from tests.conftest import People

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15


def queries(client: Client, path: str) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        answer = client.get(path)
    assert answer.status_code == 200, path
    return [one["sql"][:150] for one in caught.captured_queries]


def test_no_page_asks_more_than_fifteen_times(seeded: dict[str, Disk], people: People, client: Client) -> None:
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
        asked = queries(client, path)
        assert len(asked) <= MOST_QUERIES, (path, asked)


def test_a_list_of_many_asks_no_more_than_a_list_of_few(
    seeded: dict[str, Disk], people: People, client: Client
) -> None:
    counted = []
    for user in (people.a, people.noc):
        client.force_login(user)
        client.get("/")
        counted.append(len(queries(client, "/")))
    few, many = counted
    assert many <= few + 3  # what only the NOC is shown


def test_refresh_stays_small(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    disk = seeded["web-12/vda"].pk
    sizes: dict[str, Any] = {path: len(client.get(path).content) for path in ("/", f"/disks/{disk}/data?range=6h")}
    assert {path: size for path, size in sizes.items() if size > 200_000} == {}
