"""Uploads take the short way in front of Django, and are told the same as on the long one."""

import io
import json
import time
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from sla.telemetry import store
from sla.telemetry.models import Frame
from sla.wsgi import application
from tests.telemetry.machines import description, minute

pytestmark = pytest.mark.django_db(transaction=True)
NOW = int(time.time()) // 60 * 60


@pytest.fixture
def token(key_a: str) -> str:
    headers = {"Authorization": f"Bearer {key_a}"}
    answer = Client().post("/api/v1/enrol", description(), content_type="application/json", headers=headers)
    return str(answer.json()["agent_token"])


def ask(body: bytes, path: str = "/api/v1/frames", **more: str) -> tuple[str, dict[str, str], bytes]:
    """As a web server calls the application: (status line, headers, body)."""
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": path, "QUERY_STRING": "", "SCRIPT_NAME": ""}
    environ |= {"SERVER_NAME": "localhost", "SERVER_PORT": "80", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost"}
    environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), **more}
    begun: list[Any] = []
    given = {"wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(), "wsgi.url_scheme": "http"}
    parts = application(environ | given, lambda status, headers: begun.extend((status, headers)))
    try:
        return begun[0], dict(begun[1]), b"".join(parts)
    finally:
        getattr(parts, "close", bool)()


def upload(*frames: dict[str, Any]) -> bytes:
    return json.dumps({"agent": {"boot_id": "boot-1"}, "frames": list(frames)}).encode()


def test_an_upload_is_stored_and_told_of_as_json_that_nobody_may_take_for_anything_else(token: str) -> None:
    status, headers, body = ask(upload(minute(NOW - 240)), HTTP_AUTHORIZATION=f"Bearer {token}")
    assert (status, json.loads(body)["accepted"]) == ("200 OK", 1)
    assert headers == {"Content-Type": "application/json", "X-Content-Type-Options": "nosniff"}
    assert Frame.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "more", "status"),
    [
        (b"{}", {}, 401),
        (b"{}", {"HTTP_AUTHORIZATION": "Bearer nobody"}, 401),
        (b"{", {"known": "yes"}, 400),
        (b"{}", {"known": "yes", "CONTENT_TYPE": "text/plain"}, 415),
        (b"x" * (4 * 2**20 + 1), {"known": "yes"}, 413),
        (b"{}", {"known": "yes", "REQUEST_METHOD": "GET"}, 405),
    ],
)
def test_a_refusal_is_the_same_on_both_ways(token: str, body: bytes, more: dict[str, str], status: int) -> None:
    said = {name: value for name, value in more.items() if name != "known"}
    if "known" in more:
        said["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    line, headers, told = ask(body, **said)
    assert line.startswith(f"{status} ") and headers["Content-Type"] == "application/json"
    assert ("WWW-Authenticate" in headers) == (status == 401)
    error = json.loads(told)["error"]
    assert error["code"] and error["message"]
    if status == 405:
        return  # Django's router answers that on the long way
    long = Client().generic("POST", "/api/v1/frames", body, said.pop("CONTENT_TYPE", "application/json"), **said)
    assert (long.status_code, long.json()["error"]) == (status, error)


def test_a_body_that_does_not_say_how_long_it_is_is_read_up_to_the_limit(token: str) -> None:
    more = {"HTTP_AUTHORIZATION": f"Bearer {token}", "CONTENT_LENGTH": ""}
    assert ask(upload(minute(NOW - 240)), **more)[0] == "200 OK"
    assert ask(b"x" * (4 * 2**20 + 1), **more)[0].startswith("413 ")


def test_a_database_that_is_away_is_a_503_with_retry_after(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(store, "take", away)
    status, headers, _ = ask(upload(minute(NOW - 240)), HTTP_AUTHORIZATION=f"Bearer {token}")
    assert status == "503 Service Unavailable" and int(headers["Retry-After"]) > 0


def test_whatever_else_is_asked_goes_on_to_django() -> None:
    status, _, body = ask(b"", "/healthz", REQUEST_METHOD="GET")
    assert status == "200 OK" and body
    assert ask(b"", "/api/v1/frames/", REQUEST_METHOD="GET")[0].startswith("404")


def test_a_failure_of_ours_is_logged_told_as_json_and_tells_nobody_what_failed(
    token: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("hidden reason")

    with monkeypatch.context() as patched:
        patched.setattr(store, "touching", fail)
        status, headers, body = ask(upload(minute(NOW - 240)), HTTP_AUTHORIZATION=f"Bearer {token}")
    assert (status, headers["Content-Type"]) == ("500 Internal Server Error", "application/json")
    assert json.loads(body)["error"]["code"] == "internal_error" and b"hidden" not in body
    assert "hidden reason" in caplog.text
    again, _, _ = ask(upload(minute(NOW - 240)), HTTP_AUTHORIZATION=f"Bearer {token}")
    assert again == "200 OK" and Frame.objects.count() == 1
