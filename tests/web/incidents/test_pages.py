"""What each of the four people sees of incidents, and what they may do."""

from collections.abc import Callable

import pytest
from django.test import Client

from sla.accounts.models import AuditEntry, User
from sla.incidents.models import Incident, Silence
from sla.incidents.services import add_note
from tests.conftest import Api, People
from tests.incidents.conftest import Clock, MakeDisks, acute, clock, history, make_disks, nobody_listens

__all__ = ["clock", "make_disks", "nobody_listens"]
Caller = Callable[[User | None], Api]


@pytest.fixture
def shared(make_disks: MakeDisks, clock: Clock, people: People) -> Incident:
    """A pool problem that hits two disks of A and one of B."""
    acute([*make_disks(2, pool="ssd-3"), *make_disks(1, pool="ssd-3", customer=people.customer_b)], clock.now)
    return Incident.objects.get()


@pytest.fixture
def own(make_disks: MakeDisks, clock: Clock, people: People) -> Incident:
    """A disk of B alone."""
    acute(make_disks(1, pool="hdd-1", customer=people.customer_b), clock.now)
    return Incident.objects.get(pool__name="hdd-1")


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, (path, response.status_code)
    return response.content.decode()


def test_the_noc_reads_the_pool_all_disks_and_all_customers(client: Client, shared: Incident, people: People) -> None:
    client.force_login(people.noc)
    assert "3 disks of pool ssd-3 are slow" in text(client, "/incidents")
    page = text(client, shared.get_absolute_url())
    assert all(word in page for word in ("ssd-3", "Alder", "Birch", "vm-0", "vm-2", "of 2 customers"))


def test_a_customer_reads_of_their_own_disks_and_of_nobody_else(
    client: Client, shared: Incident, people: People
) -> None:
    add_note(incident=shared, actor=people.noc, note="Birch floods it")
    client.force_login(people.a)
    assert "2 disks of yours are slow" in text(client, "/incidents")
    page = text(client, shared.get_absolute_url())
    assert "vm-0" in page
    for word in ("ssd-3", "Birch", "vm-2", "floods", "noc", "3 disks", "customers"):
        assert word not in page, word


def test_what_one_may_not_see_is_not_there(client: Client, own: Incident, people: People) -> None:
    path = own.get_absolute_url()
    for who, status in ((people.noc, 200), (people.b, 200), (people.a, 404), (people.stranger, 404)):
        client.force_login(who)
        assert client.get(path).status_code == status, who
    client.logout()
    assert client.get(path)["Location"].endswith(f"login?next={path}") or "/login" in client.get(path)["Location"]


def test_a_forwarded_link_has_nothing_secret_in_it(shared: Incident) -> None:
    assert shared.get_absolute_url() == f"/incidents/{shared.pk}"


def test_acknowledging_on_the_page(client: Client, shared: Incident, people: People) -> None:
    client.force_login(people.noc)
    client.post(f"/incidents/{shared.pk}/acknowledge", {"note": "looking at the array"})
    shared.refresh_from_db()
    assert (shared.state, shared.acknowledged_by) == ("acknowledged", people.noc)
    assert "looking at the array" in text(client, shared.get_absolute_url())
    assert AuditEntry.objects.filter(verb="incident acknowledged", actor=people.noc).count() == 1


@pytest.mark.parametrize("verb", ["acknowledge", "note"])
def test_only_operators_of_the_noc_act(client: Client, own: Incident, people: People, verb: str) -> None:
    viewer = User.objects.create_user("viewer", noc_role=User.NocRole.VIEWER)
    for who, status in ((viewer, 403), (people.b, 403), (people.a, 404), (people.stranger, 404)):
        client.force_login(who)
        assert client.post(f"/incidents/{own.pk}/{verb}", {"note": "x"}).status_code == status, who
    assert history(own) == ["opened"]


def test_a_silence_shows_what_it_hides_before_it_is_set(client: Client, shared: Incident, people: People) -> None:
    client.force_login(people.noc)
    wanted = {"pool": "ssd-3", "hours": "4", "reason": "vendor is on it"}
    preview = client.post("/silences/new", {**wanted, "act": "preview"}).content.decode()
    assert "1 incident that is not over" in preview
    assert not Silence.objects.exists()
    client.post("/silences/new", {**wanted, "act": "set"})
    assert Silence.objects.get().author == people.noc
    assert history(shared) == ["opened", "silenced"]
    assert "vendor is on it" in text(client, "/silences")
    assert "nobody is told" in text(client, shared.get_absolute_url())
    client.post(f"/silences/{Silence.objects.get().pk}/end")
    assert Silence.objects.get().cancelled_at is not None


