"""What stands in the outbox when an incident's history grows: for whom, once, and in the same transaction."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.db import transaction

from sla.accounts.models import Membership, User
from sla.domain.incidents.words import Happened
from sla.incidents.history import record_event
from sla.incidents.models import Incident, Silence
from sla.notifications.models import Channel, Notice, Preference
from sla.notifications.sealed import seal
from tests.conftest import People
from tests.notifications.conftest import NOW, Clock, MakeDisks, joined, notices, opened, resolved

pytestmark = pytest.mark.django_db
State = Notice.State


def told(person: User) -> list[str]:
    return [notice.topic for notice in notices(person)]


def test_the_noc_and_the_customer_whose_disk_it_is_are_told_and_nobody_else(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    opened(make_disks(1, pool="ssd-3"), clock.now)
    assert told(readers.noc) == told(readers.a) == ["opened"]
    assert told(readers.b) == told(readers.stranger) == []


def test_an_incident_that_grows_to_200_disks_is_told_once(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(200, pool="ssd-3")
    incident = opened(disks[:1], clock.now)
    for disk in disks[1:]:
        joined(incident, [disk], clock.on(seconds=1))
    assert told(readers.noc) == told(readers.a) == ["opened"]


def test_a_customer_hears_of_it_when_a_disk_of_theirs_joins(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    incident = opened(make_disks(1, pool="ssd-3"), clock.now)
    joined(incident, make_disks(2, pool="ssd-3", customer=readers.customer_b), clock.on(seconds=5))
    assert told(readers.b) == ["opened"]
    assert told(readers.noc) == ["opened"]


def test_one_turn_after_the_other_each_once(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    incident = opened(make_disks(1), clock.now, severity="ticket")
    incident.severity = "page"
    record_event(incident, Happened.ESCALATED, clock.on(minutes=1), data={"severity": ["ticket", "page"]})
    record_event(incident, Happened.ESCALATED, clock.on(minutes=1), data={"proved": True})
    record_event(incident, Happened.ACKNOWLEDGED, clock.on(minutes=1), actor=readers.noc)
    record_event(incident, Happened.LEFT, clock.on(minutes=1))
    resolved(incident, clock.on(minutes=1))
    assert told(readers.noc) == ["opened", "escalated", "resolved"]


def test_what_came_back_is_told_again_and_disks_that_join_it_are_not(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    first, second = make_disks(2)
    incident = opened([first], clock.now)
    resolved(incident, clock.on(minutes=6))
    incident.state, incident.resolved_at, incident.reopened = Incident.State.OPEN, None, 1
    record_event(incident, Happened.REOPENED, clock.on(minutes=1))
    joined(incident, [second], clock.on(seconds=5))
    assert told(readers.noc) == ["opened", "resolved", "reopened"]


def test_only_who_was_told_of_the_beginning_is_told_of_the_end(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    Preference.objects.create(user=readers.noc, page="off")
    incident = opened(make_disks(1), clock.now)
    Preference.objects.filter(user=readers.noc).update(page="now")
    resolved(incident, clock.on(minutes=6))
    assert told(readers.noc) == []
    assert told(readers.a) == ["opened", "resolved"]


def test_a_reminder_is_for_the_noc_unless_nobody_was_told_before(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    incident = opened(make_disks(1), clock.now)
    record_event(incident, Happened.REMINDED, clock.on(hours=1))
    assert told(readers.noc) == ["opened", "reminded"]
    assert told(readers.a) == ["opened"]


def test_a_silence_keeps_it_quiet_and_a_reminder_after_it_opens_it(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    disks = make_disks(1)
    Silence.objects.create(
        author_label="noc", reason="known", starts_at=NOW, ends_at=NOW + timedelta(hours=1), disk=disks[0]
    )
    incident = opened(disks, clock.now)
    assert notices() == []
    record_event(incident, Happened.REMINDED, clock.on(hours=2))
    assert told(readers.noc) == told(readers.a) == ["opened"]


def test_no_notice_without_its_event(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        opened(disks, clock.now)
        assert notices()
        1 / 0  # noqa: B018
    assert notices() == []
    assert not Incident.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_delivery_is_nudged_once_when_it_is_committed(
    readers: People, make_disks: MakeDisks, clock: Clock, nudged: list[str]
) -> None:
    disks = make_disks(3)
    with transaction.atomic():
        for disk in disks:
            opened([disk], clock.now)
        assert nudged == []
    assert nudged == ["sla.notifications.deliver"]


def test_who_chose_pools_hears_of_these(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    here, there = make_disks(1, pool="ssd-3"), make_disks(1, pool="hdd-1")
    wanted = Preference.objects.create(user=readers.noc)
    wanted.pools.add(here[0].pool)
    opened(there, clock.now)
    assert told(readers.noc) == []
    opened(here, clock.now)
    assert told(readers.noc) == ["opened"]


def test_who_chose_customers_hears_of_these(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    wanted = Preference.objects.create(user=readers.noc)
    wanted.customers.add(readers.customer_b)
    opened(make_disks(1), clock.now)
    assert told(readers.noc) == []


def test_a_ticket_in_the_night_waits_for_the_morning_and_its_end_takes_its_place(
    readers: People, make_disks: MakeDisks, clock: Clock
) -> None:
    readers.noc.zone = "Europe/Berlin"
    readers.noc.save()
    Preference.objects.create(user=readers.noc, quiet_from=time(22), quiet_to=time(7))
    clock.now = datetime(2026, 11, 21, 1, tzinfo=UTC)
    incident = opened(make_disks(1), clock.now, severity="ticket")
    (held,) = notices(readers.noc)
    assert (held.gathered, held.next_at) == (True, datetime(2026, 11, 21, 6, tzinfo=UTC))
    resolved(incident, clock.on(minutes=20))
    first, second = notices(readers.noc)
    assert (first.state, first.folded_into) == (State.FOLDED, second)
    assert (second.topic, second.gathered) == ("resolved", True)


def test_the_products_own_trouble_is_for_the_noc(readers: People, clock: Clock) -> None:
    opened([], clock.now, kind="watcher", severity="ticket")
    assert told(readers.noc) == ["opened"]
    assert Notice.objects.exclude(person=readers.noc).count() == 0


def test_people_who_are_gone_or_have_no_address_get_none(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    User.objects.filter(pk=readers.noc.pk).update(is_active=False)
    User.objects.filter(pk=readers.a.pk).update(email="")
    opened(make_disks(1), clock.now)
    assert notices() == []


def test_a_person_of_two_customers_gets_one_mail(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    Membership.objects.create(user=readers.a, customer=readers.customer_b)
    opened(make_disks(1) + make_disks(1, customer=readers.customer_b), clock.now)
    assert told(readers.a) == ["opened"]


def test_channels_take_what_is_bad_enough_for_them(readers: People, make_disks: MakeDisks, clock: Clock) -> None:
    sealed = {"address": seal("https://x.example/"), "secret": seal("s"), "kind": "webhook", "shown": "x.example"}
    Channel.objects.create(owner=readers.a, name="a's", least="page", **sealed)
    noc = Channel.objects.create(owner=None, name="noc's", least="info", **sealed)
    Channel.objects.create(owner=readers.b, name="b's", least="info", **sealed)
    opened(make_disks(1), clock.now, severity="ticket")
    assert [notice.channel for notice in notices() if notice.channel] == [noc]
    opened(make_disks(1), clock.now, severity="page")
    assert [str(one.channel.name) for one in notices() if one.channel] == ["noc's", "a's", "noc's"]


def test_writing_an_event_costs_the_same_however_many_people_there_are(
    readers: People, make_disks: MakeDisks, clock: Clock, django_assert_max_num_queries
) -> None:
    disks = make_disks(2)
    for number in range(40):
        User.objects.create(username=f"noc-{number}", email=f"n{number}@example.com", noc_role="viewer")
    with django_assert_max_num_queries(16):
        opened(disks[:1], clock.now)
    assert Notice.objects.count() == 42
    with django_assert_max_num_queries(14):
        joined(Incident.objects.get(), disks[1:], clock.now)
