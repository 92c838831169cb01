"""Does this kernel do direct I/O when a program asks for it? In OpenVZ containers the node decides.

Kernel: OpenVZ's fs.odirect_enable: 0 ignores O_DIRECT (and fsync may be ignored by fs.fsync-enable too), 1 honours it.
Other kernels have no such switch.
"""

from __future__ import annotations

import os

from .files import read_int


def honoured(proc: str = "/proc") -> bool | None:
    """None: a container whose node does not say."""
    switch = read_int(proc + "/sys/fs/odirect_enable")
    if switch is not None:
        return switch != 0
    return None if in_openvz(proc) else True


def fsync_honoured(proc: str = "/proc") -> bool | None:
    """The same for fsync(2): 0 ignores it, 1 and 2 do what was asked, now or by the kernel's choice."""
    switch = read_int(proc + "/sys/fs/fsync-enable")
    if switch is not None:
        return switch != 0
    return None if in_openvz(proc) else True


def in_openvz(proc: str = "/proc") -> bool:
    """A container has /proc/vz, and only the node itself has /proc/bc beside it."""
    return os.path.isdir(proc + "/vz") and not os.path.isdir(proc + "/bc")
