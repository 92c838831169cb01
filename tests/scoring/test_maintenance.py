"""Maintenance: what it takes out, what it needs for that, and that minutes which have passed are scored again."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from sla.accounts.models import AuditEntry, Membership, User
from sla.contracts.maintenance import OddMaintenance, Places, windows_visible_to
from sla.contracts.models import MaintenanceWindow
from sla.fleet.models import Disk, Machine, Pool
from sla.fleet.placement import place_disk
from sla.scoring.maintenance import approve, cancel_window, move_window, plan_window
from sla.scoring.maintenance_series import cancel_series, lay_out_all, plan_series
from sla.scoring.models import Slot
from sla.scoring.services import settle_due
from tests.conftest import Api, People
from tests.scoring.conftest import NOW

Send = Callable[..., dict]


def at(ago: int) -> datetime:
    """So many minutes before now."""
    return datetime.fromtimestamp(NOW - 60 * ago, UTC)


def excluded(disk: Disk) -> list[int]:
    """How many minutes ago the minutes lie that are taken out."""
    rows = Slot.objects.filter(disk=disk, excluded=True).order_by("-start").values_list("start", flat=True)
    return [round((NOW - start.timestamp()) / 60) for start in rows]


@pytest.fixture
def scored(sent: Send, disk: Disk) -> Disk:
    """Ten minutes behind it."""
    for ago in range(10, 0, -1):
        sent(ago)
    settle_due()
    return disk


@pytest.fixture
def manager(people: People) -> User:
    Membership.objects.filter(user=people.a).update(role=Membership.Role.MANAGER)
    return people.a


def test_what_is_planned_ahead_is_taken_out_without_a_word(sent: Send, disk: Disk, people: People) -> None:
    early = at(10)
    plan_window(
        actor=people.noc,
        starts_at=at(5),
        ends_at=at(3),
        reason="firmware",
        places=Places([disk]),
        excludes=True,
        now=early,
    )
    for ago in range(7, 0, -1):
        sent(ago)
    settle_due()
    assert excluded(disk) == [4, 5]


def test_a_disk_that_moves_takes_with_it_only_the_part_of_a_pools_window_in_which_it_lay_there(
    sent: Send, disk: Disk, people: People
) -> None:
    old, new = Pool.objects.create(name="old"), Pool.objects.create(name="new")
    place_disk(disk=disk, pool=old, at=at(60))
    for pool, first, last in ((old, 9, 5), (new, 8, 2)):
        plan_window(
            actor=people.noc,
            starts_at=at(first),
            ends_at=at(last),
            reason="firmware",
            places=Places(pools=[pool]),
            excludes=True,
            now=at(20),
        )
    place_disk(disk=disk, pool=new, at=at(4))
    for ago in range(10, 0, -1):
        sent(ago)
    settle_due()
    assert excluded(disk) == [3, 4, 6, 7, 8, 9]


def test_what_has_passed_waits_for_the_customers_word_and_is_then_scored_again(
    scored: Disk, people: People, manager: User
) -> None:
    window = plan_window(
        actor=people.noc, starts_at=at(6), ends_at=at(4), reason="outage", places=Places([scored]), excludes=True
    )
    settle_due()
    assert (window.excludes, window.asks_exclusion, excluded(scored)) == (False, True, [])
    approve(window=window, customer=people.customer_a, actor=manager, note="agreed by phone")
    settle_due()
    window.refresh_from_db()
    assert (window.excludes, window.asks_exclusion, excluded(scored)) == (True, False, [5, 6])
    assert window.approvals[0].startswith("Alder: a, ")
    assert window.approvals[0].endswith("agreed by phone")


def test_every_customer_it_touches_has_to_agree(scored: Disk, people: People, manager: User) -> None:
    pool = Pool.objects.create(name="ssd-3")
    machine = Machine.objects.create(customer=people.customer_b, machine_id="b", hostname="b-1")
    Disk.objects.create(machine=machine, identity="b", device="vda", pool=pool)
    Disk.objects.filter(pk=scored.pk).update(pool=pool)
    window = plan_window(
        actor=people.noc, starts_at=at(6), ends_at=at(4), reason="outage", places=Places(pools=[pool]), excludes=True
    )
    assert not approve(window=window, customer=people.customer_a, actor=manager).excludes
    assert approve(window=window, customer=people.customer_b, actor=people.b).excludes
    with pytest.raises(OddMaintenance, match="asks for nothing"):
        approve(window=window, customer=people.customer_b, actor=people.b)


def test_a_customer_it_does_not_touch_has_no_word_in_it(scored: Disk, people: People) -> None:
    window = plan_window(
        actor=people.noc, starts_at=at(6), ends_at=at(4), reason="outage", places=Places([scored]), excludes=True
    )
    with pytest.raises(OddMaintenance, match="no disk of Birch"):
        approve(window=window, customer=people.customer_b, actor=people.b)


def test_cancelling_brings_the_time_back(scored: Disk, people: People, manager: User) -> None:
    window = plan_window(
        actor=people.noc, starts_at=at(6), ends_at=at(4), reason="outage", places=Places([scored]), excludes=True
    )
    approve(window=window, customer=people.customer_a, actor=manager)
    settle_due()
    cancel_window(window=window, actor=people.noc)
    cancel_window(window=window, actor=people.noc)
    settle_due()
    assert excluded(scored) == []
    verbs = list(AuditEntry.objects.filter(customer=people.customer_a).order_by("id").values_list("verb", flat=True))
    assert verbs[-3:] == ["maintenance planned", "exclusion approved", "maintenance cancelled"]


def test_a_shorter_window_needs_no_word_and_a_longer_one_asks_again(
    scored: Disk, people: People, manager: User
) -> None:
    window = plan_window(
        actor=people.noc, starts_at=at(8), ends_at=at(4), reason="outage", places=Places([scored]), excludes=True
    )
    window = approve(window=window, customer=people.customer_a, actor=manager)
    window = move_window(window=window, actor=people.noc, starts_at=at(7), ends_at=at(5))
    settle_due()
    assert (window.excludes, excluded(scored)) == (True, [6, 7])
    window = move_window(window=window, actor=people.noc, starts_at=at(9), ends_at=at(5))
    settle_due()
    assert (window.excludes, window.asks_exclusion, excluded(scored)) == (False, True, [])


def test_a_window_that_only_mutes_takes_nothing_out(scored: Disk, people: People) -> None:
    window = plan_window(actor=people.noc, starts_at=at(6), ends_at=at(4), reason="noise", places=Places([scored]))
    settle_due()
    assert (window.asks_exclusion, excluded(scored)) == (False, [])


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("reason", {"reason": " "}),
        ("disks", {"places": Places()}),
        ("ends_at", {"ends_at": at(6)}),
        ("ends_at", {"ends_at": at(6) + timedelta(days=8)}),
        ("starts_at", {"starts_at": at(6) - timedelta(days=90), "ends_at": at(6) - timedelta(days=89)}),
        ("mutes", {"mutes": False}),
    ],
)
def test_a_window_that_cannot_be_is_refused(disk: Disk, people: People, field: str, change: dict) -> None:
    wanted = {"starts_at": at(6), "ends_at": at(4), "reason": "x", "places": Places([disk]), **change}
    with pytest.raises(OddMaintenance) as refused:
        plan_window(actor=people.noc, **wanted)
    assert refused.value.field == field
    assert not MaintenanceWindow.objects.exists()


def test_sunday_nights_are_laid_out_ahead_on_the_clock_of_their_zone(disk: Disk, people: People) -> None:
    start = datetime(2027, 3, 1, 12, tzinfo=UTC)
    series = plan_series(
        actor=people.noc,
        rule="FREQ=WEEKLY;BYDAY=SU",
        begins_local="2027-01-03T02:00",
        minutes=120,
        zone="Europe/Prague",
        reason="patches",
        places=Places([disk]),
        excludes=True,
        now=start,
    )
    windows = list(series.windows.order_by("starts_at"))
    assert len(windows) == 10
    assert all(window.excludes and list(window.disks.all()) == [disk] for window in windows)
    leap = [window for window in windows if f"{window.starts_at:%m-%d}" == "03-28"]
    assert [(w.starts_at.hour, w.ends_at - w.starts_at) for w in leap] == [(1, timedelta(hours=1))]
    assert {w.starts_at.hour for w in windows if w.starts_at < leap[0].starts_at} == {1}
    assert {w.starts_at.hour for w in windows if w.starts_at > leap[0].starts_at} == {0}
    assert lay_out_all(now=start) == 0
    assert lay_out_all(now=start + timedelta(days=7)) == 1


def test_a_cancelled_series_keeps_what_has_begun(disk: Disk, people: People) -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC)
    series = plan_series(
        actor=people.noc,
        rule="FREQ=DAILY",
        begins_local="2027-01-01T02:00",
        minutes=60,
        zone="UTC",
        reason="backup",
        places=Places([disk]),
        now=start,
    )
    cancel_series(series=series, actor=people.noc, now=start + timedelta(days=3))
    assert series.windows.filter(cancelled_at=None).count() == 3
    assert lay_out_all(now=start + timedelta(days=30)) == 0


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("rule", {"rule": "FREQ=HOURLY"}),
        ("zone", {"zone": "Nowhere/Land"}),
        ("minutes", {"minutes": 0}),
        ("begins_local", {"begins_local": "tomorrow"}),
        ("reason", {"reason": ""}),
        ("disks", {"places": Places()}),
    ],
)
def test_a_series_that_cannot_be_is_refused(disk: Disk, people: People, field: str, change: dict) -> None:
    wanted = {
        "rule": "FREQ=DAILY",
        "begins_local": "2027-01-01T02:00",
        "minutes": 60,
        "zone": "UTC",
        "reason": "x",
        "places": Places([disk]),
        **change,
    }
    with pytest.raises(OddMaintenance) as refused:
        plan_series(actor=people.noc, **wanted)
    assert refused.value.field == field


def test_who_sees_a_window(scored: Disk, people: People) -> None:
    window = plan_window(actor=people.noc, starts_at=at(-9), ends_at=at(-19), reason="x", places=Places([scored]))
    seen = {name: list(windows_visible_to(getattr(people, name))) == [window] for name in ("noc", "a", "b", "stranger")}
    assert seen == {"noc": True, "a": True, "b": False, "stranger": False}


def test_the_api_plans_moves_cancels_and_approves(
    scored: Disk, people: People, manager: User, api_of: Callable[[User | None], Api]
) -> None:
    noc, mine, others = api_of(people.noc), api_of(manager), api_of(people.b)
    start = int(timezone.now().timestamp()) - 600
    body = (
        f'{{"starts_at": {start}, "ends_at": {start + 300}, "excludes": true, "reason": "x", "disks": [{scored.pk}]}}'
    ).encode()
    for who, status in ((None, 401), (manager, 403), (people.stranger, 403)):
        assert api_of(who).call("POST", "/api/v1/maintenance", body).status_code == status
    made = noc.call("POST", "/api/v1/maintenance", body)
    assert made.status_code == 201
    assert made.json()["asks_exclusion"] is True
    path = f"/api/v1/maintenance/{made.json()['id']}"
    assert mine.get("/api/v1/maintenance").json()["items"][0]["disks"] == [scored.pk]
    assert "names" not in mine.get("/api/v1/maintenance").json()["items"][0]
    assert others.get("/api/v1/maintenance").json()["items"] == []
    word = f'{{"customer": {people.customer_a.pk}}}'.encode()
    assert others.call("POST", f"{path}/approve", word).status_code == 404
    assert noc.call("POST", f"{path}/approve", word).status_code == 403, "the provider cannot excuse itself"
    assert mine.call("POST", f"{path}/approve", word).json()["excludes"] is True
    moved = noc.call("POST", f"{path}/move", f'{{"starts_at": {start + 60}, "ends_at": {start + 300}}}'.encode())
    assert (moved.status_code, moved.json()["excludes"]) == (200, True)
    assert mine.call("POST", f"{path}/cancel").status_code == 403
    assert noc.call("POST", f"{path}/cancel").json()["cancelled_at"] is not None
    assert noc.get("/api/v1/maintenance").json()["items"] == []
    odd = noc.call("POST", "/api/v1/maintenance", body.replace(str(scored.pk).encode() + b"]", b"999999]"))
    assert (odd.status_code, odd.json()["error"]["field"]) == (422, "disks")


def test_the_api_plans_a_series(disk: Disk, people: People, api_of: Callable[[User | None], Api]) -> None:
    noc, path = api_of(people.noc), "/api/v1/maintenance/series"
    body = (
        '{"rule": "FREQ=WEEKLY;BYDAY=SU", "begins_local": "2026-11-01T02:00", "minutes": 60, "zone": "Europe/Prague", '
        f'"reason": "patches", "disks": [{disk.pk}]}}'
    ).encode()
    made = noc.call("POST", path, body)
    assert made.status_code == 201
    with CaptureQueriesContext(connection) as asked:
        assert len(noc.get("/api/v1/maintenance?limit=500").json()["items"]) == 10
    assert len(asked) <= 9
    assert noc.call("POST", f"{path}/{made.json()['id']}/cancel").json()["cancelled_at"] is not None
    assert noc.get("/api/v1/maintenance").json()["items"] == []
    assert noc.get(path).json()["items"] == []
    assert api_of(people.a).get(path).status_code == 404
    refused = noc.call("POST", path, body.replace(b"WEEKLY", b"HOURLY"))
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "rule")
