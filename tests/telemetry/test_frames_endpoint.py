"""`POST /api/v1/frames`: accepted once, refused with a reason, durable before the answer."""

import gzip
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import msgspec
import psycopg
import pytest
import zstandard
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from plimsoll_agent.core import layout
from sla.contracts.models import Contract
from sla.contracts.services import add_version, assign
from sla.fleet.models import Agent, Disk
from sla.telemetry import store
from sla.telemetry.models import DueSlot, Frame
from sla.telemetry.wire import Key
from tests.telemetry.machines import description, minute

pytestmark = pytest.mark.django_db
NOW = int(time.time()) // 60 * 60
Send = Callable[..., Any]


@pytest.fixture
def enrolled(key_a: str) -> dict[str, Any]:
    answer = Client().post(
        "/api/v1/enrol", description(), content_type="application/json", headers={"Authorization": f"Bearer {key_a}"}
    )
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def send(enrolled: dict[str, Any]) -> Send:
    def post(*frames: dict[str, Any], raw: bytes | None = None, kind: str = "application/json", **headers: str) -> Any:
        body = {"agent": {"version": "1.0.0", "boot_id": "boot-1", "sent_at": time.time()}, "frames": list(frames)}
        headers = {"Authorization": f"Bearer {enrolled['agent_token']}", **headers}
        return Client().post(
            "/api/v1/frames", raw if raw is not None else json.dumps(body).encode(), content_type=kind, headers=headers
        )

    return post


def outcome(response: Any) -> tuple[int, int, list[str]]:
    answer = response.json()
    return answer["accepted"], answer["duplicates"], [refusal["code"] for refusal in answer["rejected"]]


def test_a_minute_is_stored_once_and_marks_its_slot_due(send: Send, enrolled: dict[str, Any]) -> None:
    frame = minute(NOW - 240, term=enrolled["policy"]["disks"][0]["terms"][0]["term"])
    assert outcome(send(frame)) == (1, 0, [])
    assert outcome(send(frame)) == (0, 1, [])
    assert outcome(send({**frame, "read_ms": [9] * 60})) == (0, 0, ["conflict"])
    assert outcome(send(minute(NOW - 230, n=20))) == (0, 0, ["overlap"])
    stored, due = Frame.objects.get(), DueSlot.objects.get()
    assert stored.start.timestamp() == due.start.timestamp() == NOW - 240
    decoded = layout.decode(bytes(stored.body), 60)
    assert decoded["read_ios"] == frame["read_ios"] and decoded["slow"][0]["write_est"] == frame["slow"][0]["write_est"]


def test_the_same_frame_twice_in_one_upload_is_stored_once(send: Send) -> None:
    frame = minute(NOW - 240)
    assert outcome(send(frame, frame, {**frame, "read_ms": [9] * 60})) == (1, 1, ["conflict"])


def test_halves_of_a_minute_are_two_frames_of_one_slot(send: Send) -> None:
    assert outcome(send(minute(NOW - 240, n=30), minute(NOW - 210, n=30))) == (2, 0, [])
    assert {due.start.timestamp() for due in DueSlot.objects.all()} == {NOW - 240}


@pytest.mark.parametrize("others", [0, 1, 2])
def test_what_touches_a_stored_frame_is_told_the_same_alone_and_beside_new_ones(send: Send, others: int) -> None:
    stored = minute(NOW - 590, n=20)
    assert outcome(send(stored)) == (1, 0, [])
    new = iter([minute(NOW - 540 + 60 * k) for k in range(6)])

    def sent_with_others(frame: dict[str, Any]) -> tuple[int, int, list[str]]:
        return outcome(send(frame, *[next(new) for _ in range(others)]))

    assert sent_with_others(stored) == (others, 1, [])
    assert sent_with_others(minute(NOW - 600)) == (others, 0, ["overlap"])
    assert sent_with_others(minute(NOW - 571, n=10)) == (others, 0, ["overlap"])
    beside = minute(NOW - 600, n=10), minute(NOW - 570, n=10)
    assert [outcome(send(frame)) for frame in beside] == [(1, 0, [])] * 2
    assert Frame.objects.count() == DueSlot.objects.count() == 3 + 3 * others


