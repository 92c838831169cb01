"""A small provider with an evening behind it: every state there is, sent as agents send it and scored as usual.

Nothing is put on a page by hand: machines enrol with keys, frames go through the API, slots come from the scorer.
"""

import json
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.test import Client

from sla.accounts.models import Customer
from sla.contracts.models import Contract
from sla.contracts.services import add_version, ensure_default_contract
from sla.fleet.models import Disk, Host, Machine, Pool
from sla.fleet.services import issue_enrolment_key
from sla.scoring.services import refresh_stale, settle_due
from tests.web.disk_seed import EVEN, IDLE, OVER, SLOW, Kind, frame

BATCH = 60
Story = Callable[[int], Kind | None]  # minutes ago -> what that minute was; None: nobody looked


@dataclass(frozen=True)
class Part:
    """One disk of the fleet and what happened to it."""

    machine: str
    device: str
    customer: str
    pool: str
    host: str
    story: Story
    version: str = "1.2.0"


CONTRACTS = {
    "Alder": "99% < 15 ms at 1000 IOPS",
    "Birch": "99.9% < 10 ms at 3000 IOPS",
    "Cedar": "99% < 20 ms at 500 IOPS",
}
BUSY = Kind(2_100, 1.9, 0.0002)
SMALL = Kind(160, 3.1, 0.0008)
# Their slow I/Os are writes, 58 % of all: these spend about nine tenths of the budget.
EDGE = Kind(620, 6.4, 0.0158)
EDGE_STRICT = Kind(2_300, 4.1, 0.00158)
DEAD_SLOW = Kind(260, 61.0, 0.93, queue=18)


def once_slow(minutes: int, slow: Kind, usual: Kind) -> Story:
    """Usual, and slow for the last minutes."""
    return lambda ago: slow if ago < minutes else usual


def now_and_then(slow: Kind, usual: Kind) -> Story:
    """A minute here and there, as beside a busy neighbour."""
    return lambda ago: slow if ago < 40 and ago % 7 in (0, 3) else usual


def gone(since: int, usual: Kind) -> Story:
    """The agent fell silent."""
    return lambda ago: None if ago < since else usual


def rested(since: int, usual: Kind) -> Story:
    return lambda ago: IDLE if ago < since else usual


def flooded(since: int, usual: Kind) -> Story:
    """The customer asks for more than was agreed."""
    return lambda ago: OVER if ago < since else usual


def patchy(ago: int) -> Kind | None:
    """A gap, a rest, a flood, a bad start of an hour: one of each in the picture."""
    if 100 <= ago < 106:
        return None
    if 130 <= ago < 150:
        return IDLE
    if 60 <= ago < 82:
        return OVER
    return SLOW if ago < 18 or 41 <= ago < 43 else EVEN


FLEET = (
    Part("web-12", "vda", "Alder", "ssd-3", "hv-07", patchy),
    Part("db-3", "vdb", "Alder", "hdd-1", "hv-02", once_slow(9, DEAD_SLOW, SMALL)),
    Part("shop-1", "sda", "Cedar", "hdd-1", "hv-02", now_and_then(replace(SLOW, iops=240), SMALL)),
    Part("mail-4", "vda", "Birch", "nvme-2", "hv-11", lambda ago: EDGE_STRICT),
    Part("ci-22", "vdb", "Alder", "ssd-1", "hv-05", lambda ago: EDGE),
    Part("build-2", "vda", "Alder", "ssd-1", "hv-05", flooded(55, EVEN)),
    Part("erp-1", "vda", "Alder", "ssd-1", "hv-05", lambda ago: replace(EVEN, iops=120, await_ms=2.4)),
    Part("k8s-9", "sdb", "Birch", "nvme-2", "hv-11", lambda ago: BUSY),
    Part("k8s-9", "sdc", "Birch", "nvme-2", "hv-11", lambda ago: replace(BUSY, iops=900)),
    Part("cache-1", "vda", "Birch", "nvme-2", "hv-12", lambda ago: replace(BUSY, iops=2_700, await_ms=0.4)),
    Part("archive-2", "sda", "Cedar", "hdd-2", "hv-03", rested(70, SMALL)),
    Part("old-2", "xvda", "Cedar", "hdd-2", "hv-03", gone(26, SMALL), version="1.1.4"),
)


