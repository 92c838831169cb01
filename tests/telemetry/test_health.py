"""What an agent says of itself: kept once a minute, never at the cost of its frames."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sla.fleet.models import Agent, Machine
from sla.telemetry import health, ingest
from tests.conftest import People
from tests.telemetry.machines import description, minute

pytestmark = pytest.mark.django_db
NOW = int(time.time()) // 60 * 60
SAID = {"cpu_ratio": 0.0015, "rss_bytes": 9_400_000, "fine_ms": 100, "spool_frames": 3, "spool_bytes": 12_288}
SAID |= {"canary_reads": 12, "dropped_frames": 2, "last_error": "no route to host"}


@pytest.fixture
def send(key_a: str) -> Any:
    enrolled = (
        Client()
        .post(
            "/api/v1/enrol",
            description(),
            content_type="application/json",
            headers={"Authorization": f"Bearer {key_a}"},
        )
        .json()
    )

    def post(start: int, **said: Any) -> Any:
        body = {"agent": {"version": "1", "boot_id": "b", **said}, "frames": [minute(start)]}
        headers = {"Authorization": f"Bearer {enrolled['agent_token']}"}
        return Client().post("/api/v1/frames", body, content_type="application/json", headers=headers).json()

    return post


def test_it_is_kept_and_within_the_same_minute_not_again(send: Any) -> None:
    assert send(NOW - 300, **SAID)["accepted"] == 1
    agent = Agent.objects.get()
    assert agent.health == SAID and agent.health_at is not None
    send(NOW - 240, **{**SAID, "fine_ms": 10})
    agent.refresh_from_db()
    assert agent.health["fine_ms"] == 100
    Agent.objects.update(health_at=timezone.now() - timedelta(seconds=51))
    send(NOW - 180, **{**SAID, "fine_ms": 10})
    agent.refresh_from_db()
    assert agent.health["fine_ms"] == 10


def test_an_upload_without_it_takes_no_statement_more(send: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(ingest, "keep", lambda *given: kept.append(given))
    send(NOW - 300)
    assert kept == []
    send(NOW - 240, **SAID)
    assert len(kept) == 1


@pytest.mark.parametrize(
    "odd",
    [
        {"cpu_ratio": "much", "rss_bytes": -5, "spool_frames": True, "last_error": 7},
        {"cpu_ratio": 1e300, "dropped_frames": [1], "fine_ms": {"a": 1}, "rss_bytes": None, "canary_reads": "9"},
    ],
)
def test_odd_words_cost_no_frame(send: Any, odd: dict[str, Any]) -> None:
    assert send(NOW - 300, **odd, spool_bytes=5)["accepted"] == 1
    assert Agent.objects.get().health == {"spool_bytes": 5}


def test_both_pages_show_it_and_the_facts_as_people_read_them(send: Any, people: People) -> None:
    send(NOW - 300, **SAID)
    Agent.objects.update(health={**SAID, "clock_offset_s": 7.04})
    facts = {"dirty_limit_bytes": 3_773_870_080, "o_direct_honoured": True, "booted_at": 1_795_262_317}
    Machine.objects.update(facts=facts)
    client = Client()
    client.force_login(people.a)
    listed = client.get("/agents").content.decode()
    assert "0.15 % of a CPU · 9.0 MiB · 12 canary reads" in listed and "3 frames wait, 12.0 KiB, 2 dropped" in listed
    assert "7.0 s behind" in listed
    page = client.get(f"/machines/{Machine.objects.get().pk}").content.decode()
    assert "every 100 ms" in page and "<dd>12 canary reads</dd>" in page and "no route to host" in page
    assert "<dd>7.0 s behind</dd>" in page
    Agent.objects.update(health={})
    assert "not known" in client.get("/agents").content.decode()
    assert "3.5 GiB" in page and "2026-11-21 11:58 UTC" in page and "<dd>yes</dd>" in page


@pytest.fixture
def no_clock_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_clocks", {})


@pytest.mark.usefixtures("no_clock_seen")
def test_a_clock_is_as_far_off_as_the_quickest_of_the_last_uploads_shows() -> None:
    # The clock is 3 s behind; the way takes from 0.2 s on.
    delays = (1.0, 0.2, 5.0, *(2.0 for _ in range(17)))
    told = [health.clock_offset(7, 1_000.0 + place, 1_003.0 + place + delay) for place, delay in enumerate(delays)]
    assert told == pytest.approx([4.0, *(3.2 for _ in delays[1:])])
    assert health.clock_offset(7, 2_000.0, 2_004.5) == pytest.approx(4.5), "what was long ago is forgotten"
    assert health.clock_offset(8, 2_000.0, 1_995.0) == pytest.approx(-5.0)


@pytest.mark.usefixtures("no_clock_seen")
def test_who_does_not_say_when_it_sent_has_a_clock_that_is_not_known() -> None:
    assert health.clock_offset(7, None, 1_000.0) is None
    assert health.clock_offset(7, float("nan"), 1_000.0) is None
    assert health.clock_offset(7, 0.0, 1.8e9) is None
    assert not health._clocks


@pytest.mark.usefixtures("no_clock_seen")
def test_the_offset_is_kept_with_the_words(send: Any) -> None:
    send(NOW - 300, sent_at=time.time() + 30)
    send(NOW - 240, sent_at=time.time() + 10, **SAID)
    kept = Agent.objects.get().health
    assert -31 < kept.pop("clock_offset_s") <= -29
    assert kept == SAID
