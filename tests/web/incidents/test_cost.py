"""What the pages of incidents cost: fifteen queries at most, however many disks are in them."""

from collections.abc import Callable

import pytest
from django.test import Client

from sla.incidents.models import Incident
from tests.conftest import People
from tests.incidents.conftest import Clock, MakeDisks, acute, clock, make_disks, nobody_listens
from tests.web.test_cost_of_a_page import MOST_QUERIES, queries

__all__ = ["clock", "make_disks", "nobody_listens", "queries"]
Queries = Callable[[str], list[str]]


def test_no_page_asks_more_than_fifteen_times(
    make_disks: MakeDisks, clock: Clock, people: People, client: Client, queries: Queries
) -> None:
    for number in range(8):
        acute(make_disks(30, pool=f"pool-{number}"), clock.on(seconds=1))
    incident = Incident.objects.all()[0]
    for who in (people.noc, people.a):
        client.force_login(who)
        paths = ["/incidents", "/incidents?state=all", incident.get_absolute_url()]
        if who == people.noc:
            paths += ["/silences", f"/silences/new?incident={incident.pk}"]
        for path in paths:
            client.get(path)  # contracts are read once a process
            asked = queries(path)
            assert len(asked) <= MOST_QUERIES, (path, asked)


def test_the_api_asks_no_more_for_many_disks(
    make_disks: MakeDisks, clock: Clock, people: People, client: Client, queries: Queries
) -> None:
    acute(make_disks(60, pool="ssd-3"), clock.now)
    client.force_login(people.noc)
    incident = Incident.objects.get()
    for path in ("/api/v1/incidents", f"/api/v1/incidents/{incident.pk}"):
        client.get(path)
        assert len(queries(path)) <= 8, path


pytestmark = pytest.mark.django_db
