"""Pages of statements: who sees which, what they cost, how a month is stated, who may check without an account."""

import io
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sla.reports import keys
from sla.reports.bundle import bundle
from sla.reports.models import Batch, Statement
from sla.web.reports import verify_page
from tests.reports.conftest import Month
from tests.web.browser import Page

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15


def client_of(user: Any) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def test_a_statement_is_its_customers_and_the_nocs(month: Month, statement: Statement) -> None:
    people = month.people
    for path in (f"/reports/{statement.pk}",):
        codes = [
            client_of(one).get(path).status_code for one in (people.noc, people.a, people.b, people.stranger, None)
        ]
        assert codes == [200, 200, 404, 404, 302]
    for user, seen in ((people.noc, True), (people.a, True), (people.b, False), (people.stranger, False)):
        assert (statement.number in client_of(user).get("/reports").content.decode()) is seen


def test_only_who_may_can_state_a_month(month: Month) -> None:
    people = month.people
    given = {"period": month.period, "customer": people.customer_a.name}
    codes = [
        client_of(one).post("/reports/make", given).status_code for one in (people.a, people.b, people.stranger, None)
    ]
    assert codes == [403, 403, 403, 302]
    assert not Statement.objects.exists()
    assert client_of(people.noc).get("/reports/make").status_code == 405
    answer = client_of(people.noc).post("/reports/make", given)
    made = Statement.objects.get()
    assert answer["Location"] == f"/reports/{made.pk}"


def test_what_cannot_be_stated_is_said_on_the_page(month: Month) -> None:
    client = client_of(month.people.noc)
    for given, said in (
        ({"period": "2026-13"}, "month 13"),
        ({"period": month.period, "customer": month.people.customer_b.name}, "had no disk"),
    ):
        page = client.post("/reports/make", given, follow=True)
        assert said in page.content.decode()
    assert client.post("/reports/make", {"period": month.period, "customer": "Nobody"}).status_code == 404


def test_a_month_for_everybody_shows_its_progress(
    month: Month, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    from sla.reports import tasks

    monkeypatch.setattr(tasks.run_batch, "delay", tasks.run_batch)
    client = client_of(month.people.noc)
    with django_capture_on_commit_callbacks(execute=False):
        client.post("/reports/make", {"period": month.period})
    batch = Batch.objects.get()
    page = client.get("/reports").content.decode()
    assert 'hx-trigger="every 2s"' in page
    assert f"0 of {batch.customers} customers" in page
    client.post("/reports/make", {"period": month.period})  # joins the one that runs
    assert Batch.objects.count() == 1
    tasks.run_batch(batch.pk)
    page = client.get("/reports").content.decode()
    assert f"{batch.customers} of {batch.customers} customers, 1 new statements" in page
    assert "every 2s" not in page
    assert "Stating" not in client_of(month.people.a).get("/reports").content.decode()


def test_no_page_asks_more_than_fifteen_times(month: Month, statement: Statement, monkeypatch: Any) -> None:
    said: list[str] = []
    for kind in (psycopg.Cursor, psycopg.ClientCursor):
        execute = kind.__dict__.get("execute")
        if execute is not None:

            def noted(cursor: Any, query: Any, *more: Any, _execute: Any = execute, **named: Any) -> Any:
                said.append(str(query)[:100])
                return _execute(cursor, query, *more, **named)

            monkeypatch.setattr(kind, "execute", noted)
    client = client_of(month.people.noc)
    for path in ("/reports", f"/reports/{statement.pk}", "/verify", f"/verify?code={statement.code}"):
        client.get(path)
        said.clear()
        assert client.get(path).status_code == 200
        assert len(said) <= MOST_QUERIES, (path, said)


def test_anybody_may_check_a_code(statement: Statement, month: Month) -> None:
    page = Client().get(f"/verify?code={statement.code.lower()}")
    assert page.status_code == 200
    assert "Genuine and in force" in page.content.decode()
    assert statement.digest in page.content.decode()
    assert Client().get("/verify?code=0000-0000-0000-0000").status_code == 404
    assert Client().get("/verify?code=<script>").status_code == 404


def dropped(data: bytes, name: str = "b.zip") -> Any:
    return Client().post("/verify", {"file": SimpleUploadedFile(name, data)})


def test_a_dropped_bundle_is_checked_and_a_changed_one_refused(statement: Statement) -> None:
    data = b"".join(bundle(statement))
    page = dropped(data).content.decode()
    assert "Valid" in page and statement.number in page and "is ours" in page
    harmed = bytearray(data)
    harmed[data.index(b"statement.pdf") + 400] ^= 4
    page = dropped(bytes(harmed)).content.decode()
    assert "Not valid" in page and "<b>statement.pdf</b>" in page


def test_a_statement_that_somebody_else_signed_is_not_ours(statement: Statement) -> None:
    data = b"".join(bundle(statement))
    Statement.objects.all().delete()
    keys.SigningKey.objects.all().delete()
    page = dropped(data).content.decode()
    assert "is not ours" in page


@pytest.mark.parametrize("odd", [b"", b"{}", b"PK\x03\x04nothing", b"\x00" * 50, b'{"statement":1,"signature":2}'])
def test_what_is_no_statement_is_said_so(odd: bytes, db: None) -> None:
    page = dropped(odd or b" ", "x.json")
    assert page.status_code == 200
    assert "Not valid" in page.content.decode()


def test_an_upload_over_the_limit_is_stopped(db: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(verify_page, "MAX_BYTES", 1000)
    page = dropped(b"x" * 200_000)
    assert page.status_code == 413
    assert "plimsoll-verify.py FILE" in page.content.decode()
    assert Client().post("/verify", {}).status_code == 422


def test_a_drop_needs_its_token(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/verify", {"file": io.BytesIO(b"x")}).status_code == 403


def test_the_verifier_can_be_fetched(db: None) -> None:
    got = Client().get("/verify/plimsoll-verify.py")
    assert got.content.startswith(b"#!/usr/bin/env python3")


@pytest.mark.page
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    theme: str, month: Month, statement: Statement, open_page: Callable[..., Page]
) -> None:
    found: dict[str, list[str]] = {}
    paths = {
        "/reports": month.people.noc,
        f"/reports/{statement.pk}": month.people.a,
        "/verify": None,
        f"/verify?code={statement.code}": None,
    }
    for path, user in paths.items():
        page = open_page(user, path, theme=theme)
        lines = [*page.complaints, *page.accessibility()]
        lines += [f"{over} px too wide at {width}" for width in (1440, 768, 360) if (over := page.overflow(width)) > 0]
        if lines:
            found[path] = lines
    assert not found


def test_a_customer_downloads_with_the_session_of_the_page(month: Month, statement: Statement) -> None:
    client = client_of(month.people.a)
    page = client.get(f"/reports/{statement.pk}").content.decode()
    draft = client.get(f"/api/v1/reports/draft.pdf?period={month.period}&customer={month.people.customer_a.pk}")
    assert draft.content.startswith(b"%PDF-")
    assert "/api/v1/reports/draft.pdf?period=" in page
    for end in (".pdf", ".json", ".csv", "/bundle.zip", "/slots.csv", "/seconds.csv"):
        path = f"/api/v1/reports/{statement.pk}{end}"
        assert f'href="{path}"' in page
        answer = client.get(path)
        assert answer.status_code == 200
        assert b"".join(answer.streaming_content) if answer.streaming else answer.content
