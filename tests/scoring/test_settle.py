"""Due minutes become slots, hours, days and a standing: once, whoever does it and however often."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from sla.domain.states import Grade, State
from sla.fleet.models import Disk
from sla.scoring import settle as settle_module
from sla.scoring.models import Day, DiskNow, Hour, Slot
from sla.scoring.services import mark_due, rescore, settle_due
from sla.telemetry.models import DueSlot, Frame
from tests.scoring.conftest import NOW, keep
from tests.telemetry.machines import minute

pytestmark = pytest.mark.django_db
Sent = Callable[..., dict[str, Any]]


def everything() -> list[list[tuple[Any, ...]]]:
    tables = ("scoring_slot", "scoring_hour", "scoring_day")
    with connection.cursor() as cursor:
        found = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {table} ORDER BY disk_id, vantage, start")  # noqa: S608
            found.append(
                [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in cursor.fetchall()]
            )
    return found


def test_a_minute_becomes_a_slot_with_the_sums_of_its_frame(sent: Sent, disk: Disk, term: int) -> None:
    frame = sent(4)
    assert settle_due().slots == 1
    slot, labels = Slot.objects.get(), frame["slow"][0]
    ios = sum(frame["read_ios"]) + sum(frame["write_ios"])
    assert (slot.disk_id, slot.term, slot.start.timestamp()) == (disk.pk, term, NOW - 240)
    assert (slot.read_ios, slot.write_ios) == (sum(frame["read_ios"]), sum(frame["write_ios"]))
    assert slot.read_bytes + slot.write_bytes == 512 * (sum(frame["read_sectors"]) + sum(frame["write_sectors"]))
    assert (slot.eligible_low, slot.eligible, slot.eligible_high) == (ios, ios, ios)
    assert (slot.slow_low, slot.slow, slot.slow_high) == (0, sum(labels["write_est"]), sum(labels["write_hi"]))
    assert (slot.state, slot.proved, slot.grade, slot.observed_s) == (State.MET, True, Grade.B, 60)
    assert not DueSlot.objects.exists()


def test_hours_and_days_are_the_sums_of_their_slots(sent: Sent) -> None:
    for ago in range(4, 130):
        sent(ago)
    assert settle_due(batch=50).marks == 126
    assert Slot.objects.count() == 126
    for table in (Hour, Day):
        for name in ("slots", "observed_s", "write_ios", "eligible", "slow", "slow_high", "read_bytes"):
            whole = sum(getattr(row, name) for row in table.objects.all())
            assert whole == (126 if name == "slots" else sum(getattr(s, name) for s in Slot.objects.all()))


def test_scoring_twice_changes_nothing(sent: Sent, disk: Disk) -> None:
    for ago in range(4, 70):
        sent(ago)
    settle_due()
    before = everything()
    assert mark_due(disks=[disk.pk], start=NOW - 7200, end=NOW) == 66
    assert settle_due().slots == 66
    assert rescore(start=NOW - 7200, end=NOW) == 66
    assert everything() == before


def test_the_disk_stands_as_its_period_does(sent: Sent, disk: Disk) -> None:
    for ago in range(1, 8):
        sent(ago)
    settle_due()
    now = DiskNow.objects.get(disk=disk)
    assert State(now.state) is State.MET
    assert now.coverage == 1
    assert now.seen_at is not None and now.seen_at.timestamp() == NOW
    assert now.sli_low is not None and now.sli_high is not None and now.sli_low <= now.sli_high
    assert now.reasons == []


def test_what_no_frame_saw_is_a_gap_in_no_slot(disk: Disk, term: int) -> None:
    def base(ios: int, ms: int) -> dict[str, int]:
        return {"read_ios": ios, "write_ios": 0, "read_ms": ms, "write_ms": 0}

    flat = {"read_ios": [10] * 60, "write_ios": [0] * 60, "read_ms": [20] * 60, "write_ms": [0] * 60, "slow": []}
    keep(
        disk, minute(NOW - 600, **flat, base=base(1000, 2**32 - 700)), minute(NOW - 300, **flat, base=base(2500, 3000))
    )
    settle_due()
    first, second = Slot.objects.order_by("start")
    assert (first.gap_ios, first.gap_ms) == (0, 0)
    assert (second.gap_ios, second.gap_ms) == (2500 - 1600, 3000 - 500)
    # The hole fills late: what it explains is no gap any more.
    keep(disk, minute(NOW - 540, **flat, base=base(1600, 500)))
    settle_due()
    assert [s.gap_ios for s in Slot.objects.order_by("start")] == [0, 0, 2500 - 2200]
    assert sum(hour.gap_ms for hour in Hour.objects.all()) == 3000 - 1700
    assert list(Slot.objects.order_by("start").values_list("observed_s", flat=True)) == [60, 60, 60]


def test_one_odd_minute_does_not_hold_up_the_others(
    sent: Sent, disk: Disk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for ago in (5, 6, 7):
        sent(ago)
    real = settle_module.judge_minutes

    def odd(cursor: Any, keys: Any, **options: Any) -> Any:
        if any(key[2] == NOW - 360 for key in keys):
            raise OverflowError("too large")
        return real(cursor, keys, **options)

    monkeypatch.setattr(settle_module, "judge_minutes", odd)
    settle_due()
    assert {slot.start.timestamp() for slot in Slot.objects.all()} == {NOW - 300, NOW - 420}
    assert not DueSlot.objects.exists() and "left without a score" in caplog.text


def test_a_damaged_frame_is_unobserved_and_said(sent: Sent, caplog: pytest.LogCaptureFixture) -> None:
    sent(5)
    sent(6)
    Frame.objects.filter(start__lt=datetime.fromtimestamp(NOW - 300, UTC)).update(body=b"damaged")
    settle_due()
    assert Slot.objects.count() == 1 and "cannot be read" in caplog.text


def test_what_foreign_agents_claim_cannot_stop_scoring(disk: Disk) -> None:
    huge = [2**52] * 60
    keep(
        disk, minute(NOW - 300, read_ios=huge, read_ms=huge, read_sectors=huge, queue_ms=huge, in_flight=huge, slow=[])
    )
    settle_due()
    assert Slot.objects.get().read_ios == 2**31 - 1


def test_marks_and_frames_that_a_deleted_disk_leaves_hold_up_nobody(
    sent: Sent, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    sent(5)
    gone = disk.pk + 1_000_000
    for table in ("telemetry_frame", "telemetry_dueslot"):
        columns = [field.column for field in (Frame if table.endswith("frame") else DueSlot)._meta.concrete_fields]
        others = ", ".join(name for name in columns if name not in ("disk_id", "id"))
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} (disk_id, {others}) SELECT %s, {others} FROM {table}", [gone])  # noqa: S608
    settle_due()
    assert set(Slot.objects.values_list("disk", flat=True)) == {disk.pk}
    assert not DueSlot.objects.exists()
    assert f"disks that are no more are not scored: [{gone}]" in caplog.text