@pytest.mark.parametrize(
    "wanted",
    [
        {"hours": "4", "reason": "everything"},
        {"pool": "ssd-3", "hours": "5", "reason": "x"},
        {"pool": "ssd-3", "hours": "4", "reason": " "},
        {"pool": "no such pool", "hours": "4", "reason": "x"},
        {"incident": "999999", "hours": "4", "reason": "x"},
        {"incident": "²", "hours": "4", "reason": "x"},
        {"pool": "ssd-3", "hours": "4", "reason": "x", "kinds": "odd"},
    ],
)
def test_a_silence_that_cannot_be_is_refused_in_words(
    client: Client, shared: Incident, people: People, wanted: dict[str, str]
) -> None:
    client.force_login(people.noc)
    answer = client.post("/silences/new", {**wanted, "act": "set"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Silence.objects.exists()


def test_silences_are_the_nocs(client: Client, shared: Incident, people: People) -> None:
    for path in ("/silences", "/silences/new"):
        for who in (people.a, people.stranger):
            client.force_login(who)
            assert client.get(path).status_code == 404


def test_filters_stand_in_the_address_and_odd_ones_are_ignored(
    client: Client, shared: Incident, people: People
) -> None:
    client.force_login(people.noc)
    assert "ssd-3" in text(client, "/incidents?kind=acute&severity=page&state=open")
    assert "Nothing of that kind" in text(client, "/incidents?kind=burn")
    assert "ssd-3" in text(client, "/incidents?kind=%00&severity=x&state=y&page=99")
    assert "There has been no incident" in text(client, "/incidents?state=resolved")


def test_the_api_says_the_same(shared: Incident, own: Incident, people: People, api_of: Caller) -> None:
    noc = api_of(people.noc).get("/api/v1/incidents?state=open").json()
    assert [item["title"] for item in noc["items"]][1] == "3 disks of pool ssd-3 are slow"
    mine = api_of(people.a).get("/api/v1/incidents").json()["items"]
    assert [(item["title"], item["disks"], item["pool"]) for item in mine] == [("2 disks of yours are slow", 2, None)]
    detail = api_of(people.a).get(f"/api/v1/incidents/{shared.pk}").json()
    assert {member["customer"] for member in detail["members"]} == {"Alder"}
    assert [event["kind"] for event in detail["events"]] == ["opened"]
    assert detail["events"][0]["data"]["count"] == 2
    for who in (people.a, people.stranger):
        assert api_of(who).get(f"/api/v1/incidents/{own.pk}").status_code == 404
    assert api_of(None).get("/api/v1/incidents").status_code == 401


def test_the_list_of_the_api_can_be_walked(make_disks: MakeDisks, clock: Clock, people: People, api_of: Caller) -> None:
    for number in range(5):
        acute(make_disks(1, pool=f"pool-{number}"), clock.on(seconds=1))
    api, path, seen = api_of(people.noc), "/api/v1/incidents?limit=2", []
    while path:
        answer = api.get(path).json()
        seen += [item["pool"] for item in answer["items"]]
        path = answer["next_cursor"] and f"/api/v1/incidents?limit=2&cursor={answer['next_cursor']}"
    assert seen == [f"pool-{number}" for number in (4, 3, 2, 1, 0)]
    for odd in ("WyJhIiwiYiJd", "x", "W10"):
        assert api.get(f"/api/v1/incidents?cursor={odd}").status_code == 422


def test_acknowledging_by_the_api(own: Incident, people: People, api_of: Caller) -> None:
    path = f"/api/v1/incidents/{own.pk}/acknowledge"
    for who, status in ((None, 401), (people.a, 404), (people.stranger, 404), (people.b, 403)):
        assert api_of(who).call("POST", path).status_code == status
    answer = api_of(people.noc).call("POST", path, b'{"note": "on it"}')
    assert (answer.status_code, answer.json()["state"]) == (200, "acknowledged")
    assert api_of(people.noc).call("POST", path).json()["events"][-1]["note"] == "on it"
    own.state, own.resolved_at = "resolved", own.opened_at
    own.save()
    assert api_of(people.noc).call("POST", path).json()["error"]["code"] == "resolved"


def test_odd_words_to_the_api_are_refused_with_the_field(shared: Incident, people: People, api_of: Caller) -> None:
    noc = api_of(people.noc)
    for query, field in (("state=odd", "state"), ("kind=odd", "kind"), ("limit=0", "limit"), ("disk=x", "disk")):
        answer = noc.get(f"/api/v1/incidents?{query}")
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    empty = noc.call("POST", f"/api/v1/incidents/{shared.pk}/notes", b'{"note": " "}')
    assert (empty.status_code, empty.json()["error"]["field"]) == (422, "note")


def test_silences_by_the_api(shared: Incident, clock: Clock, people: People, api_of: Caller) -> None:
    noc, until = api_of(people.noc), int(clock.now.timestamp()) + 3_600
    body = f'{{"reason": "known", "ends_at": {until}, "pool": {shared.pool_id}}}'.encode()
    assert noc.call("POST", "/api/v1/silences/preview", body).json()["open"] == [
        {"id": shared.pk, "title": shared.title}
    ]
    made = noc.call("POST", "/api/v1/silences", body)
    assert made.status_code == 201
    assert noc.get("/api/v1/silences?state=active").json()["items"] == [made.json()]
    noc.call("POST", f"/api/v1/silences/{made.json()['id']}/end")
    assert noc.get("/api/v1/silences?state=active").json()["items"] == []
    assert api_of(people.a).call("POST", "/api/v1/silences", body).status_code == 404
    odd = body.replace(str(until).encode(), b"5")
    assert noc.call("POST", "/api/v1/silences", odd).json()["error"]["field"] == "ends_at"
