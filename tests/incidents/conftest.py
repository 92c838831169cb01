"""Disks that stand as a test says, as scoring would have left them; and a clock of the test's own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from sla.accounts.models import Customer
from sla.contracts.services import assign_default
from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Agent, Disk, Machine, Pool
from sla.incidents import evaluate
from sla.incidents.models import Incident
from sla.incidents.signals import event_recorded
from sla.scoring import store
from sla.scoring.now import Standing, put_standings, standings
from sla.scoring.signals import standings_judged
from tests.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MakeDisks = Callable[..., list[Disk]]


class Clock:
    """`timezone.now()` while a test runs."""

    def __init__(self) -> None:
        self.now = NOW

    def on(self, **delta: float) -> datetime:
        """Later by so much."""
        self.now += timedelta(**delta)
        return self.now


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is told of incidents has tests of its own."""
    monkeypatch.setattr(event_recorded, "receivers", [])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timezone, "now", lambda: made.now)
    return made


@pytest.fixture
def make_disks(people: People) -> MakeDisks:
    """`make(5, pool="ssd-3")`: disks, each on its own machine unless `machine` names one."""

    def make(count: int, *, pool: str = "", customer: Customer | None = None, machine: str = "") -> list[Disk]:
        place = Pool.objects.get_or_create(name=pool)[0] if pool else None
        disks = []
        for _ in range(count):
            number = Disk.objects.count()
            hostname = machine or f"vm-{number}"
            host, made = Machine.objects.get_or_create(
                machine_id=f"id-{hostname}", defaults={"hostname": hostname, "customer": customer or people.customer_a}
            )
            if made:
                Agent.objects.create(machine=host, token_hash=hostname.encode().ljust(32, b"."))
            disks.append(
                Disk.objects.create(machine=host, identity=f"serial:{number}", device=f"vd{number}", pool=place)
            )
        assign_default(customer=disks[0].machine.customer, disks=disks)
        return disks

    return make


def stand(disks: list[Disk], now: datetime, *, state: State = State.MET, **fields: object) -> None:
    """Scoring has just found them so; what is not said is as it was."""
    with store.transacting() as cursor:
        rows = standings(cursor, [disk.pk for disk in disks])
        terms = {disk.pk: disk.assignments.get().version_id for disk in disks}
        for disk, row in rows.items():
            row.term, row.period, row.updated_at = terms[disk], f"{now:%Y-%m}", now.timestamp()
            row.first_at = row.first_at or (now - timedelta(days=20)).timestamp()
            row.state, row.rank, row.seen_at = int(state), WORST_FIRST.index(state), now.timestamp()
            for name, value in fields.items():
                setattr(row, name, value)
        put_standings(cursor, rows.values())
        standings_judged.send(sender=Standing, cursor=cursor, rows=rows, now=now.timestamp(), lost=frozenset())


def acute(disks: list[Disk], now: datetime) -> None:
    """The acute rule holds for them at this moment; the workers have looked."""
    stand(disks, now, state=State.BREACHED, acute_at=now.timestamp())
    evaluate.evaluate_due(now=now)


def calm(disks: list[Disk], now: datetime) -> None:
    """They go on as if nothing had been; the workers have looked."""
    stand(disks, now)
    evaluate.evaluate_due(now=now)
    evaluate.sweep(now=now)


def history(incident: Incident) -> list[str]:
    """The kinds of its lines."""
    return list(incident.events.order_by("id").values_list("kind", flat=True))
