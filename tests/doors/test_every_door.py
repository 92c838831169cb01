"""Every address and every verb of the API, tried by each of the four people and by nobody: held against the table."""

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from sla.accounts.models import User
from sla.accounts.services import issue_api_token
from tests.conftest import People
from tests.doors.routes import pages, verbs
from tests.doors.table import BODIES, DOORS, QUERIES
from tests.doors.world import build, filled, given

pytestmark = pytest.mark.django_db
WHO = ("NOC", "A", "B", "stranger", "nobody")
HOW_TO_ADD = (
    "Add to DOORS in tests/doors/table.py one line for each, with what the NOC's administrator, a manager of A "
    "(whose thing it is), a viewer of B, a stranger and nobody *should* be answered. Now they are answered:"
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
            if of_api and path.startswith("/api/"):
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


def test_every_line_of_the_table_leads_somewhere() -> None:
    gone = {door for door in DOORS if door not in verbs() and door.partition(" ")[2] not in pages()}
    assert not gone, f"no such address any more, take it out of tests/doors/table.py: {sorted(gone)}"


def address(world: dict[str, Any], door: str) -> str:
    route = door.partition(" ")[2]
    try:
        return filled(world, route + QUERIES.get(door, ""))
    except KeyError as name:
        raise AssertionError(f"{door}: tell `build` in tests/doors/world.py what <{name.args[0]}> leads to") from None


def test_each_is_answered_as_the_table_says(world: dict[str, Any], callers: dict[str, Caller]) -> None:
    wrong = []
    for door, wanted in DOORS.items():
        method, path, body = door.partition(" ")[0], address(world, door), given(world, BODIES.get(door))
        got = " ".join(caller.answer(method, path, body) for caller in callers.values())
        if [one for one, want in zip(got.split(), wanted.split(), strict=True) if want not in (one, "any")]:
            wrong.append(f'"{door}": "{got}", and the table says "{wanted}"')
    assert not wrong, f"columns: {', '.join(WHO)}\n" + "\n".join(wrong)


def test_every_page_and_every_verb_has_its_line(world: dict[str, Any], callers: dict[str, Caller]) -> None:
    """A page needs one for each method it takes; what has none must refuse it."""
    of_pages = [f"{method} {page}" for page in sorted(pages()) for method in ("GET", "POST")]
    missing = []
    for door in [*of_pages, *sorted(verbs())]:
        if door in DOORS:
            continue
        method, path = door.partition(" ")[0], address(world, door)
        body = given(world, BODIES.get(door))
        got = [caller.answer(method, path, body) for caller in callers.values()]
        if got[0] != "405" or door in verbs():
            missing.append(f'    "{door}": "{" ".join(got)}",')
    assert not missing, HOW_TO_ADD + "\n" + "\n".join(missing)


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