def test_one_bad_frame_does_not_stop_its_batch(send: Send) -> None:
    response = send({"device": "vda"}, minute(NOW - 180), minute(NOW - 110))
    assert outcome(response) == (1, 0, ["bad_shape", "bad_shape"])
    assert [refusal["index"] for refusal in response.json()["rejected"]] == [0, 2]


@pytest.mark.parametrize(
    ("frame", "code", "value"),
    [
        (minute(NOW + 6000), "future", str(NOW + 6000)),
        (minute(NOW - 63_072_000), "too_old", str(NOW - 63_072_000)),
        (minute(NOW - 300, vantage="moon"), "bad_value", "moon"),
        (minute(NOW - 300, vantage="host"), "forbidden_vantage", "host"),
        (minute(NOW - 300, device="vdq", serial="nobody"), "unknown_disk", "vdq"),
        (minute(NOW - 300, n=61), "bad_shape", "61"),
        (minute(NOW - 300, step_s=7), "bad_shape", "7"),
        (minute(NOW - 300, read_ms=["x"] * 60), "bad_shape", "str"),
        (minute(NOW - 300, read_ios=[1.5] * 60), "bad_shape", "float"),
        (minute(NOW - 300, read_ios=None), "bad_shape", "read_ios"),
    ],
)
def test_a_refusal_names_its_reason_and_value(send: Send, frame: dict[str, Any], code: str, value: str) -> None:
    response = send(frame)
    assert outcome(response) == (0, 0, [code])
    assert value in response.json()["rejected"][0]["message"]
    assert not Frame.objects.exists()


def test_the_packed_form_is_kept_byte_for_byte_and_equals_the_json_form(send: Send) -> None:
    frame = minute(NOW - 240)
    body = layout.encode({name: value for name, value in frame.items() if name not in Key.__struct_fields__})
    packed = {name: frame.get(name) for name in Key.__struct_fields__} | {"body": body}
    raw = msgspec.msgpack.encode({"agent": {"boot_id": "boot-1"}, "frames": [packed]})
    assert outcome(send(raw=raw, kind="application/msgpack")) == (1, 0, [])
    assert bytes(Frame.objects.get().body) == body
    assert outcome(send(frame)) == (0, 1, [])


def test_a_packed_body_of_another_length_is_refused(send: Send) -> None:
    frame = minute(NOW - 240, n=30)
    body = layout.encode({name: value for name, value in frame.items() if name not in Key.__struct_fields__})
    packed = {name: frame.get(name) for name in Key.__struct_fields__} | {"body": body, "n": 60}
    raw = msgspec.msgpack.encode({"agent": {}, "frames": [packed]})
    response = send(raw=raw, kind="application/msgpack")
    assert outcome(response) == (0, 0, ["bad_shape"]) and "30 steps" in response.json()["rejected"][0]["message"]


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.ZstdCompressor().compress)])
def test_compressed_bodies_are_taken(send: Send, name: str, pack: Callable[[bytes], bytes]) -> None:
    raw = json.dumps({"frames": [minute(NOW - 240)]}).encode()
    assert outcome(send(raw=pack(raw), **{"Content-Encoding": name})) == (1, 0, [])


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.ZstdCompressor().compress)])
def test_a_small_body_with_a_lot_of_zeros_in_it_is_too_large(
    send: Send, name: str, pack: Callable[[bytes], bytes]
) -> None:
    assert send(raw=pack(bytes(64 * 2**20)), **{"Content-Encoding": name}).status_code == 413


