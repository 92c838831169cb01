"""Error pages: in words, without a database, with the same policy as all others."""

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from sla.web.unavailable import DatabaseAway
from tests.conftest import People


@pytest.mark.django_db
def test_a_database_that_is_away_is_a_503_that_comes_again(
    people: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object) -> None:
        raise OperationalError("connection refused")

    client.force_login(people.noc)
    monkeypatch.setattr("sla.web.fleet_page.live_part", away)
    answer = client.get("/")
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert b"does not answer" in answer.content
    assert "unsafe" not in answer["Content-Security-Policy"]


def test_the_page_for_it_asks_no_database() -> None:
    # This test may not touch one: a query would be refused.
    request = RequestFactory().get("/")
    answer = DatabaseAway(lambda request: None).process_exception(request, OperationalError("away"))
    assert answer is not None
    assert answer.status_code == 503


def test_other_errors_are_left_to_django() -> None:
    assert DatabaseAway(lambda request: None).process_exception(RequestFactory().get("/"), ValueError("x")) is None


@pytest.mark.django_db
def test_an_error_of_ours_is_a_page_too(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ValueError("odd")

    client = Client(raise_request_exception=False)
    client.force_login(people.noc)
    monkeypatch.setattr("sla.web.fleet_page.live_part", broken)
    answer = client.get("/")
    assert answer.status_code == 500
    assert b"Something broke" in answer.content
    assert b"odd" not in answer.content
