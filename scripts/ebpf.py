"""`make ebpf`: build the agent's program for the kernel, where there is a clang; it then goes into the wheel."""

import shutil
import subprocess
from pathlib import Path

from scripts import paths
from scripts.problem import Problem
from scripts.progress import say

SOURCE = paths.ROOT / "agent" / "ebpf" / "latency.bpf.c"
PROGRAM = paths.ROOT / "agent" / "plimsoll_agent" / "ebpf" / "latency.bpf.o"
# clang 11 is the first that writes all the relocations used (enum values).
VERSIONS = range(30, 10, -1)


def clang() -> str | None:
    """The compiler: gcc's bpf target knows the relocations only since 14 and is hardly installed anywhere."""
    return next(filter(None, map(shutil.which, ["clang", *(f"clang-{version}" for version in VERSIONS)])), None)


def build() -> Path:
    """The program, made anew where its source is younger. Raises Problem."""
    if PROGRAM.exists() and PROGRAM.stat().st_mtime >= SOURCE.stat().st_mtime:
        return PROGRAM
    compiler = clang()
    if compiler is None:
        raise Problem("no clang is installed; the agent works without it, from the kernel's counters alone")
    new = PROGRAM.with_suffix(".new")
    flags = ["-target", "bpf", "-mcpu=v2", "-O2", "-g", "-Wall", "-Werror", f"-ffile-prefix-map={paths.ROOT}=."]
    done = subprocess.run([compiler, *flags, "-c", SOURCE, "-o", new], check=False)
    if done.returncode:
        raise Problem(f"{compiler} could not build {SOURCE.name}")
    new.replace(PROGRAM)
    return PROGRAM


def ebpf() -> int:
    """Say where it is."""
    say(f"Plimsoll: {build().relative_to(paths.ROOT)} is built")
    return 0