@pytest.mark.parametrize(
    ("raw", "headers", "status"),
    [
        (b"{", {}, 400),
        (b'{"frames": [{"start": NaN}]}', {}, 400),
        (b"\xff\xfe", {}, 400),
        (b"[]", {}, 400),
        (b'{"frames": [' + b"{}," * 1000 + b"{}]}", {}, 413),
        (b"x" * (4 * 2**20 + 1), {}, 413),
        (b"junk", {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(b'{"frames": []}', mtime=0)[:-9], {"Content-Encoding": "gzip"}, 400),
        (b"junk", {"Content-Encoding": "br"}, 415),
        (b"{}", {"Authorization": "Bearer wrong"}, 401),
        (b"{}", {"Authorization": ""}, 401),
    ],
)
def test_a_broken_request_is_refused_as_a_whole(send: Send, raw: bytes, headers: dict[str, str], status: int) -> None:
    response = send(raw=raw, **headers)
    assert response.status_code == status
    assert response.json()["error"]["code"] and response.json()["error"]["message"]


def test_enrolling_again_rotates_the_token_and_keeps_the_disk(enrolled: dict[str, Any], key_a: str, send: Send) -> None:
    assert outcome(send(minute(NOW - 240))) == (1, 0, [])
    again = Client().post(
        "/api/v1/enrol", description(), content_type="application/json", headers={"Authorization": f"Bearer {key_a}"}
    )
    assert again.json()["machine"] == enrolled["machine"]
    assert again.json()["agent_token"] != enrolled["agent_token"]
    assert send(minute(NOW - 180)).status_code == 401
    assert Frame.objects.get().disk.machine_id == enrolled["machine"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_is_a_503_with_retry_after(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(store, "take", away)
    response = send(minute(NOW - 240))
    assert response.status_code == 503 and int(response.headers["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_died_with_the_database_is_replaced_unseen(send: Send) -> None:
    assert outcome(send(minute(NOW - 240))) == (1, 0, [])
    with connection.cursor() as cursor, psycopg.connect(connection.connection.info.dsn) as other:
        cursor.execute("SELECT pg_backend_pid()")
        other.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
    assert outcome(send(minute(NOW - 180))) == (1, 0, [])


@pytest.mark.django_db(transaction=True)
def test_two_uploads_of_one_machine_at_once_cannot_both_store_the_same_time(send: Send) -> None:
    halves = [minute(NOW - 240), minute(NOW - 230, n=20), minute(NOW - 200, n=20), minute(NOW - 240, n=30)]
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda frame: in_thread(send, frame), halves))
    taken = sorted((f.start.timestamp(), f.start.timestamp() + f.n) for f in Frame.objects.all())
    assert all(before[1] <= after[0] for before, after in pairwise(taken))
    assert sum(accepted for accepted, _, _ in outcomes) == len(taken) > 0


def in_thread(send: Send, frame: dict[str, Any]) -> tuple[int, int, list[str]]:
    try:
        return outcome(send(frame))
    finally:
        connection.close()


def test_a_token_that_was_replaced_is_refused_although_this_process_remembers_it(
    send: Send, enrolled: dict[str, Any]
) -> None:
    assert outcome(send(minute(NOW - 240))) == (1, 0, [])
    Agent.objects.update(revoked_at=timezone.now())
    assert send(minute(NOW - 180)).status_code == 401
    assert Frame.objects.count() == 1


def test_what_changes_in_the_inventory_is_known_at_the_next_upload(send: Send, enrolled: dict[str, Any]) -> None:
    assert outcome(send(minute(NOW - 240))) == (1, 0, [])
    version = add_version(contract=Contract.objects.get(), text="99% < 5 ms at 500 IOPS")
    assign(disk=Disk.objects.get(), version=version, at=timezone.now())
    terms = send(minute(NOW - 180)).json()["policy"]["disks"][0]["terms"]
    assert terms[-1]["term"] == version.pk and terms[-1]["threshold_ms"] == 5
