"""What would an inventory file change? Looked up first, shown, and only then done."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sla.accounts.models import User
from sla.fleet.inventory_csv import Row, Wrong
from sla.fleet.models import Disk, Machine, PoolMembership
from sla.fleet.selectors import machines_visible_to


@dataclass(frozen=True, slots=True)
class Move:
    """A disk comes to lie in a pool. `before` "": it lay in none."""

    line: int
    disk: Disk
    before: str
    pool: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Housing:
    """A machine comes to run on a host."""

    line: int
    machine: Machine
    before: str
    host: str
    since: datetime


@dataclass(slots=True)
class Plan:
    """What will be done, what stays as it is, and what cannot be."""

    moves: list[Move] = field(default_factory=list)
    housings: list[Housing] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)
    unchanged: int = 0

    @property
    def changes(self) -> int:
        """How many things it changes."""
        return len(self.moves) + len(self.housings)


def plan(rows: Sequence[Row], wrong: Iterable[Wrong], by: User, now: datetime) -> Plan:
    """The differences between the rows and what is stored, of machines that this person may see."""
    found = Plan(wrong=list(wrong))
    machines = _machines({row.machine for row in rows}, by)
    disks: dict[int, list[Disk]] = defaultdict(list)
    ids = [machine.pk for listed in machines.values() for machine in listed]
    for disk in Disk.objects.filter(machine__in=ids, removed_at=None).select_related("machine", "pool"):
        disks[disk.machine_id].append(disk)
    lies = {one.disk_id: one for one in PoolMembership.objects.filter(disk__machine__in=ids, valid_to=None)}
    said: dict[tuple[str, int], int] = {}
    for row in rows:
        named = machines.get(row.machine, [])
        if len(named) != 1:
            how = f"{len(named)} machines are called {row.machine!r}: name it by its machine id"
            found.wrong.append(Wrong(row.line, how if named else f"there is no machine {row.machine!r}"))
            continue
        if row.pool:
            _move(found, row, _which(disks[named[0].pk], row.disk), lies, said, now)
        if row.host:
            _house(found, row, named[0], said, now)
    found.wrong.sort(key=lambda one: one.line)
    return found


def _machines(names: set[str], by: User) -> dict[str, list[Machine]]:
    """By hostname and by machine id; a hostname may be worn by several."""
    found: dict[str, list[Machine]] = defaultdict(list)
    visible = machines_visible_to(by)
    for machine in visible.filter(machine_id__in=names):
        found[machine.machine_id].append(machine)
    for machine in visible.filter(hostname__in=names):
        if machine.machine_id != machine.hostname:
            found[machine.hostname].append(machine)
    return found


def _which(disks: Sequence[Disk], named: str) -> list[Disk]:
    return [disk for disk in disks if not named or named in (disk.device, disk.serial, disk.wwn)]


def _move(
    found: Plan,
    row: Row,
    disks: list[Disk],
    lies: dict[int, PoolMembership],
    said: dict[tuple[str, int], int],
    now: datetime,
) -> None:
    if not disks or (row.disk and len(disks) > 1):
        how = f"{len(disks)} disks" if disks else "no disk"
        found.wrong.append(Wrong(row.line, f"{row.machine} has {how} {row.disk!r}: name its device, serial or WWN"))
        return
    for disk in disks:
        if (earlier := said.setdefault(("pool", disk.pk), row.line)) != row.line:
            found.wrong.append(Wrong(row.line, f"{disk} is placed by line {earlier} already"))
            continue
        before = disk.pool.name if disk.pool else ""
        if before == row.pool:
            found.unchanged += 1
            continue
        since, last = row.since or now, lies.get(disk.pk)
        if since > now:
            found.wrong.append(Wrong(row.line, f"{since:%F %H:%M} UTC is still to come: import it then"))
        elif last is not None and last.valid_from >= since:
            said_since = f"{last.valid_from:%F %H:%M} UTC"
            found.wrong.append(Wrong(row.line, f"{disk} lies in {before} since {said_since}: give a later moment"))
        else:
            found.moves.append(Move(row.line, disk, before, row.pool, since))


def _house(found: Plan, row: Row, machine: Machine, said: dict[tuple[str, int], int], now: datetime) -> None:
    earlier = said.setdefault(("host", machine.pk), row.line)
    before = machine.host.name if machine.host else ""
    since = row.since or now
    if before == row.host:
        found.unchanged += earlier == row.line
    elif since > now:
        if not row.pool:  # else its pool's move has said it
            found.wrong.append(Wrong(row.line, f"{since:%F %H:%M} UTC is still to come: import it then"))
    elif earlier == row.line:
        found.housings.append(Housing(row.line, machine, before, row.host, since))
    elif (said_host := next(h.host for h in found.housings if h.machine.pk == machine.pk)) != row.host:
        found.wrong.append(Wrong(row.line, f"{machine} runs on {said_host} by line {earlier} already"))
