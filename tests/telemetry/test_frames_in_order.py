"""Frames that come in order are stored without a look at what is there; all others are looked at, whatever is known."""

import json
import random
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sla.fleet.models import Agent, Disk
from sla.fleet.vantage import Vantage
from sla.telemetry.models import DueSlot, Frame, Source
from tests.telemetry.machines import description, minute

pytestmark = pytest.mark.django_db
NOW = int(time.time()) // 60 * 60
SECOND_DISK = {"device": "vdb", "serial": "second"}


class Machine:
    """With two disks, and what it was told of its frames."""

    def __init__(self, key: str) -> None:
        described = description()
        described["disks"].append({**described["disks"][0], **SECOND_DISK})
        answer = Client().post(
            "/api/v1/enrol", described, content_type="application/json", headers={"Authorization": f"Bearer {key}"}
        )
        self.token = answer.json()["agent_token"]

    def told(self, *frames: dict[str, Any]) -> tuple[int, int, list[str]]:
        response = Client().post(
            "/api/v1/frames",
            json.dumps({"agent": {"boot_id": "b"}, "frames": list(frames)}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.token}"},
        )
        answer = response.json()
        return answer["accepted"], answer["duplicates"], [refusal["code"] for refusal in answer["rejected"]]

    @property
    def in_order(self) -> bool:
        return Agent.objects.get().in_order

    @property
    def until(self) -> int | None:
        return Agent.objects.get().frames_until


@pytest.fixture
def machine(key_a: str) -> Machine:
    return Machine(key_a)


@pytest.mark.parametrize("together", [False, True])
def test_each_minute_after_the_last_is_in_order(machine: Machine, together: bool) -> None:
    assert machine.until == 0
    for start in range(NOW - 600, NOW - 300, 60):
        frames = [minute(start), *([minute(start, **SECOND_DISK)] if together else [])]
        assert machine.told(*frames) == (len(frames), 0, []) and machine.in_order
        assert machine.until == start + 60
    assert DueSlot.objects.count() == Frame.objects.count()


def test_a_minute_cut_early_and_its_rest_are_in_order(machine: Machine) -> None:
    assert machine.told(minute(NOW - 600, n=20)) == (1, 0, []) and machine.until == NOW - 580
    assert machine.told(minute(NOW - 580, n=40)) == (1, 0, []) and machine.in_order


def test_what_begins_before_the_end_of_what_is_stored_is_looked_at(machine: Machine) -> None:
    machine.told(minute(NOW - 600))
    assert machine.told(minute(NOW - 590, n=10)) == (0, 0, ["overlap"])
    assert machine.told(minute(NOW - 600)) == (0, 1, []) and not machine.in_order
    assert machine.told(minute(NOW - 600, **SECOND_DISK)) == (1, 0, [])
    assert machine.told(minute(NOW - 600, **SECOND_DISK), minute(NOW - 540)) == (1, 1, [])
    assert machine.until == NOW - 480


def test_a_refused_upload_never_makes_the_mark_lower(machine: Machine) -> None:
    machine.told(minute(NOW - 300))
    machine.told(minute(NOW - 600), minute(NOW - 300, read_ms=[9] * 60))
    assert machine.until == NOW - 240


def test_without_a_mark_everything_is_looked_at_for_an_hour(machine: Machine) -> None:
    machine.told(minute(NOW - 600))
    Agent.objects.update(frames_until=None)
    assert machine.told(minute(NOW - 590, n=10)) == (0, 0, ["overlap"])
    assert machine.told(minute(NOW - 540)) == (1, 0, []) and not machine.in_order
    assert machine.until is not None and machine.until >= NOW + 3_600


def test_a_machine_that_enrols_again_keeps_its_mark(machine: Machine, key_a: str) -> None:
    machine.told(minute(NOW - 600))
    again = Machine(key_a)
    assert again.until == NOW - 540
    assert again.told(minute(NOW - 590, n=10)) == (0, 0, ["overlap"])


def test_the_host_s_side_neither_moves_nor_trusts_the_mark(machine: Machine) -> None:
    Agent.objects.update(host_side=True)
    host = {"vantage": "host", "source": "qmp"}
    assert machine.told(minute(NOW - 300, **host)) == (1, 0, []) and machine.until == 0
    assert machine.told(minute(NOW - 290, n=10, **host)) == (0, 0, ["overlap"]) and not machine.in_order
    assert machine.told(minute(NOW - 600), minute(NOW - 240, **host)) == (2, 0, []) and machine.until == NOW - 540


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("others", [[], [minute(NOW - 540, **SECOND_DISK)]])
def test_frames_that_came_by_another_way_are_found_all_the_same(machine: Machine, others: list[dict[str, Any]]) -> None:
    machine.told(minute(NOW - 660))
    stored = Frame.objects.get()
    Frame.objects.create(
        disk=Disk.objects.get(device="vda"),
        vantage=Vantage.GUEST,
        start=datetime.fromtimestamp(NOW - 600, UTC),
        step_s=1,
        n=60,
        source=Source.DISKSTATS,
        boot=1,
        received_at=timezone.now(),
        body=stored.body,
    )
    assert machine.told(minute(NOW - 600), *others) == (len(others), 0, ["conflict"])
    assert machine.told(minute(NOW - 480)) == (1, 0, [])


def test_no_order_of_uploads_stores_a_moment_twice(machine: Machine) -> None:
    rng = random.Random(7)
    held: dict[tuple[str, int], dict[str, Any]] = {}
    for _ in range(60):
        start, n = NOW - 900 + 60 * rng.randrange(8) + rng.choice((0, 0, 0, 20, 40)), 60
        n = rng.choice([n for n in (20, 40, 60) if start % 60 + n <= 60])
        disk = rng.choice(({}, SECOND_DISK))
        frame = minute(start, n=n, **disk)
        name = frame["device"]
        touched = [
            one
            for (device, _), one in held.items()
            if device == name and one["start"] < start + n and start < one["start"] + one["n"]
        ]
        same = held.get((name, start))
        told = machine.told(frame)
        if not touched:
            held[name, start] = frame
            assert told == (1, 0, [])
        elif same is not None:
            assert told == ((0, 1, []) if same == frame else (0, 0, ["conflict"]))
        else:
            assert told == (0, 0, ["overlap"])
    assert Frame.objects.count() == len(held)