def whole_minute() -> int:
    return int(time.time()) // 60 * 60


def build(minutes: int = 60, parts: tuple[Part, ...] = FLEET, end: int | None = None) -> dict[str, Disk]:
    """Enrol, send, score; the disks by "machine/device"."""
    ensure_default_contract()
    end = whole_minute() if end is None else end
    for name, text in CONTRACTS.items():
        customer, _ = Customer.objects.get_or_create(name=name)
        own, made = Contract.objects.get_or_create(
            is_default=True, customer=customer, defaults={"name": f"{name} disks"}
        )
        if made:
            add_version(contract=own, text=text)
    for hostname in dict.fromkeys(part.machine for part in parts):
        _send_machine([part for part in parts if part.machine == hostname], minutes, end)
    while settle_due().marks:
        pass
    refresh_stale()
    disks = Disk.objects.select_related("machine")
    return {f"{disk.machine.hostname}/{disk.device}": disk for disk in disks}


def _send_machine(parts: list[Part], minutes: int, end: int) -> None:
    first = parts[0]
    customer = Customer.objects.get(name=first.customer)
    key = issue_enrolment_key(customer=customer, name=first.machine, uses=1, lifetime=timedelta(days=1))
    described = {
        "machine_id": f"machine-of-{first.machine}",
        "hostname": first.machine,
        "boot_id": "boot-1",
        "agent_version": first.version,
        "virtualisation": "kvm",
        "facts": {},
        "disks": [
            {"device": part.device, "serial": serial_of(part), "wwn": None, "size_bytes": 40 * 2**30} for part in parts
        ],
    }
    answer = _post("/api/v1/enrol", described, key)
    _place(parts)
    terms = {one["serial"]: one["terms"][0] for one in answer["policy"]["disks"]}
    boot = {"version": first.version, "boot_id": "boot-1", "sent_at": float(end)}
    for part in parts:
        told = [(end - 60 * ago, part.story(ago)) for ago in range(minutes, 0, -1)]
        frames = [_frame(start, terms[serial_of(part)], kind, part) for start, kind in told if kind is not None]
        for at in range(0, len(frames), BATCH):
            kept = _post("/api/v1/frames", {"agent": boot, "frames": frames[at : at + BATCH]}, answer["agent_token"])
            if kept["rejected"]:
                raise AssertionError(f"{part.machine} / {part.device}: {kept['rejected'][0]}")


def _frame(start: int, term: dict[str, Any], kind: Kind, part: Part) -> dict[str, Any]:
    made = frame(start, term["term"], kind, serial=serial_of(part), device=part.device)
    made["slow"][0]["threshold_ms"] = term["threshold_ms"]
    return made


def serial_of(part: Part) -> str:
    """Looks like one, and is the same each time."""
    return f"{zlib.crc32(f'{part.machine} {part.device}'.encode()):08x}"


def _place(parts: list[Part]) -> None:
    """Where inventory says the machine and its disks are."""
    host, _ = Host.objects.get_or_create(name=parts[0].host)
    Machine.objects.filter(hostname=parts[0].machine).update(host=host)
    for part in parts:
        pool, _ = Pool.objects.get_or_create(name=part.pool)
        Disk.objects.filter(machine__hostname=part.machine, device=part.device).update(pool=pool)


def _post(path: str, body: dict[str, Any], bearer: str) -> dict[str, Any]:
    response = Client().post(
        path, json.dumps(body), content_type="application/json", headers={"Authorization": f"Bearer {bearer}"}
    )
    if response.status_code not in (200, 201):
        raise AssertionError(f"{path}: {response.status_code} {response.content[:300]!r}")
    return response.json()
