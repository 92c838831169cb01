"""What is the server told of a machine whose node_exporter is read: the body of an enrolment, from its page."""

from __future__ import annotations

import hashlib
import json

from .. import __version__, recording
from ..choose import MULTIPATH
from ..kernel import release
from ..kernel.files import read_all
from ..state import State, write_atomically
from .node_exporter import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

    Json = Dict[str, Any]

APPLICATION = b"plimsoll-agent import v1"
# No machine reboots faster, and no clock is corrected by more without being noticed.
SAME_BOOT_S = 30
VIRTUAL = ("qemu", "kvm", "vmware", "xen", "virtualbox", "amazon ec2", "google compute", "openstack", "virtual machine")


def disks_of(page: Page, named: List[str]) -> List[str]:
    """The disks under contract: those named, or every whole disk. A page tells volumes from their members by name."""
    if named:
        wanted = {name.rsplit("/dev/", 1)[-1] for name in named}
        return sorted(wanted & set(page.disks))
    lines = [("", device, counters) for device, counters in page.disks.items()]
    whole = recording.whole_disks(lines, set())
    paths = {name for name in whole if page.info.get(name, {}).get("path", "").startswith(MULTIPATH)}
    return sorted(whole - paths)


def rule_of(page: Page, device: str) -> str:
    """What in_flight may prove: nothing on volumes, and on kernels that do not count every I/O whose clock runs."""
    stacked = recording.STACKED.match(device) or recording.SKIPPED.match(device)
    return "driver" if stacked else release.in_flight_rule(page.machine.get("uname_release", ""))


def boot_of(page: Page, before: int | None) -> int | None:
    """When it was booted, as said `before` while that is the same boot: the kernel's figure moves with its clock."""
    if before is not None and page.booted_at is not None and abs(page.booted_at - before) <= SAME_BOOT_S:
        return before
    return page.booted_at


def described(page: Page, shown: str, devices: List[str], booted_at: int | None) -> Json:
    """The body of an enrolment. An exporter shows no boot id: the moment of the boot stands for it."""
    told = page.machine
    name = told.get("uname_nodename") or "unnamed"
    kernel = told.get("uname_release", "")
    dmi = " ".join(told.get(key, "") for key in ("dmi_system_vendor", "dmi_product_name")).strip()
    virtual = next((word for word in VIRTUAL if word in dmi.lower()), None)
    return {
        "machine_id": hashlib.sha256(APPLICATION + f"{shown}\n{name}".encode()).hexdigest()[:32],
        "hostname": name,
        "boot_id": "" if booted_at is None else f"booted-at-{booted_at}",
        "agent_version": __version__,
        "virtualisation": virtual,
        "facts": {
            "imported_from": shown,
            "kernel": kernel or None,
            "in_flight_rule": release.in_flight_rule(kernel),
            "distribution": told.get("os_pretty_name"),
            "hardware": dmi or None,
            "memory_bytes": page.memory_bytes,
            "booted_at": booted_at,
        },
        "disks": [_disk(device, page.info.get(device, {})) for device in devices],
    }


def keep(state: State, body: Json) -> bool:
    """Leave the description where the uplink finds it. True where it is another one than before."""
    raw = json.dumps(body, sort_keys=True).encode()
    if read_all(path_of(state)) == raw:
        return False
    write_atomically(path_of(state), raw)
    return True


def kept(state: State) -> Json | None:
    """The description the importer has left. None: it has seen no page yet."""
    raw = read_all(path_of(state))
    try:
        found = json.loads(raw) if raw else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def path_of(state: State) -> str:
    """Durable: frames may wait for a server longer than the importer runs."""
    return state.top + "/imported"


def _disk(device: str, info: Json) -> Json:
    rotational = {"1": True, "0": False}.get(info.get("rotational", ""))
    return {
        "device": device,
        "serial": info.get("serial") or None,
        "wwn": info.get("wwn") or None,
        "size_bytes": None,
        "rotational": rotational,
        "scheduler": None,
        "write_cache": None,
    }
