"""Every address and every verb of the API, tried by each of the four people and by nobody: held against the table."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from sla.accounts.models import User
from sla.accounts.services import issue_api_token
from tests.conftest import People
from tests.doors.routes import pages, verbs
from tests.doors.table import BODIES, DOORS, QUERIES
from tests.doors.world import build, filled

pytestmark = pytest.mark.django_db
WHO = ("NOC", "A", "B", "stranger", "nobody")
HOW_TO_ADD = (
    "Add to DOORS in tests/doors/table.py one line for it, with what the NOC's administrator, a manager of A (whose "
    "thing it is), a viewer of B, a stranger and nobody are answered: "
)


@pytest.fixture
def world(people: People) -> dict[str, Any]:
    return build(people)


class Caller:
    """One of the five, with a session for pages and a token for the API."""

    def __init__(self, user: User | None) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers: dict[str, str] = {}
        if user is not None:
            self.client.force_login(user)
            token = issue_api_token(user=user, name="door", scopes=["read", "write"])
            self.headers = {"Authorization": f"Bearer {token}"}

    def answer(self, method: str, path: str, body: Any) -> str:
        """The status; "in" where one is asked to log in. What it changed is undone."""
        of_api = path.startswith(("/api/", "/metrics"))
        more: dict[str, Any] = {"headers": self.headers} if of_api else {}
        if method != "GET":
            more |= {"data": body or {}}
            if of_api:
                more |= {"content_type": "application/json"}
        cookies = self.client.cookies.copy()
        with transaction.atomic():
            response = getattr(self.client, method.lower())(path, **more)
            if response.streaming:
                b"".join(response.streaming_content)
            transaction.set_rollback(True)
        self.client.cookies = cookies  # also of who logged out
        if response.status_code == 302 and response["Location"].startswith("/login?"):
            return "in"
        return str(response.status_code)


@pytest.fixture
def callers(people: People, world: dict[str, Any]) -> dict[str, Caller]:
    users = (people.noc, people.a, people.b, people.stranger, None)
    return {who: Caller(user) for who, user in zip(WHO, users, strict=True)}


def test_every_page_and_every_verb_has_its_line() -> None:
    known = set(DOORS)
    missing = {f"GET {page}" for page in pages()} - known - {f"GET {page}" for page in only_posts(known)}
    missing |= verbs() - known
    assert not missing, HOW_TO_ADD + "; ".join(f'"{door}": "200 200 404 404 in"' for door in sorted(missing))
    gone = {door for door in known if door not in verbs() and door.partition(" ")[2] not in pages()}
    assert not gone, f"no such address any more, take it out of tests/doors/table.py: {sorted(gone)}"


def only_posts(known: set[str]) -> Iterator[str]:
    """Pages that have a line for POST alone; the walk holds them to it."""
    for page in pages():
        if f"POST {page}" in known and f"GET {page}" not in known:
            yield page


def address(world: dict[str, Any], door: str) -> str:
    route = door.partition(" ")[2]
    try:
        return filled(world, route) + QUERIES.get(door, "")
    except KeyError as name:
        raise AssertionError(f"{door}: tell `build` in tests/doors/world.py what <{name.args[0]}> leads to") from None


def test_each_is_answered_as_the_table_says(world: dict[str, Any], callers: dict[str, Caller]) -> None:
    wrong = []
    for door, wanted in DOORS.items():
        method, path = door.partition(" ")[0], address(world, door)
        got = " ".join(caller.answer(method, path, BODIES.get(door)) for caller in callers.values())
        if [one for one, want in zip(got.split(), wanted.split(), strict=True) if want not in (one, "any")]:
            wrong.append(f'"{door}": "{got}", and the table says "{wanted}"')
    assert not wrong, f"columns: {', '.join(WHO)}\n" + "\n".join(wrong)


def test_what_has_no_line_for_a_method_refuses_it(world: dict[str, Any], callers: dict[str, Caller]) -> None:
    taken = []
    for page in sorted(pages()):
        for method in ("GET", "POST"):
            door = f"{method} {page}"
            if door in DOORS:
                continue
            if callers["NOC"].answer(method, address(world, door), None) != "405":
                taken.append(f'"{door}": "200 200 404 404 in"')
    assert not taken, HOW_TO_ADD + "; ".join(taken)


def test_no_line_lets_b_or_a_stranger_where_only_a_belongs() -> None:
    """The table itself: whatever names a thing of A answers B and strangers 404, or asks everybody who they are."""
    of_a = re.compile(
        r"<(disk_id|machine_id|customer_id|membership_id|token_id|incident_id|report|channel_id|notice_id|contract_id)>"
    )
    for door, wanted in DOORS.items():
        if of_a.search(door):
            _, _, b, stranger, nobody = wanted.split()
            assert (b, stranger) == ("404", "404"), door
            assert nobody in ("in", "401"), door
