"""How much may programs have written before they must wait for the disk: the limits of dirty memory.

Kernel: Documentation/admin-guide/sysctl/vm.rst (dirty_bytes, dirty_ratio and their background twins; the one of a pair
that is 0 does not count), and nr_dirty_threshold of /proc/vmstat, in pages: what the kernel makes of them just now.
"""

from __future__ import annotations

import os

from .files import read_all, read_int


class Dirty:
    """Bytes; None where this kernel does not say. `set_by` names the setting that rules."""

    __slots__ = ("background_bytes", "limit_bytes", "now_bytes", "set_by")

    def __init__(
        self, limit_bytes: int | None, background_bytes: int | None, now_bytes: int | None, set_by: str | None
    ) -> None:
        self.limit_bytes = limit_bytes
        self.background_bytes = background_bytes
        self.now_bytes = now_bytes
        self.set_by = set_by


def read(proc: str = "/proc", page: int | None = None) -> Dirty:
    """The limits now. `page`: the machine's page size, the own one if None."""
    page = page or os.sysconf("SC_PAGE_SIZE")
    counted = _numbers(read_all(proc + "/vmstat"))
    memory = _numbers(read_all(proc + "/meminfo"))
    available = memory.get("MemAvailable:")

    def limit(counter: str, name: str) -> int | None:
        if counter in counted:
            return counted[counter] * page
        fixed = read_int(f"{proc}/sys/vm/{name}_bytes")
        ratio = read_int(f"{proc}/sys/vm/{name}_ratio")
        if fixed:
            return fixed
        return None if ratio is None or available is None else available * 1024 * ratio // 100

    now = memory.get("Dirty:")
    return Dirty(
        limit("nr_dirty_threshold", "dirty"),
        limit("nr_dirty_background_threshold", "dirty_background"),
        None if now is None else now * 1024,
        _ruling(proc),
    )


def _ruling(proc: str) -> str | None:
    for name in ("dirty_bytes", "dirty_ratio"):
        if value := read_int(f"{proc}/sys/vm/{name}"):
            return f"vm.{name} = {value}"
    return None


def _numbers(text: bytes | None) -> dict[str, int]:
    found = {}
    for line in (text or b"").decode("ascii", "replace").splitlines():
        fields = line.split()
        if len(fields) > 1 and fields[1].isdigit():
            found[fields[0]] = int(fields[1])
    return found
