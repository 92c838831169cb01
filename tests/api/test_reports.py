"""Statements over the API: four people, every form, drafts, codes, and words for what is not there."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from sla.accounts.models import User
from sla.domain.statement.schema import SCHEMA
from sla.reports import plimsoll_verify
from sla.reports.models import Statement
from tests.conftest import Api
from tests.reports.conftest import PAST, Month, month, statement, version

__all__ = ["month", "statement", "version"]
pytestmark = pytest.mark.django_db
ApiOf = Callable[[User | None], Api]


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def below(statement: Statement) -> list[str]:
    base = f"/api/v1/reports/{statement.pk}"
    return [f"{base}{end}" for end in (".json", ".pdf", ".csv", "/slots.csv", "/seconds.csv", "/bundle.zip")]


def test_every_form_is_its_customers_and_the_nocs(statement: Statement, month: Month, api_of: ApiOf) -> None:
    people = month.people
    for path in below(statement):
        codes = []
        for user in (people.noc, people.a, people.b, people.stranger, None):
            answer = api_of(user).get(path)
            codes.append(answer.status_code)
            body_of(answer)
        assert codes == [200, 200, 404, 404, 401], path


def test_the_list_holds_ones_own(statement: Statement, month: Month, api_of: ApiOf) -> None:
    people = month.people
    for user, count in ((people.noc, 1), (people.a, 1), (people.b, 0), (people.stranger, 0)):
        got = api_of(user).get("/api/v1/reports").json()
        assert [one["number"] for one in got["items"]] == [statement.number] * count
        assert got["next_cursor"] is None
    assert api_of(None).get("/api/v1/reports").status_code == 401


def test_the_list_can_be_narrowed_and_walked(statement: Statement, month: Month, api_of: ApiOf) -> None:
    older = {"period": "2020-01", "number": "2020-01-00001-1", "code": "0000-0000-0000-0000"}
    Statement.objects.filter(pk=statement.pk).update(**older)
    second = month.freeze()
    api = api_of(month.people.noc)
    first = api.get("/api/v1/reports?limit=1").json()
    assert [one["number"] for one in first["items"]] == [second.number]
    rest = api.get(f"/api/v1/reports?limit=1&cursor={first['next_cursor']}").json()
    assert [one["period"] for one in rest["items"]] == ["2020-01"]
    assert rest["next_cursor"] is None
    assert len(api.get(f"/api/v1/reports?period={month.period}").json()["items"]) == 1
    assert len(api.get("/api/v1/reports?customer=Alder").json()["items"]) == 2
    for query, status in (("period=2026-13", 422), ("customer=Nobody", 404), ("cursor=x", 422), ("limit=0", 422)):
        answer = api.get(f"/api/v1/reports?{query}")
        assert (answer.status_code, set(answer.json())) == (status, {"error"}), query


def test_what_is_sent_is_what_was_signed(statement: Statement, month: Month, api_of: ApiOf) -> None:
    api = api_of(month.people.a)
    sent = body_of(api.get(f"/api/v1/reports/{statement.pk}.json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(sent))
    hours = body_of(api.get(f"/api/v1/reports/{statement.pk}.csv"))
    (told,) = json.loads(sent)["statement"]["evidence"]
    assert told == {
        "name": "hours.csv",
        "sha256": hashlib.sha256(hours).hexdigest(),
        "bytes": len(hours),
        "rows": hours.count(b"\n") - 1,
    }
    slots, seconds = (body_of(api.get(f"/api/v1/reports/{statement.pk}/{name}.csv")) for name in ("slots", "seconds"))
    contents = {"statement.json": sent, "hours.csv": hours, "slots.csv": slots, "seconds.csv": seconds}
    assert plimsoll_verify.verify(plimsoll_verify.from_bytes(contents)).problems == []
    archive = body_of(api.get(f"/api/v1/reports/{statement.pk}/bundle.zip"))
    assert plimsoll_verify.verify(plimsoll_verify.from_zip(io.BytesIO(archive))).problems == []


def test_the_paper_is_the_same_for_everybody_and_for_ever(statement: Statement, month: Month, api_of: ApiOf) -> None:
    path = f"/api/v1/reports/{statement.pk}.pdf"
    first, second = body_of(api_of(month.people.a).get(path)), body_of(api_of(month.people.noc).get(path))
    assert first == second
    assert first.startswith(b"%PDF-")
    assert body_of(api_of(month.people.a).get(f"{path}?language=fr")).startswith(b"%PDF-")
    assert api_of(month.people.a).get(f"{path}?language=../x").status_code == 422


def test_one_disk_of_it_and_a_disk_that_is_not_in_it(statement: Statement, month: Month, api_of: ApiOf) -> None:
    api, disk = api_of(month.people.a), month.disks["framed"].pk
    rows = body_of(api.get(f"/api/v1/reports/{statement.pk}/slots.csv?disk={disk}")).splitlines()[1:]
    assert len(rows) == 120
    with zipfile.ZipFile(io.BytesIO(body_of(api.get(f"/api/v1/reports/{statement.pk}/bundle.zip?disk={disk}")))) as got:
        assert got.read("slots.csv").splitlines()[1:] == rows
    for end in ("slots.csv", "seconds.csv", "bundle.zip"):
        assert api.get(f"/api/v1/reports/{statement.pk}/{end}?disk=999999999").status_code == 404


def test_a_code_is_answered_without_an_account(statement: Statement, api_of: ApiOf) -> None:
    got = api_of(None).get(f"/api/v1/reports/verify?code={statement.code}")
    assert got.status_code == 200
    assert (got.json()["valid"], got.json()["number"]) == (True, statement.number)
    for code in ("", "x", "0000-0000-0000-0000", "' OR 1=1"):
        assert api_of(None).get(f"/api/v1/reports/verify?code={code}").status_code == 404
    assert api_of(None).get("/api/v1/reports/verify").status_code == 422
    assert api_of(None).get("/api/v1/reports/schema.json").json() == SCHEMA


def test_a_draft_says_so_and_is_ones_own(month: Month, api_of: ApiOf) -> None:
    people = month.people
    path = f"/api/v1/reports/draft.json?period={PAST.text}"
    got = api_of(people.a).get(path).json()
    jsonschema.Draft202012Validator(SCHEMA).validate(got)
    assert got["statement"]["draft"] is True
    assert len(got["statement"]["disks"]) == 4
    report = plimsoll_verify.verify(plimsoll_verify.from_bytes({"statement.json": json.dumps(got).encode()}))
    assert not report.valid
    assert api_of(people.b).get(path).json()["statement"]["disks"] == []
    assert api_of(people.b).get(f"{path}&customer=Alder").status_code == 404
    assert api_of(people.stranger).get(path).status_code == 422
    assert api_of(people.noc).get(path).status_code == 422
    pdf = api_of(people.noc).get(f"/api/v1/reports/draft.pdf?period={PAST.text}&customer=Alder")
    assert pdf.content.startswith(b"%PDF-")
