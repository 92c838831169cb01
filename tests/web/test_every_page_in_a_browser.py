"""Each page that the URL table knows, in real Chromium: a silent console, no sideways scroll, nothing for axe."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import User
from tests.conftest import People
from tests.doors.routes import pages
from tests.doors.table import DOORS, QUERIES
from tests.doors.world import build, filled
from tests.web import browser

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]


def answered(people: People) -> Iterator[tuple[User | None, str]]:
    """The whole pages among all addresses, each with the first person whom the table of doors lets see it."""
    world = build(people)
    users = (people.noc, people.a, people.b, people.stranger, None)
    for route in sorted(pages()):
        door = f"GET {route}"
        answers = DOORS.get(door, "").split()
        if "200" in answers:
            user = users[answers.index("200")]
            path = filled(world, route + QUERIES.get(door, ""))
            if is_page(user, path):
                yield user, path


def is_page(user: User | None, path: str) -> bool:
    """Neither a part of one, nor a file or data."""
    client = Client()
    if user is not None:
        client.force_login(user)
    answer: Any = client.get(path)
    return not answer.streaming and answer.content.startswith(b"<!doctype html>")


def test_nothing_is_to_say_against_any_page(people: People, faults_of: Callable[..., dict[str, list[str]]]) -> None:
    asked = list(answered(people))
    assert len(asked) > 40  # a walk that finds no pages finds no faults
    # Most have a test of their own besides, with more on them and narrow too.
    assert faults_of(asked, axe_at=[browser.WIDTHS[0]]) == {}
