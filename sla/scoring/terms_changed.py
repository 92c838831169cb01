"""What has to be scored again when terms change? Whoever changes them, changes them here."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.contracts.models import ContractVersion
from sla.contracts.services import assign
from sla.domain.period import period_of
from sla.fleet.models import Disk
from sla.scoring.services import mark_due


class TooLate(ValueError):
    """The moment lies in a closed period; the message says which."""


@transaction.atomic
def assign_and_rescore(
    *, disks: Sequence[Disk], version: ContractVersion, at: datetime | None, actor: User | None = None
) -> int:
    """From `at` (None: from its first frame) the version judges these disks; what it judged before is scored again.

    How many were assigned: who is judged by it already stays as it is. TooLate where `at` lies in a closed period (that
    changes by a correction only), ValueError from `assign` where a disk has had other terms since.
    """
    now = timezone.now()
    if at is not None and now >= (closed := period_of(at, version.zone)).closes_at:
        raise TooLate(f"{closed.text} is closed: it changes only by a numbered correction; give a moment after it")
    changed = [disk for disk in disks if not disk.assignments.filter(version=version, valid_to=None).exists()]
    for disk in changed:
        assign(disk=disk, version=version, at=at, actor=actor)
    if at is None or at < now:
        mark_due(disks=[disk.pk for disk in changed], start=at.timestamp() if at else 0, end=now.timestamp())
    return len(changed)
