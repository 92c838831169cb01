"""Does a silence hide an incident? Only if nothing of the incident lies outside it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A disk of an incident, and where it belongs."""

    disk: int
    machine: int
    pool: int | None
    customer: int


@dataclass(frozen=True, slots=True)
class Hush:
    """What a silence names: each field that is set must fit, an empty one fits everything."""

    kinds: frozenset[str] = frozenset()
    incident: int | None = None
    pool: int | None = None
    machine: int | None = None
    customer: int | None = None
    disk: int | None = None

    @property
    def names_nothing(self) -> bool:
        """It would hide everything there is."""
        return self == Hush()


def covers(hush: Hush, incident: int, kind: str, part: Part | None) -> bool:
    """Does it fit this disk's part of an incident? `part` None: an incident without disks."""
    if hush.kinds and kind not in hush.kinds:
        return False
    if hush.incident is not None and hush.incident != incident:
        return False
    places = {"pool": hush.pool, "machine": hush.machine, "customer": hush.customer, "disk": hush.disk}
    wanted = {name: value for name, value in places.items() if value is not None}
    return not wanted or (part is not None and all(getattr(part, name) == value for name, value in wanted.items()))


def hides(hushes: Iterable[Hush], incident: int, kind: str, parts: Iterable[Part]) -> bool:
    """Is every disk of the incident covered by some silence? One that is not keeps the whole incident loud."""
    listed = list(hushes)
    every: list[Part | None] = [*parts] or [None]
    return bool(listed) and all(any(covers(hush, incident, kind, part) for hush in listed) for part in every)
