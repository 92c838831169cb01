"""Is what the demonstration writes in bulk what the scorer itself would have written?"""

import json
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.test import Client, TestCase, override_settings
from django.utils import timezone

from sla.accounts.models import User
from sla.contracts.models import MaintenanceWindow
from sla.contracts.services import ensure_default_contract
from sla.demo import fleet as fleets
from sla.demo import history, state
from sla.demo.cast import cast
from sla.demo.live import Live
from sla.demo.prepare import Size, prepare
from sla.demo.sides import WAITING, sides
from sla.domain.states import State
from sla.fleet.models import Disk, PoolMembership
from sla.fleet.vantage import Vantage
from sla.neighbours import baselines
from sla.neighbours.models import NeighbourWindow, PoolState, WindowDisk
from sla.scoring import services, store
from sla.scoring.columns import KEY, ROLLED, sums_of_slots
from sla.scoring.histograms import merged
from sla.scoring.models import DiskNow
from sla.scoring.sides import sides as both_sides_of
from sla.simulator.world import DAY_S, HOUR_S
from sla.telemetry.models import Frame

SMALL = Size(
    pools=(("ssd-1", 10), ("ssd-2", 5), ("ssd-3", 8), ("ssd-4", 6), ("hdd-3", 3)),
    month_s=2 * DAY_S,
    slot_days=1,
    frames_s=2 * HOUR_S,
)


