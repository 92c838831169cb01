"""`make agent-dist`: the agent's wheel and its single file in var/dist, the same bytes from the same sources."""

import os
import subprocess
import sys

from scripts import ebpf, paths
from scripts.problem import Problem
from scripts.progress import say

AGENT = paths.ROOT / "agent"
DIST = paths.VAR / "dist"
# The earliest date that a wheel's zip can hold.
EPOCH = {"SOURCE_DATE_EPOCH": "315532800"}


def kernel_program() -> str:
    """Make the program for the kernel where that can be done, and say whether it goes along."""
    try:
        ebpf.build()
    except Problem as problem:
        if not ebpf.PROGRAM.exists():
            return f"WITHOUT the program that times each I/O in the kernel: {problem}"
        return f"with an OLDER program that times each I/O in the kernel than its source: {problem}"
    return "with the program that times each I/O in the kernel"


def agent_dist() -> int:
    """Build both, and write their checksums down."""
    sys.path.insert(0, str(AGENT))
    from plimsoll_agent import __version__, package  # only now: its path has just been set

    say(f"Plimsoll: {kernel_program()}")
    DIST.mkdir(parents=True, exist_ok=True)
    for old in (*DIST.glob("plimsoll_agent-*.whl"), *DIST.glob("plimsoll-agent-*.pyz")):
        old.unlink()
    (DIST / f"plimsoll-agent-{__version__}.pyz").write_bytes(package.as_one_file())
    command = [paths.in_venv("python"), "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", DIST, AGENT]
    if subprocess.run(command, env={**os.environ, **EPOCH}, check=False).returncode:
        raise Problem("the wheel could not be built: is there a network for flit_core?")
    made = sorted((*DIST.glob("*.whl"), *DIST.glob("*.pyz")))
    sums = [f"{package.digest_of(path.read_bytes())}  {path.name}\n" for path in made]
    (DIST / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    for path in made:
        say(f"Plimsoll: {path.relative_to(paths.ROOT)} is built, {path.stat().st_size / 1024:.0f} KiB")
    return 0
