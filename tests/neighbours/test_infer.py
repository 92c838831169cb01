"""Disks that nobody put into a pool are put together where they slow down together."""

import numpy as np
import pytest

from sla.domain.neighbours.slots import PoolSlots
from sla.fleet.models import Disk, Pool
from sla.neighbours import services
from sla.neighbours.infer import infer_pools
from sla.neighbours.models import NeighbourWindow, PoolMinute
from tests.domain.neighbours.made import slowed
from tests.neighbours.conftest import MINUTES, House, keep, past


@pytest.fixture
def homeless(house: House) -> House:
    Disk.objects.update(pool=None)
    house.pool.delete()
    return house


def storms() -> PoolSlots:
    """The first four disks slow down together, and the last four at other times."""
    slots = past()
    first, second = slowed(slots, 200, 240, 2.5), slowed(slots, 400, 440, 2.5)
    first = slowed(first, MINUTES - 30, MINUTES - 10, 2.0)
    time = np.vstack((first.time_ms[:4], second.time_ms[4:]))
    return PoolSlots(60, slots.starts, slots.ios, slots.size_bytes, time)


def test_two_groups_become_two_pools_and_are_followed_from_then_on(homeless: House) -> None:
    keep(homeless, storms())
    assert infer_pools() == 2
    pools = [set(pool.disks.values_list("pk", flat=True)) for pool in Pool.objects.filter(inferred=True)]
    ids = [disk.pk for disk in homeless.disks]
    assert sorted(pools, key=min) == [set(ids[:4]), set(ids[4:])]
    services.detect_due()
    assert PoolMinute.objects.count() == 2 * MINUTES
    assert NeighbourWindow.objects.filter(pool__inferred=True, cause="backend").exists()
    assert infer_pools() == 0


def test_disks_that_move_alone_stay_alone(homeless: House) -> None:
    keep(homeless, past())
    assert infer_pools() == 0
    assert not Pool.objects.exists()


def test_disks_with_a_pool_are_left_where_they_are(house: House) -> None:
    keep(house, storms())
    assert infer_pools() == 0
