"""Past months lead to their signed statements, in each form."""

import pytest
from django.test import Client

from tests.conftest import People
from tests.reports.conftest import Month, month, version

__all__ = ["month", "version"]
pytestmark = pytest.mark.django_db


def test_a_stated_month_can_be_opened_and_taken_home(month: Month, people: People) -> None:
    statement = month.freeze()
    client = Client()
    client.force_login(people.a)
    page = client.get(f"/customers/{people.customer_a.pk}/").content.decode()
    for ending in (".pdf", ".csv", ".json", "/bundle.zip"):
        assert page.count(f'href="/api/v1/reports/{statement.pk}{ending}"') == 1
    assert "Genuine and in force" in client.get(f"/verify?code={statement.code}").content.decode()
    assert f'href="/verify?code={statement.code}"' in page
    assert client.get(f"/reports/{statement.pk}").status_code == 200
    assert client.get(f"/api/v1/reports/{statement.pk}.csv").status_code == 200
    other = Client()
    other.force_login(people.b)
    assert other.get(f"/api/v1/reports/{statement.pk}.csv").status_code == 404
