"""What the open month owes: on the proved end, and up to by the other; only where a fee is said in money."""

import pytest
from django.utils import timezone

from sla.contracts.models import Contract
from sla.contracts.services import Price, add_version
from sla.domain.states import State
from sla.fleet.models import Disk, Machine
from sla.scoring.liability import Owed, liability
from sla.scoring.models import DiskNow
from tests.conftest import People

pytestmark = pytest.mark.django_db


def disk(people: People, number: int, term: int, low: float, high: float, state: State = State.BREACHED) -> None:
    customer = people.customer_a if number % 2 else people.customer_b
    machine, _ = Machine.objects.get_or_create(machine_id=f"m{number}", hostname=f"m{number}", customer=customer)
    made = Disk.objects.create(machine=machine, identity="path:vda", device="vda")
    DiskNow.objects.create(
        disk=made,
        state=state,
        period_state=state,
        term=term,
        sli_low=low,
        sli_estimate=low,
        sli_high=high,
        updated_at=timezone.now(),
    )


def test_the_proved_end_is_owed_and_the_low_end_is_up_to(people: People) -> None:
    contract = Contract.objects.get()
    paid = add_version(contract=contract, text="99% < 15 ms at 1000 IOPS", price=Price(10_000, "EUR"))
    free = add_version(contract=contract, text="99% < 15 ms at 1000 IOPS", price=Price())
    disk(people, 1, paid.pk, 0.96, 0.985)  # 10 % proved, up to 30 %
    disk(people, 2, paid.pk, 0.975, 0.995, State.MET)  # nothing proved, up to 30 %
    disk(people, 3, paid.pk, 0.995, 0.999, State.MET)
    disk(people, 4, free.pk, 0.90, 0.91)
    disk(people, 5, paid.pk, 0.90, 0.91, State.EXCUSED)
    assert liability(people.noc) == {"EUR": Owed(1_000, 6_000, 2), "": Owed(0, 0, 1)}
    assert liability(people.a) == {"EUR": Owed(1_000, 3_000, 1)}
    assert liability(people.stranger) == {}
