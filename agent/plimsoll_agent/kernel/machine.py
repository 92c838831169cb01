"""What else was going on in the machine: /proc/stat, /proc/pressure/io and /proc/meminfo.

Read at both ends of a frame; the ratios come from the differences. Kernel: Documentation/filesystems/proc.rst §1.8
(cpu times in ticks, procs_blocked), Documentation/accounting/psi.rst (total in microseconds).
"""

from __future__ import annotations

from .files import read_all

FIELDS = ("cpu_ticks", "steal_ticks", "iowait_ticks", "psi_some_us", "psi_full_us", "dirty_bytes", "blocked", "mono_us")


class Machine:
    """One look at the machine; None where this kernel does not say. Ticks and microseconds are cumulative."""

    __slots__ = FIELDS

    def __init__(
        self,
        cpu_ticks: int | None,
        steal_ticks: int | None,
        iowait_ticks: int | None,
        psi_some_us: int | None,
        psi_full_us: int | None,
        dirty_bytes: int | None,
        blocked: int | None,
        mono_us: int,
    ) -> None:
        self.cpu_ticks = cpu_ticks
        self.steal_ticks = steal_ticks
        self.iowait_ticks = iowait_ticks
        self.psi_some_us = psi_some_us
        self.psi_full_us = psi_full_us
        self.dirty_bytes = dirty_bytes
        self.blocked = blocked
        self.mono_us = mono_us


def read(mono_us: int, proc: str = "/proc") -> Machine:
    """The machine now; `mono_us` is the caller's monotonic clock, for the pressure ratios."""
    cpu, steal, iowait, blocked = _cpu(read_all(proc + "/stat"))
    some, full = _pressure(read_all(proc + "/pressure/io"))
    return Machine(cpu, steal, iowait, some, full, _dirty(read_all(proc + "/meminfo")), blocked, mono_us)


def facts_between(begin: Machine, end: Machine) -> dict[str, float | int | None]:
    """The frame's `machine`: shares over the time between two looks, levels as they were at its end."""
    ticks = _advance(begin.cpu_ticks, end.cpu_ticks)
    wall_us = end.mono_us - begin.mono_us
    return {
        "steal_ratio": _share(_advance(begin.steal_ticks, end.steal_ticks), ticks),
        "iowait_ratio": _share(_advance(begin.iowait_ticks, end.iowait_ticks), ticks),
        "dirty_bytes": end.dirty_bytes,
        "psi_io_some": _share(_advance(begin.psi_some_us, end.psi_some_us), wall_us),
        "psi_io_full": _share(_advance(begin.psi_full_us, end.psi_full_us), wall_us),
        "d_state_tasks": end.blocked,
    }


def _advance(before: int | None, after: int | None) -> int | None:
    """None too where the kernel went back (iowait may, on CPUs that go offline): unknown, never negative."""
    if before is None or after is None or after < before:
        return None
    return after - before


def _share(part: int | None, whole: int | None) -> float | None:
    if part is None or whole is None or whole <= 0:
        return None
    return min(1.0, round(part / whole, 6))


def _cpu(stat: bytes | None) -> tuple[int | None, int | None, int | None, int | None]:
    if stat is None:
        return None, None, None, None
    # guest and guest_nice (columns 9, 10) are counted in user and nice already.
    ticks = [int(field) for field in stat.split(b"\n", 1)[0].split()[1:9]]
    iowait = ticks[4] if len(ticks) > 4 else None
    steal = ticks[7] if len(ticks) > 7 else None
    at = stat.find(b"\nprocs_blocked ")
    blocked = int(stat[at + 15 : stat.find(b"\n", at + 1)]) if at >= 0 else None
    return sum(ticks), steal, iowait, blocked


def _pressure(text: bytes | None) -> tuple[int | None, int | None]:
    totals: dict[bytes, int] = {}
    for line in (text or b"").split(b"\n"):
        kind, _, rest = line.partition(b" ")
        at = rest.find(b"total=")
        if at >= 0:
            totals[kind] = int(rest[at + 6 :])
    return totals.get(b"some"), totals.get(b"full")


def _dirty(meminfo: bytes | None) -> int | None:
    """Dirty and under writeback: both still have to reach a disk."""
    total = None
    for line in (meminfo or b"").split(b"\n"):
        if line.startswith((b"Dirty:", b"Writeback:")):
            total = (total or 0) + int(line.split()[1]) * 1024
    return total
