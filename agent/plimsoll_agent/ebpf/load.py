"""Can this kernel time each I/O for us, and if so: begin. Else: what is missing, in words.

libbpf finds the fields of the running kernel (CO-RE) and takes some megabytes while it does; so this is done by the
process that is about to become the sampler, and only two open files are left of it.
"""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path
from typing import Any

from ..kernel.files import read_all
from .table import HANDED_OVER

PROGRAM = Path(__file__).parent / "latency.bpf.o"
# In order of preference: the moment when the kernel itself counts (6.5 and later), else the end of each request.
POINTS = ("io_done", "rq_complete")
LIBRARY = "libbpf.so.1"
# linux/capability.h; CAP_SYS_ADMIN stands for both (and was the only way before 5.8).
CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF = 21, 38, 39


class Missing(RuntimeError):
    """Why there are no exact latencies here: one clause that goes on "because …" or stands after a colon."""


def obstacle(*, proc: str = "/proc", sys: str = "/sys", program: Path = PROGRAM) -> str | None:
    """What is missing, as far as can be seen without trying. None: nothing."""
    if platform.machine() not in {"x86_64", "aarch64"}:
        return f"its byte order and page size are not tried on {platform.machine()}"
    if not program.exists():
        return f"its program is not in this package ({program.name}): build it with `make ebpf`, which needs clang"
    if not os.path.exists(sys + "/kernel/btf/vmlinux"):
        return f"this kernel does not describe its types ({sys}/kernel/btf/vmlinux is not there: CONFIG_DEBUG_INFO_BTF)"
    missing = _rights(proc)
    if missing:
        return f"this process lacks {missing}"
    try:
        _library()
    except OSError:
        return f"{LIBRARY} is not installed (Debian and Ubuntu: libbpf1, RHEL: libbpf)"
    return None


def begin(*, program: Path = PROGRAM, point: str | None = None, **places: str) -> tuple[int, int, int]:
    """Load and attach. Answers the open files of the table, the link that keeps the program attached, and the program.

    `point`: only this one of POINTS. Raises Missing.
    """
    missing = obstacle(program=program, **places)
    if missing:
        raise Missing(missing)
    tried: list[str] = []
    for name in (point,) if point else POINTS:
        try:
            return _start(str(program), name)
        except Missing as error:
            tried.append(f"{name}: {error}")
    raise Missing("; ".join(tried))


def hand_over(started: tuple[int, int, int]) -> dict[str, str]:
    """What the process that replaces this one needs in its environment."""
    for fd in started:
        os.set_inheritable(fd, True)
    return {HANDED_OVER: ",".join(map(str, started))}


def _start(program: str, point: str) -> tuple[int, int, int]:
    bpf = _library()
    bpf.libbpf_set_print(None)  # its warnings are for programmers; an operator gets one clause
    whole = bpf.bpf_object__open_file(program.encode(), None)
    if not whole:
        raise Missing(f"libbpf does not open {program}: {os.strerror(ctypes.get_errno())}")
    try:
        for name in POINTS:
            found = bpf.bpf_object__find_program_by_name(whole, name.encode())
            bpf.bpf_program__set_autoload(found, name == point)
        code = bpf.bpf_object__load(whole)
        if code:
            raise Missing(f"the kernel refuses it: {os.strerror(-code)}")
        table = bpf.bpf_map__fd(bpf.bpf_object__find_map_by_name(whole, b".bss"))
        chosen = bpf.bpf_object__find_program_by_name(whole, point.encode())
        link = bpf.bpf_program__attach(chosen)
        if not link:
            raise Missing(f"it cannot be attached: {os.strerror(ctypes.get_errno())}")
        # Copies: what libbpf holds goes with its objects.
        started = (os.dup(table), os.dup(bpf.bpf_link__fd(link)), os.dup(bpf.bpf_program__fd(chosen)))
        bpf.bpf_link__destroy(link)
        return started
    finally:
        bpf.bpf_object__close(whole)


def _library() -> Any:
    """libbpf with the types of the functions used here. Raises OSError where it is not installed."""
    bpf = ctypes.CDLL(LIBRARY, use_errno=True)
    pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, answer, *given in (
        ("libbpf_set_print", pointer, pointer),
        ("bpf_object__open_file", pointer, text, pointer),
        ("bpf_object__find_program_by_name", pointer, pointer, text),
        ("bpf_object__find_map_by_name", pointer, pointer, text),
        ("bpf_program__set_autoload", integer, pointer, ctypes.c_bool),
        ("bpf_object__load", integer, pointer),
        ("bpf_object__close", None, pointer),
        ("bpf_program__attach", pointer, pointer),
        ("bpf_program__fd", integer, pointer),
        ("bpf_map__fd", integer, pointer),
        ("bpf_link__fd", integer, pointer),
        ("bpf_link__destroy", integer, pointer),
    ):
        function = getattr(bpf, name)
        function.restype, function.argtypes = answer, given
    return bpf


def _rights(proc: str) -> str | None:
    """Which capabilities are missing, from CapEff of proc(5)."""
    for line in (read_all(proc + "/self/status") or b"").splitlines():
        if line.startswith(b"CapEff:"):
            held = int(line.split()[1], 16)
            if held >> CAP_SYS_ADMIN & 1:
                return None
            names = ((CAP_BPF, "CAP_BPF"), (CAP_PERFMON, "CAP_PERFMON"))
            return " and ".join(name for bit, name in names if not held >> bit & 1) or None
    return None
