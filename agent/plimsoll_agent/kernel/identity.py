"""Which machine is this, and in which boot: /etc/machine-id, boot_id, the hypervisor underneath."""

from __future__ import annotations

from .files import read_text
from .odirect import in_openvz

# What DMI and sysfs call the hypervisors that people run; the word is the one systemd-detect-virt prints.
VENDORS = (
    ("qemu", "kvm"),
    ("kvm", "kvm"),
    ("amazon ec2", "amazon"),
    ("google", "google"),
    ("openstack", "kvm"),
    ("vmware", "vmware"),
    ("virtualbox", "oracle"),
    ("innotek", "oracle"),
    ("xen", "xen"),
    ("microsoft corporation", "microsoft"),
    ("bochs", "bochs"),
    ("parallels", "parallels"),
)


def boot_id(proc: str = "/proc") -> str:
    """The kernel's random id of this boot; empty where it has none."""
    return read_text(proc + "/sys/kernel/random/boot_id") or ""


def machine_id(etc: str = "/etc") -> str | None:
    """/etc/machine-id, which its man page asks not to send out as it is. None: not there or not initialised."""
    text = read_text(etc + "/machine-id")
    return text if text is not None and len(text) == 32 else None


def virtualisation(sys: str = "/sys", proc: str = "/proc") -> str | None:
    """The hypervisor's word, "none" on bare metal, "vm" where only the CPU says so; None where nothing does."""
    if in_openvz(proc):
        return "openvz"
    if (kind := read_text(sys + "/hypervisor/type")) is not None:
        return kind
    dmi = " ".join(read_text(f"{sys}/class/dmi/id/{name}") or "" for name in ("sys_vendor", "product_name")).lower()
    for needle, word in VENDORS:
        # Microsoft also sells bare metal (Surface): only its "Virtual Machine" is Hyper-V.
        if needle in dmi and (word != "microsoft" or "virtual" in dmi):
            return word
    cpuinfo = read_text(proc + "/cpuinfo")
    if cpuinfo is None:
        return None
    for line in cpuinfo.split("\n"):
        if line.startswith("flags"):
            return "vm" if " hypervisor" in line else "none"
    return None
