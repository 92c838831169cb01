"""What the server is told about this machine when it enrols, and when its set of disks changes."""

from __future__ import annotations

import hashlib
import os

from . import __version__
from .choose import choose
from .hypervisor.volumes import Volumes
from .kernel import dirty, identity, medium, odirect, release, throttle
from .kernel.blockdev import BlockDevice, block_devices
from .kernel.files import read_all, read_text
from .settings import Settings
from .state import State, write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    Json = Dict[str, Any]

# machine-id(5) asks for an application-specific hash: the id itself is not to be sent over a network.
# A page shows forty facts of a machine; who has more disks looks at their own pages.
MOST_DISKS_TOLD = 8
APPLICATION = b"plimsoll-agent machine v1"


def machine_id(state: State, settings: Settings) -> str:
    """A stable name for this machine: a hash of /etc/machine-id, or a random one that is kept."""
    own = identity.machine_id(settings.etc)
    if own is not None:
        return hashlib.sha256(APPLICATION + own.encode()).hexdigest()[:32]
    kept = read_text(state.machine)
    if kept is None:
        kept = os.urandom(16).hex()
        write_atomically(state.machine, kept.encode() + b"\n", durable=True)
    return kept


def disks_of(settings: Settings) -> list[BlockDevice]:
    """This machine's own disks under contract, found anew."""
    kernel = release.version_of(release.release_of(settings.proc))
    lent = Volumes(settings.disk_map).lent()
    picked = choose(block_devices(settings.sys, kernel), settings.devices, settings.sys).picked
    return [disk for disk in picked if disk.device not in lent]


def disk_facts(disk: BlockDevice) -> Json:
    """One disk as the protocol words it."""
    return {
        "device": disk.device,
        "serial": disk.serial,
        "wwn": disk.wwn,
        "size_bytes": disk.size_bytes,
        "rotational": disk.rotational,
        "scheduler": disk.scheduler,
        "write_cache": disk.write_cache,
    }


def enrolment(state: State, settings: Settings) -> Json | None:
    """The body of an enrolment. None: the node_exporter that is to be read has not been seen yet."""
    if settings.from_node_exporter:
        from .imports import machine  # where nothing is imported, nothing of it is loaded

        return machine.kept(state)
    return {
        "machine_id": machine_id(state, settings),
        "hostname": os.uname().nodename or "unnamed",
        "boot_id": identity.boot_id(settings.proc),
        "agent_version": __version__,
        "virtualisation": identity.virtualisation(settings.sys, settings.proc),
        "facts": facts(settings),
        "disks": [disk_facts(disk) for disk in disks_of(settings)],
    }


def facts(settings: Settings) -> Json:
    """What helps to read the figures later: kernel, what its counters prove, the machine's size, its mounts."""
    kernel = release.release_of(settings.proc)
    told: Json = {
        "kernel": kernel,
        "in_flight_rule": release.in_flight_rule(kernel),
        "distribution": _distribution(settings.etc),
        **waiting(settings),
    }
    try:
        import psutil  # type: ignore[import-untyped]  # here: 3 MB and 15 ms that only an enrolment is worth
    except ImportError:
        return told
    told["cpus"] = psutil.cpu_count()
    told["memory_bytes"] = psutil.virtual_memory().total
    told["booted_at"] = int(psutil.boot_time())
    told["mounts"] = [
        {"device": part.device, "type": part.fstype}
        for part in psutil.disk_partitions()
        if part.device.startswith("/dev/")
    ][:64]
    return told


def waiting(settings: Settings) -> Json:
    """What makes requests wait here, one plain value a name: limits and modes, no names of groups or programs."""
    limits = dirty.read(settings.proc)
    told: Json = {
        "dirty_limit_bytes": limits.limit_bytes,
        "dirty_background_bytes": limits.background_bytes,
        "dirty_limit_set_by": limits.set_by,
        "o_direct_honoured": odirect.honoured(settings.proc),
        "fsync_honoured": odirect.fsync_honoured(settings.proc),
    }
    capped: dict[str, list[str]] = {}
    for limit in throttle.limits(settings.sys):
        capped.setdefault(limit.number, []).append(limit.words)
    for disk in disks_of(settings)[:MOST_DISKS_TOLD]:
        words = [
            medium.model_of(disk.path),
            None if disk.nr_requests is None else f"{disk.nr_requests} requests at once",
            f"made of {', '.join(disk.slaves)}" if disk.slaves else None,
        ]
        told[disk.device] = ", ".join(word for word in words if word) or None
        if make := medium.controller_of(disk.path):
            told[f"{disk.device}_raid_controller"] = make
        if found := capped.get(disk.number or ""):
            told[f"{disk.device}_limits_of_control_groups"] = "; ".join(sorted(set(found))[:8])
    for array in medium.arrays(settings.sys)[:MOST_DISKS_TOLD]:
        state = f"lacks {array.degraded}" if array.degraded else "complete"
        told[array.device] = f"{array.level} of {', '.join(array.members)}, {state}, {array.action}"
    return told


def fingerprint(settings: Settings, body: Json) -> str:
    """Changes whenever the server should hear of this machine again: other disks, another address."""
    parts = [settings.url, body["machine_id"]]
    parts += [repr(sorted(disk.items(), key=str)) for disk in body["disks"]]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _distribution(etc: str) -> str | None:
    for line in (read_all(etc + "/os-release") or b"").decode("utf-8", "replace").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line[12:].strip('"')
    return None
