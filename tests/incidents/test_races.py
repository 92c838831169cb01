"""Two workers at once, and a worker that dies between two statements: one incident, nothing lost."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from sla.incidents import cases, evaluate, open_cases
from sla.incidents.models import Incident, IncidentDisk, IncidentEvent, Mark
from sla.incidents.services import acknowledge
from tests.conftest import People
from tests.incidents.conftest import Clock, MakeDisks, acute, history, stand

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run them in threads of their own that start together; what each returned or raised."""
    barrier, got = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int, work: Callable[[], Any]) -> None:
        try:
            barrier.wait(10)
            got[place] = work()
        except Exception as error:
            got[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place, work)) for place, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return got


def test_four_workers_at_once_open_one_incident_for_a_pool(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(40, pool="ssd-3")
    for disk in disks:
        stand([disk], clock.now, acute_at=clock.now.timestamp())
    works = [lambda: evaluate.evaluate_due(batch=5, now=clock.now)] * 4
    got = at_once(*works)
    assert not [one for one in got if isinstance(one, Exception)]
    # Whoever found another one at work left the rest to it; what is due is still there for the next look.
    evaluate.evaluate_due(now=clock.now)
    assert Incident.objects.count() == 1
    assert IncidentDisk.objects.count() == 40
    assert not Mark.objects.exists()
    assert IncidentEvent.objects.filter(kind="opened").count() == 1


def test_the_database_itself_refuses_a_second_open_incident_of_a_key(make_disks: MakeDisks, clock: Clock) -> None:
    acute(make_disks(1, pool="ssd-3"), clock.now)
    first = Incident.objects.get()
    values = {"kind": "acute", "key": first.key, "severity": "page", "title": "again"}
    with pytest.raises(IntegrityError), transaction.atomic():
        Incident.objects.create(**values, opened_at=clock.now, updated_at=clock.now, joined_at=clock.now)


def test_who_comes_second_to_a_key_joins_the_incident_of_the_first(
    make_disks: MakeDisks, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_disks(2, pool="ssd-3")
    acute([first], clock.now)
    # The second worker looked before the first had opened anything.
    monkeypatch.setattr(evaluate, "load", lambda *_given, **_asked: [])
    acute([second], clock.now)
    incident = Incident.objects.get()
    assert incident.disks.count() == 2
    assert history(incident) == ["opened", "joined"]


@pytest.mark.parametrize("place", ["members", "event"])
def test_a_worker_that_dies_half_way_leaves_the_marks_and_no_half_incident(
    make_disks: MakeDisks, clock: Clock, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    disks = make_disks(3, pool="ssd-3")
    stand(disks, clock.now, acute_at=clock.now.timestamp())

    def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(cases, "_write_members" if place == "members" else "record_event", dies)
        evaluate.evaluate_due(now=clock.now)
    assert not Incident.objects.exists()
    assert Mark.objects.count() == 3
    evaluate.evaluate_due(now=clock.now)
    assert history(Incident.objects.get()) == ["opened"]


def test_an_odd_disk_does_not_hold_up_the_others(
    make_disks: MakeDisks, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, *fine = make_disks(4)
    stand([odd, *fine], clock.now, acute_at=clock.now.timestamp())
    real = open_cases.case_for

    def trips(found: Any, seen: Any, *rest: Any) -> Any:
        if seen.disk.pk == odd.pk:
            raise ValueError("odd")
        return real(found, seen, *rest)

    monkeypatch.setattr(evaluate, "case_for", trips)
    evaluate.evaluate_due(now=clock.now)
    assert set(IncidentDisk.objects.values_list("disk", flat=True)) == {disk.pk for disk in fine}
    assert not Mark.objects.exists()


def test_two_people_who_acknowledge_at_once_write_one_line(make_disks: MakeDisks, clock: Clock, people: People) -> None:
    acute(make_disks(1), clock.now)
    incident = Incident.objects.get()
    got = at_once(*[lambda: acknowledge(incident=incident, actor=people.noc)] * 3)
    assert [one.state for one in got] == ["acknowledged"] * 3
    assert history(incident) == ["opened", "acknowledged"]
