"""Terms that begin in the past judge the past: its minutes are scored again, and no others."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sla.contracts.models import Contract
from sla.contracts.services import add_version
from sla.scoring.models import Slot
from sla.scoring.services import settle_due
from sla.scoring.terms_changed import TooLate, assign_and_rescore
from tests.conftest import People
from tests.web import fleet

pytestmark = pytest.mark.django_db
PARTS = tuple(part for part in fleet.FLEET if part.machine in ("web-12", "mail-4"))


def test_the_minutes_since_then_are_judged_by_the_new_terms(people: People) -> None:
    disk, other = (fleet.build(10, PARTS)[name] for name in ("web-12/vda", "mail-4/vda"))
    contract = Contract.objects.get(customer__name="Alder")
    version = add_version(contract=contract, text="99% < 50 ms at 1000 IOPS")
    at = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=5)
    before = dict(Slot.objects.filter(disk=other).values_list("start", "term"))
    assert assign_and_rescore(disks=[disk], version=version, at=at, actor=people.noc) == 1
    while settle_due().marks:
        pass
    terms = dict(Slot.objects.filter(disk=disk).values_list("start", "term"))
    assert {start >= at: term == version.pk for start, term in terms.items()} == {True: True, False: False}
    assert dict(Slot.objects.filter(disk=other).values_list("start", "term")) == before
    assert assign_and_rescore(disks=[disk], version=version, at=at, actor=people.noc) == 0


def test_a_closed_month_is_not_judged_anew(people: People) -> None:
    disk = fleet.build(2, PARTS)["web-12/vda"]
    version = add_version(contract=Contract.objects.get(customer__name="Alder"), text="99% < 50 ms at 1000 IOPS")
    with pytest.raises(TooLate, match="is closed"):
        assign_and_rescore(disks=[disk], version=version, at=timezone.now() - timedelta(days=70))
