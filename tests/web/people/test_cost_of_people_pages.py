"""People's pages ask the database at most fifteen times, however many people there are."""

from collections.abc import Callable

import pytest
from django.test import Client

from sla.accounts.models import Customer, Membership, User
from sla.accounts.services import issue_api_token, record
from tests.conftest import People
from tests.web.test_cost_of_a_page import MOST_QUERIES, queries

__all__ = ["queries"]
pytestmark = pytest.mark.django_db


def test_they_stay_cheap(people: People, client: Client, queries: Callable[[str], list[str]]) -> None:
    client.force_login(people.noc)
    paths = ["/account", "/account/tokens?all", "/customers", "/people", "/audit"]
    paths.append(f"/customers/{people.customer_a.pk}/people")
    few = {path: len(queries(path)) for path in paths}
    for number in range(20):
        user = User.objects.create_user(f"person-{number}", noc_role="viewer")
        Membership.objects.create(user=user, customer=people.customer_a)
        Membership.objects.create(user=user, customer=Customer.objects.create(name=f"Customer {number}"))
        issue_api_token(user=user, name="x", scopes=["read"])
        record(verb="made", object_label="x", actor=user, customer=people.customer_b)
    many = {path: len(queries(path)) for path in paths}
    assert many == few
    assert max(many.values()) <= MOST_QUERIES, many
