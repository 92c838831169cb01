"""The outbox and one's own wishes: who sees them, what they do, what they cost."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from sla.accounts.models import AuditEntry, User
from sla.notifications.models import Channel, Notice, Preference
from sla.notifications.sealed import seal
from tests.conftest import People

pytestmark = pytest.mark.django_db
WANTED = {"page": "now", "ticket": "digest", "info": "off", "digest_at": "07:30", "quiet_from": "", "quiet_to": ""}


def of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("path", ["/outbox", "/outbox/{0}", "/outbox/{0}/mail"])
def test_the_outbox_is_the_nocs(people: People, outbox: list[Notice], path: str) -> None:
    path = path.format(outbox[0].pk)
    assert of(people.noc).get(path).status_code == 200
    for user in (people.a, people.b, people.stranger):
        assert of(user).get(path).status_code == 404
    assert Client().get(path).status_code == 302


def test_it_is_filtered_by_state_and_by_words(people: People, outbox: list[Notice]) -> None:
    def rows(query: str) -> int:
        return of(people.noc).get(f"/outbox{query}").content.decode().count('class="name subject"')

    assert rows("") == len(outbox)
    assert rows("?state=given_up") == 1
    assert rows("?q=ci-22") == 2
    assert rows(f"?q=%23{outbox[0].incident_id}") == 4
    assert rows("?q=nothing-of-that-name") == 0
    assert rows(f"?before={outbox[2].pk}") == 2


def test_the_mail_in_its_frame_may_load_and_run_nothing_and_gives_no_key_away(
    people: People, outbox: list[Notice]
) -> None:
    answer = of(people.noc).get(f"/outbox/{outbox[0].pk}/mail")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    page = answer.content.decode()
    assert 'src="data:image/png;base64,' in page
    assert re.search(r"/notifications/off/…", page)
    assert not re.search(r"/notifications/off/\w", page)
    whole = of(people.noc).get(f"/outbox/{outbox[0].pk}?form=plain").content.decode()
    assert "/notifications/off/…" in whole
    assert not re.search(r"/notifications/off/\w", whole)


def test_what_was_given_up_is_tried_again_by_an_operator_and_by_nobody_else(
    people: People, outbox: list[Notice]
) -> None:
    given_up = next(notice for notice in outbox if notice.state == "given_up")
    path = f"/outbox/{given_up.pk}/retry"
    assert of(people.a).post(path).status_code == 404
    people.noc.noc_role = "viewer"
    people.noc.save()
    assert of(people.noc).post(path).status_code == 403
    people.noc.noc_role = "operator"
    people.noc.save()
    assert of(people.noc).post(path).status_code == 302
    given_up.refresh_from_db()
    assert (given_up.state, given_up.attempts) == ("queued", 0)
    assert AuditEntry.objects.filter(verb="notice tried again", actor=people.noc).exists()
    sent = next(notice for notice in outbox if notice.state == "sent")
    of(people.noc).post(f"/outbox/{sent.pk}/retry")
    sent.refresh_from_db()
    assert sent.state == "sent"


@pytest.mark.parametrize(("path", "most"), [("/outbox", 10), ("/outbox/{0}", 10), ("/notifications", 15)])
def test_a_page_costs_few_queries(
    people: People, outbox: list[Notice], path: str, most: int, django_assert_max_num_queries
) -> None:
    client = of(people.noc)
    with django_assert_max_num_queries(most):
        assert client.get(path.format(outbox[0].pk)).status_code == 200


def test_one_says_what_one_wants_and_it_is_written_down_who_did(people: People) -> None:
    answer = of(people.a).post("/notifications", {**WANTED, "quiet_from": "22:00", "quiet_to": "07:00"})
    assert answer.status_code == 302
    kept = Preference.objects.get(user=people.a)
    assert (kept.ticket, kept.info, str(kept.quiet_from), kept.quiet_for_pages) == ("digest", "off", "22:00:00", False)
    (entry,) = AuditEntry.objects.filter(verb="notices chosen")
    assert (entry.actor, entry.before["ticket"], entry.after["ticket"]) == (people.a, "now", "digest")
    page = of(people.a).get("/notifications").content.decode()
    assert 'value="22:00"' in page


@pytest.mark.parametrize(
    "change", [{"quiet_from": "22:00"}, {"page": "sometimes"}, {"digest_at": "25:00"}, {"pools": ["999"]}]
)
def test_what_makes_no_sense_is_refused_and_nothing_is_kept(people: People, change: dict[str, str]) -> None:
    assert of(people.noc).post("/notifications", WANTED | change).status_code == 422
    assert not Preference.objects.exists()


def test_a_customers_person_cannot_choose_by_pool_or_customer(people: People, outbox: list[Notice]) -> None:
    before = of(people.a).get("/notifications").content.decode()
    assert "ssd-3" not in before
    assert "Birch" not in before
    of(people.a).post("/notifications", {**WANTED, "customers": [str(people.customer_b.pk)]})
    assert Preference.objects.get(user=people.a).customers.count() == 0


def test_a_webhooks_secret_is_shown_once_and_its_address_never(people: People) -> None:
    given = {"kind": "webhook", "name": "ours", "address": "https://hooks.example.com/a-secret-path", "least": "page"}
    client = of(people.a)
    first = client.post("/notifications/channels", given).content.decode()
    (secret,) = re.findall(r"<code>([\w-]{40,})</code>", first)
    again = client.get("/notifications").content.decode()
    assert secret not in again
    assert "a-secret-path" not in again + first
    assert "hooks.example.com" in again
    entry = AuditEntry.objects.get(verb="notice channel added")
    assert "a-secret-path" not in json.dumps(entry.after)


def test_one_may_try_and_remove_ones_own_ways_only(people: People) -> None:
    sealed = {"address": seal("https://x.example/"), "secret": seal("s"), "kind": "webhook", "shown": "x"}
    mine = Channel.objects.create(owner=people.a, name="a's", **sealed)
    nocs = Channel.objects.create(owner=None, name="noc's", **sealed)
    for channel, allowed in ((mine, people.a), (nocs, people.noc)):
        for verb in ("test", "remove"):
            path = reverse(f"channel_{verb}", args=[channel.pk])
            for user in {people.a, people.b, people.noc, people.stranger} - {allowed}:
                assert of(user).post(path).status_code == 404
            assert of(allowed).post(path).status_code == 302
    assert not Channel.objects.filter(active=True).exists()
    assert Notice.objects.filter(topic="test").count() == 2


def test_only_an_administrator_adds_a_way_of_the_noc(people: People) -> None:
    given = {"kind": "webhook", "name": "x", "address": "https://hooks.example.com/", "least": "page", "whose": "noc"}
    for user, owner in ((people.a, people.a), (people.noc, None)):
        of(user).post("/notifications/channels", given)
        assert Channel.objects.latest("id").owner == owner
    people.noc.noc_role = "viewer"
    people.noc.save()
    of(people.noc).post("/notifications/channels", given)
    assert Channel.objects.latest("id").owner == people.noc


def test_ten_ways_are_enough(people: People) -> None:
    given = {"kind": "webhook", "name": "x", "address": "https://hooks.example.com/", "least": "page"}
    client = of(people.a)
    codes = [client.post("/notifications/channels", given).status_code for _ in range(11)]
    assert codes == [200] * 10 + [422]


def test_a_test_mail_is_written_for_oneself(people: People) -> None:
    of(people.a).post("/notifications/test")
    assert not Notice.objects.exists()
    people.a.email = "a@example.com"
    people.a.save()
    of(people.a).post("/notifications/test")
    (notice,) = Notice.objects.all()
    assert (notice.person, notice.topic, notice.gathered) == (people.a, "test", False)
