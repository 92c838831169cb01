"""What does libvirt say of all its VMs' disks at once: `virsh domstats --block --raw`, and who the disks are.

Fields: virConnectGetAllDomainStats (libvirt-domain.h, VIR_DOMAIN_STATS_BLOCK): requests, bytes, and times in ns, summed
since the VM was started.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import namedtuple
from xml.etree import ElementTree

from ..qmp.drives import counters_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    from ..core.counters import Counters

    Disks = Dict[str, Dict[str, "Disk"]]

# libvirt's name of a figure -> QEMU's, which libvirt asked for it.
FIGURES = {
    "rd.reqs": "rd_operations",
    "rd.bytes": "rd_bytes",
    "rd.times": "rd_total_time_ns",
    "wr.reqs": "wr_operations",
    "wr.bytes": "wr_bytes",
    "wr.times": "wr_total_time_ns",
    "fl.reqs": "flush_operations",
    "fl.times": "flush_total_time_ns",
}
NEEDED = ("rd_operations", "rd_bytes", "rd_total_time_ns", "wr_operations", "wr_bytes", "wr_total_time_ns")
# A thousand VMs' disks are a megabyte.
MOST_BYTES = 64 << 20


class LibvirtError(RuntimeError):
    """virsh is not there, or did not say; the message holds its words."""


class Disk(namedtuple("Disk", "path counters")):
    """One disk of a domain: where it lies, and its figures as /proc/diskstats words them."""

    __slots__ = ()


class Virsh:
    """Asks one libvirt, which keeps its secrets: the connection is read-only."""

    def __init__(self, address: str) -> None:
        """Raises LibvirtError where virsh is not installed."""
        program = shutil.which("virsh")
        if program is None:
            raise LibvirtError("virsh is not installed: it comes with libvirt's clients")
        self._command = [program, "--readonly", "--quiet", "--connect", address]
        self.address = address

    def disks(self, timeout_s: float) -> Disks:
        """Disks by VM and target name. What a busy VM does not answer at once is left out. Raises LibvirtError."""
        return parse_stats(self._ask(["domstats", "--block", "--raw", "--list-active", "--nowait"], timeout_s))

    def identities(self, vm: str, timeout_s: float) -> Dict[str, tuple[str | None, str | None]]:
        """Serial and WWN by target name. Raises LibvirtError."""
        return parse_identities(self._ask(["dumpxml", "--domain", vm], timeout_s))

    def _ask(self, words: list[str], timeout_s: float) -> str:
        try:
            done = subprocess.run(
                [*self._command, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise LibvirtError(f"{self.address} does not answer within {timeout_s:.1f} s") from error
        except OSError as error:
            raise LibvirtError(f"virsh cannot be run: {error.strerror}") from error
        if done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
            raise LibvirtError(f"virsh {words[0]} at {self.address}: {said or f'exit status {done.returncode}'}")
        if len(done.stdout) > MOST_BYTES:
            raise LibvirtError(f"virsh {words[0]} prints over {MOST_BYTES >> 20} MiB")
        return done.stdout.decode("utf-8", "replace")


def parse_stats(text: str) -> Disks:
    """The output of domstats. A disk that lacks a figure of reads or writes is left out: an empty drive."""
    told: Dict[str, Dict[str, Dict[str, str]]] = {}
    vm = ""
    for line in text.splitlines():
        if line.startswith("Domain: "):
            vm = line[8:].strip().strip("'")
            told[vm] = {}
            continue
        name, _, value = line.strip().partition("=")
        kind, _, rest = name.partition(".")
        number, _, figure = rest.partition(".")
        if vm and kind == "block" and figure:
            told[vm].setdefault(number, {})[figure] = value
    return {vm: _disks(blocks) for vm, blocks in told.items()}


def _disks(blocks: Dict[str, Dict[str, str]]) -> Dict[str, Disk]:
    found = {}
    for block in blocks.values():
        stats = {ours: int(block[theirs]) for theirs, ours in FIGURES.items() if block.get(theirs, "").isdigit()}
        if "name" in block and all(name in stats for name in NEEDED):
            counters: Counters = counters_of(stats)
            found[block["name"]] = Disk(block.get("path", ""), counters)
    return found


def parse_identities(text: str) -> Dict[str, tuple[str | None, str | None]]:
    """Serial and WWN of each <disk> by its target's name. Raises LibvirtError for what is no domain's description."""
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - libvirt's own words, not a stranger's
    except ElementTree.ParseError as error:
        raise LibvirtError(f"virsh dumpxml prints no XML: {error}") from error
    found = {}
    for disk in root.iter("disk"):
        target = disk.find("target")
        if target is not None and target.get("dev"):
            wwn = (disk.findtext("wwn") or "").strip()
            found[str(target.get("dev"))] = (
                (disk.findtext("serial") or "").strip() or None,
                f"naa.{wwn}" if wwn else None,
            )
    return found