def rows(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with store.reading() as cursor:
        return cursor.execute(sql, list(values)).fetchall()


def slots() -> dict[tuple[Any, ...], tuple[Any, ...]]:
    columns = ", ".join(store.SLOT_COLUMNS)
    found = rows(f"SELECT {columns} FROM scoring_slot")  # noqa: S608
    return {row[:3]: row for row in found}


class Answers:
    """The server, asked through Django's test client."""

    def ask(self, method: str, path: str, token: str, body: bytes, kind: str) -> Any:
        response = Client().post(path, body, content_type=kind, headers={"Authorization": f"Bearer {token}"})
        answer = type("Answer", (), {"status": response.status_code, "body": response.json(), "reason": ""})
        return answer()


# As for every test, but before the preparation: one of them logs in with a password that it made.
@override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
class Prepared(TestCase):
    """One preparation, some seconds long, for all of them; what a test writes is rolled back after it."""

    files: ClassVar[tuple[Path, Path]]
    made: ClassVar[state.State]

    @classmethod
    def setUpTestData(cls) -> None:
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.files = (folder / "demo.json", folder / "first-run.json")
        cls.files[1].write_text(json.dumps({"user": "noc"}))
        ensure_default_contract()
        cls.made = prepare(*cls.files, say=lambda words: None, size=SMALL)

    def test_scoring_the_stored_frames_again_gives_the_same_slots(self) -> None:
        before = slots()
        frames = Frame.objects.count()
        assert frames > 2 * 30 * 60 and len(before) > 32 * 1_440
        # Two hours: the hypervisor's agent has its holes in every other one.
        minutes = services.rescore(start=self.made.anchor - 2 * HOUR_S, end=self.made.anchor)
        assert minutes > 2 * 28 * 60
        after = slots()
        unlike = [key for key in before if before[key] != after[key]]
        assert not unlike, (before[unlike[0]], after[unlike[0]])

    def test_hours_and_days_are_the_sums_of_their_slots(self) -> None:
        names = ", ".join((*KEY, *ROLLED))
        since = self.made.anchor - 5 * HOUR_S
        listed = f"SELECT {names} FROM scoring_hour WHERE start >= to_timestamp(%s) ORDER BY {', '.join(KEY)}"  # noqa: S608
        stored = rows(listed, since)
        summed = rows(
            f"SELECT disk_id, vantage, date_trunc('hour', start) AS hour, term, excluded, {sums_of_slots()} "  # noqa: S608
            "FROM scoring_slot WHERE start >= to_timestamp(%s) GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5",
            (since // HOUR_S + 1) * HOUR_S,
        )
        kept = {row[:5]: row for row in stored}
        assert len(summed) > 100
        assert all(kept[row[:5]] == row for row in summed)
        (day,) = rows("SELECT sum(read_ios), sum(slots) FROM scoring_day")
        (hour,) = rows("SELECT sum(read_ios), sum(slots) FROM scoring_hour")
        assert day == hour

    def test_the_histogram_of_an_hour_is_that_of_its_slots(self) -> None:
        hour = (self.made.anchor // HOUR_S - 1) * HOUR_S
        found = rows(
            "SELECT disk_id, hist FROM scoring_hour WHERE start = to_timestamp(%s) ORDER BY disk_id LIMIT 5", hour
        )
        for disk, hist in found:
            inside = rows(
                "SELECT hist FROM scoring_slot WHERE disk_id = %s AND start >= to_timestamp(%s) "
                "AND start < to_timestamp(%s)",
                disk, hour, hour + HOUR_S,
            )  # fmt: skip
            assert bytes(hist) == merged([bytes(one) for (one,) in inside])

    def test_the_past_has_no_gaps_that_were_none(self) -> None:
        gaps = rows("SELECT DISTINCT disk_id, vantage FROM scoring_slot WHERE gap_ios > 0")
        who = cast(pools=SMALL.pools)
        lossy = {(member.number, Vantage.GUEST) for member in who.members if member.tenant.loss > 0}
        lossy |= {(number, Vantage.HOST) for number, side in sides(who).items() if side.patchy}
        numbers = {disk.pk: number for number, disk in fleets.found(who).items()}
        assert {(numbers[disk], vantage) for disk, vantage in gaps} <= lossy

    def test_guest_and_host_of_a_disk_tell_one_story(self) -> None:
        who = cast(pools=SMALL.pools)
        hosted, disks = sides(who), fleets.found(who)
        assert len(hosted) == 4
        for number, side in hosted.items():
            got = both_sides_of(disks[number].pk, self.made.anchor - 20 * HOUR_S, self.made.anchor)
            assert got is not None and got["both"] is not None
            assert not got["both"]["disagree"], got["both"]["first"]
            share = 1 - got["both"]["time_ms"]["host"] / got["both"]["time_ms"]["guest"]
            assert share > 0.45 if side.between == WAITING else share < 0.2
            seen = got["host"]["observed_s"] / (20 * HOUR_S)
            assert 0.6 < seen < 0.7 if side.patchy else seen == 1

    def test_every_state_of_the_story_is_there(self) -> None:
        who = cast(pools=SMALL.pools)
        disks = fleets.found(who)

        def of(pool: str, place: int) -> DiskNow:
            return DiskNow.objects.get(disk=disks[who.in_pool(pool)[place].number])

        assert DiskNow.objects.count() == 32
        assert of("ssd-1", 1).state == State.BREACHED and of("ssd-1", 1).proved
        assert of("ssd-4", 2).state == State.EXCUSED
        assert of("ssd-1", 9).state == State.IDLE
        assert of("hdd-3", 0).state == State.NO_DATA
        assert DiskNow.objects.filter(state=State.MET).count() > 15
        moved = disks[who.in_pool("ssd-2")[3].number]
        assert moved.pool.name == "ssd-4" and PoolMembership.objects.filter(disk=moved).count() == 2
        now = timezone.now()
        assert MaintenanceWindow.objects.filter(ends_at__lt=now).exists()
        assert MaintenanceWindow.objects.filter(starts_at__gt=now, starts_at__lt=now + timedelta(days=2)).exists()

    def test_a_customers_user_sees_its_own_disks_only(self) -> None:
        first = json.loads(self.files[1].read_text())
        assert first["user"] == "noc" and first["customer_user"] and len(first["customer_password"]) > 12
        user = User.objects.get(username=first["customer_user"])
        assert user.check_password(first["customer_password"]) and not user.is_noc
        self.client.force_login(user)
        own = Disk.objects.filter(machine__customer__name="Alder").count()
        listed = self.client.get("/api/v1/disks?limit=100").json()["items"]
        assert 0 < own == len(listed) < 32
        assert {one["customer"] for one in listed} == {"Alder"} or all(
            "Alder" in str(one["customer"]) for one in listed
        )

    def test_a_second_start_makes_nothing_anew_and_catches_up(self) -> None:
        before = slots()
        rows_before = Disk.objects.count()
        # As if it had been off for the last half hour.
        cut = history.newest_slot([disk.pk for disk in Disk.objects.all()]) - 1_800
        with store.transacting() as cursor:
            for table in ("scoring_slot", "telemetry_frame"):
                cursor.execute(f"DELETE FROM {table} WHERE start >= to_timestamp(%s)", [cut])  # noqa: S608
        said: list[str] = []
        assert prepare(*self.files, say=said.append, size=SMALL) == self.made
        assert Disk.objects.count() == rows_before and any("caught up" in words for words in said)
        after = slots()
        assert set(before) <= set(after)
        # One disk's hypervisor sees only part of the time, and says what went by meanwhile.
        lost = (
            "SELECT start, gap_ios FROM scoring_slot WHERE start >= to_timestamp(%s) AND vantage = 1 AND gap_ios <> 0"
        )
        assert not rows(lost, cut)

    def test_older_minutes_are_filled_in_once_and_agree_with_their_hours(self) -> None:
        who = cast(pools=SMALL.pools)
        fleet = fleets.fleet_of(who, self.made.anchor, self.made.anchor, started=fleets.OLDER)
        plan = SMALL.plan(self.made.anchor)
        assert history.older_slots(fleet, plan) >= 31 * 1_440
        assert history.older_slots(fleet, plan) == 0
        (slot,) = rows("SELECT sum(read_ios), sum(eligible), sum(slow), sum(slow_high), sum(gap_ios) FROM scoring_slot")
        (hour,) = rows("SELECT sum(read_ios), sum(eligible), sum(slow), sum(slow_high), sum(gap_ios) FROM scoring_hour")
        assert slot == hour

    def test_the_pool_that_a_culprit_slows_has_windows_and_a_suspect_and_a_calm_pool_has_none(self) -> None:
        who = cast(pools=SMALL.pools)
        disks = fleets.found(who)
        found = NeighbourWindow.objects.filter(pool__name="ssd-3", disk=None)
        assert found.count() >= 3
        culprit = disks[who.in_pool("ssd-3")[6].number]
        named = WindowDisk.objects.filter(window__in=found, role="suspect")
        assert {one.disk_id for one in named} <= {culprit.pk} and named.exists()
        assert not NeighbourWindow.objects.filter(pool__name="hdd-3", disk=None).exists()
        # The worker, another process, reads what was learnt here from the database.
        with store.reading() as cursor:
            followed = PoolState.objects.get(pool__name="ssd-3")
            asked = (
                followed.pool_id,
                int(followed.first.timestamp()),
                int(followed.through.timestamp()),
                followed.relearnt,
            )
            learnt = baselines.known_at(cursor, *asked)
            baselines.forget_all()
            read = baselines.known_at(cursor, *asked)
        assert learnt is not None and read is not None
        assert read[1].thresholds.hot == pytest.approx(learnt[1].thresholds.hot)

    def test_pools_that_hang_on_one_switch_are_slow_together_and_nobody_is_named(self) -> None:
        at = datetime.fromtimestamp(self.made.anchor - 9 * HOUR_S, UTC)
        found = NeighbourWindow.objects.filter(start__range=(at - timedelta(minutes=3), at + timedelta(minutes=3)))
        assert {window.pool.name: window.cause for window in found} == dict.fromkeys(
            ("ssd-1", "ssd-2", "ssd-4"), "wider"
        )
        assert not WindowDisk.objects.filter(window__in=found, role="suspect").exists()

    def test_live_agents_are_let_in_and_every_frame_is_taken_and_scored(self) -> None:
        who = cast(pools=SMALL.pools)
        start = history.now_minute() - 60
        fleet = fleets.fleet_of(who, self.made.anchor, start, started=start)
        ruling = [fleet.term_at(number, start) for number in range(len(who.members))]
        terms = {number: contract.term(term) for number, (term, contract) in enumerate(ruling)}
        with store.transacting() as cursor:  # as if history had ended before
            for table in ("scoring_slot", "telemetry_frame"):
                cursor.execute(f"DELETE FROM {table} WHERE start >= to_timestamp(%s)", [start])  # noqa: S608
        live = Live(who, self.made.anchor, fleets.enter(who, timezone.now(), start), terms, start)
        frames = live.frames(start)
        expected = sum(len(sent) for sent in frames.values())
        seen_by_hosts = len(frames["hv-03"])
        assert seen_by_hosts in (3, 4)  # its agent looks at one of them now and then only
        assert 25 < expected - seen_by_hosts < 32  # a machine is silent
        assert live.send(Answers(), frames, 0.0) == expected
        while services.settle_due().marks:
            pass
        (got,) = rows(
            "SELECT count(*), sum(read_ios + write_ios) FROM scoring_slot WHERE start = to_timestamp(%s)", start
        )
        assert got[0] == expected and got[1] > 10_000
        disks = fleets.found(who)
        both = [both_sides_of(disks[number].pk, start, start + 60) for number in sides(who)]
        told = [one["both"] for one in both if one is not None and one["both"] is not None]
        assert len(told) == seen_by_hosts
        assert all(one["slots"] == 1 and not one["disagree"] and one["beyond_host_ms_per_io"] > 0 for one in told)
