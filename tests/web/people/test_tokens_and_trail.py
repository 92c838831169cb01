"""Tokens from their page, and the audit trail: whole for the NOC, one's own for managers, as a file too."""

import csv
import io
import re
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import ApiToken, AuditEntry, Membership
from sla.accounts.services import record
from tests.conftest import Api, People

pytestmark = pytest.mark.django_db
WANTED = {"name": "grafana", "scope": "read", "days": "30", "networks": "127.0.0.0/8, 2001:db8::/32"}


def secret_in(page: Any) -> str:
    found = re.search(r'id="token">([^<]+)<', page.content.decode())
    assert found
    return found[1]


def test_a_token_is_shown_once_works_within_its_bounds_and_is_revoked(people: People, client: Client) -> None:
    client.force_login(people.a)
    page = client.post("/account/tokens", WANTED)
    assert "no-store" in page["Cache-Control"]
    secret = secret_in(page)
    assert secret not in client.get("/account/tokens").content.decode()
    kept = ApiToken.objects.get()
    assert (kept.scopes, kept.networks) == (["read"], ["127.0.0.0/8", "2001:db8::/32"])
    assert kept.expires_at is not None and 29 < (kept.expires_at - kept.created_at).days + 1 <= 30
    assert Api(secret).get("/api/v1/disks").status_code == 200
    assert Api(secret).call("GET", "/api/v1/disks", REMOTE_ADDR="198.51.100.1").status_code == 403
    client.post(f"/account/tokens/{kept.pk}/revoke")
    assert Api(secret).get("/api/v1/disks").status_code == 401
    verbs = list(AuditEntry.objects.filter(customer=people.customer_a).order_by("id").values_list("verb", flat=True))
    assert verbs == ["API token made", "API token revoked"]
    made = AuditEntry.objects.get(verb="API token made")
    assert made.after["scopes"] == ["read"] and secret not in str(made.after)


@pytest.mark.parametrize(
    "odd", [{"networks": "office"}, {"networks": "10.0.0.1/8"}, {"days": "3650"}, {"scope": "root"}, {"name": ""}]
)
def test_what_makes_no_sense_makes_no_token(odd: dict[str, str], people: People, client: Client) -> None:
    client.force_login(people.a)
    assert client.post("/account/tokens", {**WANTED, **odd}).status_code == 422
    assert not ApiToken.objects.exists()


def test_an_administrator_sees_and_revokes_everybodys_and_nobody_else_does(people: People) -> None:
    a, b, noc = Client(), Client(), Client()
    for client, user in ((a, people.a), (b, people.b), (noc, people.noc)):
        client.force_login(user)
    a.post("/account/tokens", WANTED)
    token = ApiToken.objects.get()
    assert "grafana" not in b.get("/account/tokens?all").content.decode()
    assert b.post(f"/account/tokens/{token.pk}/revoke").status_code == 404
    assert "grafana" not in noc.get("/account/tokens").content.decode()
    assert "grafana" in noc.get("/account/tokens?all").content.decode()
    assert noc.post(f"/account/tokens/{token.pk}/revoke").status_code == 302
    token.refresh_from_db()
    assert token.revoked_at is not None


@pytest.fixture
def trail(people: People) -> None:
    AuditEntry.objects.all().delete()
    before, after = {"text": "old terms"}, {"text": "new terms"}
    for customer in (people.customer_a, people.customer_b, None):
        label = f"contract of {customer or 'the house'}"
        record(
            verb="contract changed", object_label=label, actor=people.noc, customer=customer, before=before, after=after
        )
    record(verb="key made", object_label="=cmd|'/c calc'!A1", actor=people.a, customer=people.customer_a)


def test_the_noc_reads_all_and_a_manager_what_is_theirs(trail: None, people: People) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    noc, a, b = Client(), Client(), Client()
    for client, user in ((noc, people.noc), (a, people.a), (b, people.b)):
        client.force_login(user)
    all_of_it, own = noc.get("/audit").content.decode(), a.get("/audit").content.decode()
    for text in ("contract of Alder", "contract of Birch", "contract of the house"):
        assert text in all_of_it
        assert (text in own) == ("Alder" in text)
    assert "old terms" in own and "new terms" in own
    assert b.get("/audit").status_code == b.get("/audit.csv").status_code == 403
    assert "Birch" not in a.get("/audit.csv").getvalue().decode()
    # Asking for another customer's finds nothing more.
    assert "Birch" not in a.get(f"/audit?customer={people.customer_b.pk}").content.decode()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("verb=contract", 3),
        ("verb=CONTRACT&what=alder", 1),
        ("who=a", 1),
        ("who=noc", 3),
        ("since=2020-01-01", 4),
        ("until=2020-01-01", 0),
        ("since=yesterday", 4),
        ("before=1", 0),
        ("before=x", 4),
        ("until=9999-12-31", 4),
    ],
)
def test_filters_find_what_fits(query: str, found: int, trail: None, people: People, client: Client) -> None:
    client.force_login(people.noc)
    page = client.get(f"/audit?{query}").content.decode()
    assert page.count("<tr>") - 1 == (found or 1)
    assert ("Nothing fits" in page) == (found == 0)


def test_the_file_holds_the_rows_and_no_formulas(trail: None, people: People, client: Client) -> None:
    client.force_login(people.noc)
    answer = client.get("/audit.csv?verb=contract")
    assert answer["Content-Type"].startswith("text/csv") and answer.streaming
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [row["customer"] for row in rows] == ["", "Birch", "Alder"]
    assert rows[0]["before"] == '{"text": "old terms"}' and rows[0]["at_utc"].endswith("Z")
    (odd,) = csv.DictReader(io.StringIO(client.get("/audit.csv?verb=key").getvalue().decode()))
    assert odd["to_what"].startswith("'=")


def test_a_long_trail_is_read_in_pages_without_holes(people: People, client: Client) -> None:
    for number in range(230):
        record(verb="made", object_label=f"thing-{number:03}", actor=people.noc)
    client.force_login(people.noc)
    seen: list[str] = []
    query: str | None = "verb=made"
    while query is not None:
        page = client.get(f"/audit?{query}").content.decode()
        seen += re.findall(r"thing-\d+", page)
        following = re.search(r'href="\?([^"]+)" rel="next"', page)
        query = following[1].replace("&amp;", "&") if following else None
    assert seen == [f"thing-{number:03}" for number in reversed(range(230))]
