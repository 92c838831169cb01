"""Which incident does a disk's trouble belong to? One cause is one incident, however many disks it hits."""

from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass

from sla.domain.incidents.words import SLOW_KINDS, Kind, shared_kind

# Disks of one pool that go bad within this of each other have one cause until somebody shows two.
YOUNG_S = 600
# From so many disks on an incident is the pool's, and whatever else goes bad there joins it as long as it lasts.
WIDE = 3


@dataclass(frozen=True, slots=True)
class Group:
    """An open incident of disks that are slow. `active`: disks still in it; `total`: disks that ever were; `wider`: its
    cause lies above several pools."""

    incident: int
    key: str
    site: str
    joined_at: float
    active: Set[int]
    total: int
    wider: bool = False


def site_of(pool: int | None, machine: int) -> str:
    """What disks that fail together share, as far as we know: their pool, else their machine."""
    return f"machine:{machine}" if pool is None else f"pool:{pool}"


def shared_key(site: str) -> str:
    """The key under which a site's newest trouble is open."""
    return f"slow:{site}"


def own_key(disk: int) -> str:
    """The key of a trouble that stayed with one disk."""
    return f"slow:disk:{disk}"


def is_wide(group: Group) -> bool:
    """Is it a matter of the site rather than of single disks?"""
    return group.total >= WIDE


def takes(group: Group, disk: int, site: str, now: float, *, wider: bool = False) -> bool:
    """Does this trouble belong to that incident? What lies above several pools (`wider`) is one, whichever it hits."""
    if disk in group.active or (wider and group.wider):
        return True
    return group.site == site and (is_wide(group) or now - group.joined_at < YOUNG_S)


def choose(groups: Iterable[Group], disk: int, site: str, now: float, *, wider: bool = False) -> Group | None:
    """The open incident that a disk's trouble joins: its own first, then the widest; None: a new one."""
    fitting = [group for group in groups if takes(group, disk, site, now, wider=wider)]
    return max(fitting, key=lambda group: (disk in group.active, group.total, -group.incident), default=None)


def in_the_way(groups: Sequence[Group], site: str) -> Group | None:
    """The older, narrow incident that still holds the site's key; it is given its disk's own key."""
    return next((group for group in groups if group.key == shared_key(site)), None)


def kind_of(kinds: Collection[Kind], cause: str | None, *, wide: bool) -> Kind | None:
    """What an incident of slow disks is called. `kinds`: of the disks in it; `cause`: of the open window of shared
    storage they lie in, None without one. None where no disk is left: it keeps its name."""
    if not kinds:
        return None
    plain = [kind for kind in SLOW_KINDS if kind in kinds]
    if cause is not None and (wide or not plain):
        return shared_kind(cause)
    return plain[0] if plain else next(iter(kinds))
