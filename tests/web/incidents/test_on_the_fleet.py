"""What the fleet's page tells of incidents."""

import pytest
from django.test import Client

from sla.incidents import evaluate
from sla.incidents.models import Incident
from sla.incidents.services import acknowledge
from tests.conftest import People
from tests.incidents.conftest import nobody_listens
from tests.web.fleet import FLEET, build

__all__ = ["nobody_listens"]
pytestmark = pytest.mark.django_db


def test_the_fleet_leads_to_what_is_wrong_and_tells_each_trouble_once(client: Client, people: People) -> None:
    build(20, [part for part in FLEET if part.machine in ("db-3", "erp-1")])
    evaluate.evaluate_due()
    incident = Incident.objects.get()
    client.force_login(people.noc)
    page = client.get("/").content.decode()
    assert 'href="/incidents">1 incident</a>' in page
    assert f'href="{incident.get_absolute_url()}">Opened: db-3 / vdb is slow</a>' in page
    assert "most requests slow" not in page
    acknowledge(incident=incident, actor=people.noc)
    page = client.get("/").content.decode()
    assert "Acknowledged: db-3 / vdb is slow" in page
    assert "Opened: db-3" not in page


def test_others_are_told_nothing_of_it(client: Client, people: People) -> None:
    build(20, [part for part in FLEET if part.machine in ("db-3", "k8s-9")])
    evaluate.evaluate_due()
    client.force_login(people.b)
    assert "db-3" not in client.get("/").content.decode()
    assert '/incidents">' not in client.get("/").content.decode().replace('data-place="incidents"', "")
