"""From what scoring found to incidents: grouped by cause, opened once, over when it is calm."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from sla.contracts.models import ContractVersion, MaintenanceWindow
from sla.domain.states import State
from sla.fleet.models import Disk, Pool
from sla.incidents import evaluate
from sla.incidents.credit_due import credit_words
from sla.incidents.models import Incident, IncidentDisk, Mark
from sla.incidents.services import acknowledge
from sla.neighbours.models import Cause, NeighbourWindow, Role
from sla.neighbours.signals import window_changed
from sla.scoring.models import Slot
from tests.conftest import People
from tests.incidents.conftest import Clock, MakeDisks, acute, calm, history, stand


def test_an_acute_disk_opens_an_incident_at_the_next_look(make_disks: MakeDisks, clock: Clock) -> None:
    (disk,) = make_disks(1, pool="ssd-3")
    acute([disk], clock.now)
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity, incident.state) == ("acute", "page", "open")
    assert incident.suspected, "no minute of it is proved"
    assert incident.title == f"{disk} is slow"
    assert incident.pool == disk.pool
    assert history(incident) == ["opened"]
    assert not Mark.objects.exists()


def test_looking_twice_changes_nothing(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(3, pool="ssd-3")
    acute(disks, clock.now)
    acute(disks, clock.now)
    evaluate.sweep(now=clock.now)
    assert history(Incident.objects.get()) == ["opened"]


def test_a_pool_with_two_hundred_bad_disks_is_one_incident(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(200, pool="ssd-3")
    for at in range(0, 200, 20):
        acute(disks[at : at + 20], clock.on(seconds=2))
    incident = Incident.objects.get()
    assert incident.disks.filter(until=None).count() == 200
    assert incident.title == "200 disks of pool ssd-3 are slow"
    assert incident.figures == {"disks": 200, "active": 200, "customers": 1}
    assert history(incident) == ["opened"] + ["joined"] * 9


def test_two_pools_are_two_incidents(make_disks: MakeDisks, clock: Clock) -> None:
    acute([*make_disks(3, pool="ssd-3"), *make_disks(3, pool="hdd-1")], clock.now)
    assert set(Incident.objects.values_list("pool__name", flat=True)) == {"ssd-3", "hdd-1"}


def test_an_old_trouble_of_one_disk_does_not_swallow_a_new_one_of_its_pool(make_disks: MakeDisks, clock: Clock) -> None:
    first, *others = make_disks(6, pool="ssd-3")
    acute([first], clock.now)
    for _ in range(15):
        acute([first], clock.on(minutes=1))
    acute(others, clock.now)
    old, new = Incident.objects.order_by("id")
    assert (old.key, new.key) == (f"slow:disk:{first.pk}", f"slow:pool:{first.pool_id}")
    assert (old.disks.count(), new.disks.count()) == (1, 5)


def test_a_disk_that_left_an_old_incident_may_have_the_next_one_of_its_own(make_disks: MakeDisks, clock: Clock) -> None:
    first, second, third, fourth = make_disks(4, pool="ssd-3")
    acute([first, second], clock.now)
    for _ in range(6):
        acute([first, second], clock.on(minutes=2))
    acute([third], clock.on(minutes=1))  # the old incident goes on under its first disk's key
    for _ in range(7):
        acute([second, third], clock.on(minutes=2))
        calm([first], clock.now)
    for _ in range(16):
        acute([second], clock.on(minutes=2))
        calm([third], clock.now)
    for _ in range(6):
        acute([first, second], clock.on(minutes=2))  # its next trouble is one of the pool's
    acute([fourth], clock.on(minutes=1))
    open_now = Incident.objects.exclude(state="resolved").order_by("id")
    assert len({one.key for one in open_now}) == len(open_now) == 3
    assert open_now[0].key == f"slow:disk:{first.pk}"
    assert open_now[1].key == f"slow:incident:{open_now[1].pk}", "its first disk's own key is taken"
    assert open_now[2].key == f"slow:pool:{first.pool_id}"


def test_it_is_over_after_five_calm_minutes_and_says_so_once(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(3, pool="ssd-3")
    acute(disks, clock.now)
    calm(disks, clock.on(seconds=299))
    assert Incident.objects.get().state == "open"
    calm(disks, clock.on(seconds=1))
    incident = Incident.objects.get()
    assert (incident.state, incident.resolved_at) == ("resolved", clock.now)
    calm(disks, clock.on(seconds=15))
    assert history(incident) == ["opened", "resolved"]


def test_disks_leave_one_by_one_and_the_last_one_ends_it(make_disks: MakeDisks, clock: Clock) -> None:
    first, second = make_disks(2, pool="ssd-3")
    acute([first, second], clock.now)
    acute([second], clock.on(minutes=4))
    calm([first], clock.on(minutes=2))
    assert history(Incident.objects.get()) == ["opened", "left"]
    calm([second], clock.on(minutes=4))
    assert history(Incident.objects.get()) == ["opened", "left", "resolved"]


def test_the_same_trouble_within_half_an_hour_reopens_the_incident_and_is_then_slower_to_end(
    make_disks: MakeDisks, clock: Clock
) -> None:
    disks = make_disks(1, pool="ssd-3")
    acute(disks, clock.now)
    calm(disks, clock.on(minutes=5))
    acute(disks, clock.on(minutes=10))
    incident = Incident.objects.get()
    assert (incident.state, incident.reopened) == ("open", 1)
    calm(disks, clock.on(minutes=5))
    assert Incident.objects.get().state == "open", "it came back once: ten quiet minutes more"
    calm(disks, clock.on(minutes=10))
    assert history(incident) == ["opened", "resolved", "reopened", "left", "resolved"]


def test_after_half_an_hour_it_is_a_new_incident(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1, pool="ssd-3")
    acute(disks, clock.now)
    calm(disks, clock.on(minutes=5))
    acute(disks, clock.on(minutes=31))
    assert Incident.objects.count() == 2


def test_a_ticket_that_turns_into_a_page_escalates_and_is_open_again(
    make_disks: MakeDisks, clock: Clock, people: People
) -> None:
    disks = make_disks(1, pool="ssd-3")
    stand(disks, clock.now, state=State.AT_RISK, firing=["trickle"])
    evaluate.evaluate_due(now=clock.now)
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity) == ("burn", "ticket")
    acknowledge(incident=incident, actor=people.noc, note="seen")
    acute(disks, clock.on(minutes=3))
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity, incident.state) == ("acute", "page", "open")
    last = incident.events.order_by("id").last()
    assert (last.kind, last.data["severity"]) == ("escalated", ["ticket", "page"])


def test_disks_of_one_machine_that_fall_silent_are_one_incident(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(4, machine="web-1")
    stand(disks, clock.now)
    seen = clock.now.timestamp()
    stand(disks, clock.on(minutes=4), state=State.NO_DATA, seen_at=seen)
    evaluate.evaluate_due(now=clock.now)
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity, incident.disks.count()) == ("silent", "ticket", 4)
    assert incident.title == "the agent of web-1 is silent"
    calm(disks, clock.on(minutes=1))
    assert Incident.objects.get().state == "resolved"


def test_when_most_of_the_fleet_is_silent_at_once_no_agent_is_blamed(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(10)
    stand(disks, clock.now)
    seen = clock.now.timestamp()
    stand(disks[:6], clock.on(minutes=4), state=State.NO_DATA, seen_at=seen)
    stand(disks[6:], clock.now)
    evaluate.evaluate_due(now=clock.now)
    assert not Incident.objects.exists()
    assert evaluate.nobody_is_heard(clock.now)


def test_a_bad_disk_that_falls_silent_is_not_calm(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1, pool="ssd-3")
    acute(disks, clock.now)
    seen = clock.now.timestamp()
    stand(disks, clock.on(minutes=20), state=State.NO_DATA, seen_at=seen)
    evaluate.evaluate_due(now=clock.now)
    assert dict(Incident.objects.values_list("kind", "state")) == {"acute": "open", "silent": "open"}


def test_a_lost_month_is_one_incident_a_customer(make_disks: MakeDisks, clock: Clock, people: People) -> None:
    mine, other = make_disks(3, pool="ssd-3"), make_disks(1, pool="ssd-3", customer=people.customer_b)
    lost = {"period_state": int(State.BREACHED), "budget_left_estimate": -3.0, "budget_left_high": -2.0}
    stand([*mine, *other], clock.now, state=State.BREACHED, **lost)
    evaluate.evaluate_due(now=clock.now)
    assert dict(Incident.objects.values_list("customer__name", "title")) == {
        "Alder": "3 disks of Alder cannot meet their contracts this month",
        "Birch": f"{other[0]} cannot meet its contract this month",
    }
    assert not Incident.objects.filter(suspected=True).exists()


def test_a_lost_month_says_what_is_owed(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(2)
    ContractVersion.objects.update(fee_cents=4_000, currency="EUR")
    # Under 98 % it is 30 %, under 95 % all of the fee: owed by the high end, at most by the low end.
    lost = {"period_state": int(State.BREACHED), "budget_left_estimate": -3.0, "budget_left_high": -2.0}
    stand(disks, clock.now, state=State.BREACHED, **lost, sli_low=0.94, sli_estimate=0.96, sli_high=0.97)
    evaluate.evaluate_due(now=clock.now)
    member = IncidentDisk.objects.all()[0]
    assert member.figures["credit"] == {
        "proved_percent": 30,
        "up_to_percent": 100,
        "proved_cents": 1_200,
        "up_to_cents": 4_000,
        "currency": "EUR",
    }
    assert credit_words([member.figures] * 2) == "2 of 2 disks proved · EUR 24.00, up to 80.00"


def test_a_bad_start_of_the_month_is_no_lost_month(make_disks: MakeDisks, clock: Clock) -> None:
    (disk,) = make_disks(1)
    start = clock.now.replace(day=1, hour=0)
    first_hour = {"first_at": start.timestamp(), "budget_left_estimate": -3.0, "budget_left_high": -2.0}
    at = start + timedelta(hours=1)
    stand([disk], at, state=State.BREACHED, period_state=int(State.BREACHED), **first_hour)
    evaluate.evaluate_due(now=at)
    assert not Incident.objects.exists()


def test_in_maintenance_that_mutes_nothing_opens_and_afterwards_it_does(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1, pool="ssd-3")
    window = MaintenanceWindow.objects.create(
        starts_at=clock.now - timedelta(minutes=5), ends_at=clock.now + timedelta(minutes=5), reason="firmware"
    )
    window.disks.set(disks)
    acute(disks, clock.now)
    assert not Incident.objects.exists()
    acute(disks, clock.on(minutes=6))
    assert Incident.objects.count() == 1


def test_maintenance_that_only_excludes_does_not_mute(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1, pool="ssd-3")
    window = MaintenanceWindow.objects.create(
        starts_at=clock.now - timedelta(minutes=5),
        ends_at=clock.now + timedelta(minutes=5),
        reason="agreed",
        mutes=False,
        excludes=True,
    )
    window.pools.set([disks[0].pool])
    acute(disks, clock.now)
    assert Incident.objects.count() == 1


def test_a_window_of_shared_storage_names_the_cause_of_what_is_open(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(4, pool="ssd-3")
    acute(disks, clock.now)
    contention(disks[0].pool, disks, clock)
    for disk in disks:
        breached_minute(disk, clock)
    acute(disks, clock.on(minutes=1))
    incident = Incident.objects.get()
    assert incident.kind == "contention"
    assert incident.title == "4 disks of pool ssd-3 suffer from contention"
    assert history(incident)[-1] == "escalated"
    assert incident.events.last().data == {"kind": ["acute", "contention"]}


def test_a_window_that_broke_no_contract_is_no_incident(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(4, pool="ssd-3")
    stand(disks, clock.now)
    contention(disks[0].pool, disks, clock)
    assert evaluate.evaluate_due(now=clock.now).disks == 4
    assert not Incident.objects.exists()


def test_a_window_that_broke_contracts_is_a_ticket_until_it_closes(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(4, pool="ssd-3")
    stand(disks, clock.now)
    window = contention(disks[0].pool, disks, clock, cause=Cause.BACKEND)
    breached_minute(disks[2], clock)
    evaluate.evaluate_due(now=clock.on(minutes=1))
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity) == ("backend", "ticket")
    assert list(incident.disks.values_list("disk", flat=True)) == [disks[2].pk]
    window.end = clock.on(minutes=2)
    window.save()
    window_changed.send(sender=NeighbourWindow, window=window, change="closed")
    evaluate.evaluate_due(now=clock.now)
    assert Incident.objects.get().state == "resolved"


def test_windows_above_several_pools_are_one_ticket_that_names_none_of_them(
    make_disks: MakeDisks, clock: Clock
) -> None:
    here, there, later = make_disks(2, pool="ssd-1"), make_disks(2, pool="ssd-2"), make_disks(1, pool="ssd-3")
    for pool in (here, there, later):
        stand(pool, clock.now)
        assert pool[0].pool is not None
        contention(pool[0].pool, pool, clock, cause=Cause.WIDER)
    for disk in (*here, *there):
        breached_minute(disk, clock)
    evaluate.evaluate_due(now=clock.on(minutes=1))
    breached_minute(later[0], clock)
    window = NeighbourWindow.objects.get(pool=later[0].pool)
    window_changed.send(sender=NeighbourWindow, window=window, change="updated")
    evaluate.evaluate_due(now=clock.on(minutes=15))
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity) == ("backend", "ticket")
    assert incident.title == "5 disks of several pools suffer from their storage backend"
    assert history(incident) == ["opened", "joined"]


def test_a_disk_that_is_taken_away_leaves(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(2, pool="ssd-3")
    acute(disks, clock.now)
    disks[0].removed_at = clock.now
    disks[0].save()
    evaluate.sweep(now=clock.on(seconds=20))
    assert list(IncidentDisk.objects.filter(until=None).values_list("disk", flat=True)) == [disks[1].pk]


def test_an_incident_whose_disks_are_deleted_ends(make_disks: MakeDisks, clock: Clock) -> None:
    (disk,) = make_disks(1, pool="ssd-3")
    acute([disk], clock.now)
    disk.delete()
    evaluate.sweep(now=clock.on(seconds=20))
    assert Incident.objects.get().state == "resolved"


def test_a_period_that_is_lost_stays_what_it_is_while_its_pool_is_slow(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(3, pool="ssd-3")
    lost = {"period_state": int(State.BREACHED), "budget_left_estimate": -3.0, "budget_left_high": -2.0}
    stand(disks[:1], clock.now, state=State.BREACHED, **lost, sli_low=0.94, sli_estimate=0.96, sli_high=0.97)
    evaluate.evaluate_due(now=clock.now)
    assert disks[0].pool is not None
    contention(disks[0].pool, disks, clock, cause=Cause.BACKEND)
    breached_minute(disks[0], clock)
    evaluate.evaluate_due(now=clock.on(minutes=1))
    period, slow = Incident.objects.order_by("id")
    assert (period.kind, period.title) == ("period", f"{disks[0]} cannot meet its contract this month")
    assert "window" not in period.figures and history(period) == ["opened"]
    assert (slow.kind, slow.title) == ("backend", f"{disks[0]} suffers from its storage backend")


def contention(pool: Pool, disks: list[Disk], clock: Clock, cause: str = Cause.NEIGHBOUR) -> NeighbourWindow:
    """As the detector writes it."""
    window = NeighbourWindow.objects.create(
        pool=pool,
        start=clock.now,
        severity=2.3,
        cause=cause,
        confidence=0.9,
        detected_at=clock.now,
        updated_at=clock.now,
    )
    for disk in disks:
        window.disks.create(disk=disk, role=Role.VICTIM)
    window_changed.send(sender=NeighbourWindow, window=window, change="opened")
    return window


def breached_minute(disk: Disk, clock: Clock) -> None:
    """The minute that begins now broke the contract."""
    zero = {
        field.column: 0
        for field in Slot._meta.concrete_fields
        if field.column not in ("disk_id", "vantage", "start", "state", "excluded", "proved", "hist", "pk")
    }
    row = zero | {"disk_id": disk.pk, "vantage": 1, "start": clock.now.replace(second=0), "state": int(State.BREACHED)}
    row |= {"excluded": False, "proved": False, "hist": b"", "grade": 2}
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO scoring_slot ({', '.join(row)}) VALUES ({', '.join(['%s'] * len(row))})",  # noqa: S608
            list(row.values()),
        )


@pytest.mark.parametrize("kind", ["event", "delete"])
def test_history_can_only_be_added_to(make_disks: MakeDisks, clock: Clock, kind: str) -> None:
    acute(make_disks(1), clock.now)
    event = Incident.objects.get().events.get()
    with pytest.raises(DatabaseError, match="is history"), transaction.atomic():
        if kind == "event":
            event.note = "another story"
            event.save()
        else:
            event.delete()
            connection.check_constraints()
