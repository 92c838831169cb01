"""Small worlds that the simulator's tests share."""

from sla.simulator.world import Event, Kind, Pool, Scenario, Tenant

START = 1_763_596_800  # a Thursday, 00:00 UTC
HOUR_S = 3_600


def pool(disks: int = 12, servers: int = 10) -> Pool:
    """Tenants of all sorts, three quarters busy at noon."""
    tenants = [
        Tenant(iops=80.0 + 50 * i, threads=6 if i % 4 == 0 else 64, peak_hour=11.0 + i % 4, hit=0.3 + 0.02 * i)
        for i in range(disks)
    ]
    return Pool(tuple(tenants), servers=servers)


def quiet(pools: int = 1, seed: int = 5) -> Scenario:
    """Nothing happens."""
    return Scenario(seed, (pool(),) * pools)


def busy() -> Scenario:
    """Of each cause one, hours apart, in pool 0; pool 1 stays calm."""
    at = START + 2 * HOUR_S
    return quiet(2).with_events(
        Event(Kind.BURST, 0, at, 1_200, (3,), 2.0),
        Event(Kind.FAULT, 0, at + 3 * HOUR_S, 1_200, (), 2.0),
        Event(Kind.DISK, 0, at + 6 * HOUR_S, 1_200, (5,), 4.0),
        Event(Kind.BACKUP, 0, at + 9 * HOUR_S, 1_800, (1, 2, 7), 2.0),
        Event(Kind.RAMP, 0, at + 12 * HOUR_S, 3_600, (4,), 3.0),
        Event(Kind.SPIKES, 0, at + 15 * HOUR_S, 3_600, (6,), 3.0),
        Event(Kind.MIGRATION, 0, at + 18 * HOUR_S, 600, (9,), 1.0, to_pool=1),
    )
