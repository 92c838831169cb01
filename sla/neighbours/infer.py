"""Which disks share storage, where inventory does not say so? Those that slow down together get an inferred pool."""

from django.utils import timezone

from sla.domain.neighbours.groups import groups
from sla.fleet.models import Disk, Pool
from sla.fleet.placement import place_disk
from sla.neighbours.figures import STEP_S
from sla.neighbours.store import slots_of
from sla.scoring.store import reading

# Half a day holds storms enough to tell pools apart, and is read in a second.
LOOKED_AT_S = 12 * 3_600
# Every disk is held against every other: beyond this the inventory should say it.
MOST_DISKS = 400


def infer_pools() -> int:
    """Put disks without a pool into pools of their own where they move together; how many pools were made.

    Marked as inferred; inventory that comes later moves the disks to where it says.
    """
    homeless = list(
        Disk.objects.filter(pool=None, removed_at=None, pool_memberships=None)
        .select_related("machine")
        .order_by("pk")[:MOST_DISKS]
    )
    if len(homeless) < 3:
        return 0
    end = int(timezone.now().timestamp()) // STEP_S * STEP_S
    with reading() as cursor:
        slots = slots_of(cursor, [disk.pk for disk in homeless], end - LOOKED_AT_S, end)
    found = groups(slots)
    for group in found:
        pool = Pool.objects.create(name=f"inferred-{homeless[group[0]].pk}", inferred=True)
        for place in group:
            place_disk(disk=homeless[place], pool=pool, at=timezone.now())
    return len(found)
