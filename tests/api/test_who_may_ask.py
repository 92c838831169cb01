"""A token is good for its scopes, from its networks, until its end; who guesses is told to wait."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from sla.accounts import throttle
from sla.accounts.models import ApiToken, AuditEntry
from sla.accounts.services import issue_api_token, revoke_api_token
from sla.accounts.throttle import Limit
from sla.api.auth import reader
from sla.api.errors import Refused
from tests.conftest import Api, People
from tests.telemetry.machines import description

pytestmark = pytest.mark.django_db
FEW = Limit(3, 300)


@pytest.fixture
def token(people: People) -> Callable[..., str]:
    def make(scopes: tuple[str, ...] = ("read",), **more: Any) -> str:
        return issue_api_token(user=people.noc, name="test", scopes=scopes, **more)

    return make


@pytest.mark.parametrize(
    ("scopes", "method", "let_in"),
    [
        (("read",), "GET", True),
        (("read",), "POST", False),
        (("read",), "DELETE", False),
        (("write",), "POST", True),
        (("write",), "GET", False),
        (("read", "write"), "PATCH", True),
    ],
)
def test_to_change_something_a_token_needs_the_scope_to_write(
    scopes: tuple[str, ...], method: str, let_in: bool, people: People, token: Callable[..., str]
) -> None:
    asked = RequestFactory().generic(method, "/api/v1/anything", headers={"Authorization": f"Bearer {token(scopes)}"})
    if let_in:
        assert reader(asked) == people.noc == asked.user
        return
    with pytest.raises(Refused, match="needs") as refused:
        reader(asked)
    assert refused.value.status == 403


def test_a_token_is_good_from_its_networks_only(token: Callable[..., str]) -> None:
    api = Api(token(networks=["198.51.100.0/24", "2001:db8::/32"]))
    codes = {place: api.call("GET", "/api/v1/disks", REMOTE_ADDR=place).status_code for place in PLACES}
    assert codes == {"198.51.100.7": 200, "2001:db8::9": 200, "203.0.113.7": 403}


PLACES = ("198.51.100.7", "2001:db8::9", "203.0.113.7")


def test_a_token_ends_and_can_be_revoked(people: People, token: Callable[..., str]) -> None:
    now = timezone.now()
    assert Api(token(expires_at=now - timedelta(seconds=1))).get("/api/v1/disks").status_code == 401
    api = Api(token(expires_at=now + timedelta(days=1)))
    assert api.get("/api/v1/disks").status_code == 200
    newest = ApiToken.objects.order_by("-id")[0]
    assert newest.last_used_at is not None
    assert revoke_api_token(token=newest, by=people.noc, now=now)
    assert not revoke_api_token(token=newest, by=people.noc, now=now)
    assert api.get("/api/v1/disks").status_code == 401


@pytest.mark.usefixtures("throttle_stands_still")
def test_who_guesses_is_told_to_wait_and_who_is_right_is_let_in_beside_them(
    people: People, token: Callable[..., str], key_a: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "SECRET_ADDRESS", FEW)
    asks = {
        "/api/v1/disks": lambda guess: Api(guess).get("/api/v1/disks"),
        "/metrics": lambda guess: Api(guess).get("/metrics"),
        "/api/v1/enrol": lambda guess: Api(guess).call("POST", "/api/v1/enrol", json.dumps(description())),
        "/api/v1/frames": lambda guess: Api(guess).call("POST", "/api/v1/frames", '{"agent": {}, "frames": []}'),
    }
    for path, ask in asks.items():
        codes = [ask(f"guess-{path}-{number}").status_code for number in range(5)]
        # What an API token opens is counted together, whichever address asks for it.
        assert codes[0] == (429 if path == "/metrics" else 401) and codes[-1] == 429, (path, codes)
        last = ask(f"guess-{path}-again")
        assert 0 < int(last["Retry-After"]) <= FEW.span_s and last.json()["error"]["code"] == "too_many_tries"
    assert Api(token()).get("/api/v1/disks").status_code == 200
    enrolled = Api(key_a).call("POST", "/api/v1/enrol", json.dumps(description()))
    assert enrolled.status_code == 201
    sent = Api(enrolled.json()["agent_token"]).call(
        "POST", "/api/v1/frames", json.dumps({"agent": {"version": "1", "boot_id": "b", "sent_at": 1.0}, "frames": []})
    )
    assert sent.status_code == 200


def test_the_trail_says_which_token_acted(people: People, token: Callable[..., str]) -> None:
    answer = Api(token(("read", "write"))).call(
        "POST", "/api/v1/contracts", json.dumps({"name": "New", "text": "99% < 15 ms at 1000 IOPS"})
    )
    assert answer.status_code == 201
    entry = AuditEntry.objects.filter(verb="contract version added").latest("id")
    assert (entry.actor, entry.actor_label) == (people.noc, "noc, by token test")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_session_reads_and_needs_its_csrf_token_to_change(method: str, people: People) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.noc)
    assert client.get("/api/v1/disks").status_code == 200
    asked = RequestFactory().generic(method, "/api/v1/anything")
    asked.user = people.noc
    assert reader(asked) is None
