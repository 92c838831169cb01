"""Quiet: what is recorded all the same, and what is said when the quiet ends."""

from datetime import timedelta

from sla.incidents import services
from sla.incidents.models import Incident
from sla.incidents.silences import draft, end_silence, preview, silence
from tests.conftest import People
from tests.incidents.conftest import Clock, MakeDisks, acute, calm, history


def test_what_opens_under_a_silence_is_recorded_and_marked_as_kept_quiet(
    make_disks: MakeDisks, clock: Clock, people: People
) -> None:
    disks = make_disks(2, pool="ssd-3")
    wanted = draft(author=people.noc, reason="vendor", ends_at=clock.now + timedelta(hours=1), pool=disks[0].pool)
    silence(wanted=wanted)
    acute(disks, clock.now)
    incident = Incident.objects.get()
    assert incident.events.get().data["muted"] == "noc: vendor"
    assert incident.announced_at is None


def test_the_first_word_comes_when_the_silence_ends_and_comes_once(
    make_disks: MakeDisks, clock: Clock, people: People
) -> None:
    disks = make_disks(1, pool="ssd-3")
    made = silence(
        wanted=draft(author=people.noc, reason="vendor", ends_at=clock.now + timedelta(hours=1), pool=disks[0].pool)
    )
    acute(disks, clock.now)
    assert services.remind(now=clock.on(minutes=1)) == 0
    end_silence(silence=made, actor=people.noc, now=clock.now)
    assert services.remind(now=clock.on(seconds=15)) == 1
    assert services.remind(now=clock.on(seconds=15)) == 0
    assert history(Incident.objects.get()) == ["opened", "reminded"]
    assert "muted" not in Incident.objects.get().events.last().data


def test_a_disk_outside_the_silence_that_joins_makes_the_incident_loud(
    make_disks: MakeDisks, clock: Clock, people: People
) -> None:
    mine, other = make_disks(1, pool="ssd-3"), make_disks(1, pool="ssd-3", customer=people.customer_b)
    until = clock.now + timedelta(hours=1)
    silence(wanted=draft(author=people.noc, reason="known", ends_at=until, customer=people.customer_a))
    acute(mine, clock.now)
    acute(other, clock.on(seconds=20))
    events = Incident.objects.get().events.order_by("id")
    assert ["muted" in event.data for event in events] == [True, False]
    assert services.remind(now=clock.on(seconds=15)) == 1, "its first loud word"


def test_nobody_is_reminded_of_what_is_calming_down(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(1)
    acute(disks, clock.now)
    calm(disks, clock.on(minutes=5))
    acute(disks, clock.on(minutes=1))
    calm(disks, clock.on(minutes=6))
    assert Incident.objects.get().quiet_at is not None
    assert services.remind(now=clock.on(minutes=60)) == 0


def test_a_page_that_nobody_looks_after_is_said_again_each_half_hour(make_disks: MakeDisks, clock: Clock) -> None:
    acute(make_disks(1), clock.now)
    said = [services.remind(now=clock.on(minutes=10)) for _ in range(9)]
    assert said == [0, 0, 1, 0, 0, 1, 0, 0, 1]


def test_the_preview_counts_the_last_week(make_disks: MakeDisks, clock: Clock, people: People) -> None:
    disks, others = make_disks(1, pool="ssd-3"), make_disks(1, pool="hdd-1")
    acute([*disks, *others], clock.now)
    calm([*disks, *others], clock.on(minutes=5))
    acute(disks, clock.on(days=2))
    wanted = draft(
        author=people.noc, reason="x", ends_at=clock.now + timedelta(hours=1), pool=disks[0].pool, now=clock.now
    )
    found = preview(wanted, clock.now)
    assert ([one.pool.name for one in found.open_now], found.last_week, found.of_last_week) == (["ssd-3"], 2, 3)
