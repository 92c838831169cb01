"""Which programs do the tests need beside ours? They come from the system's packages, where they can be installed."""

import os
import shutil
from dataclasses import dataclass

from scripts import chromium
from scripts.problem import Problem
from scripts.progress import say, step
from scripts.shell import run

INSTALL = ("apt-get", "-qq", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "install")


@dataclass(frozen=True, slots=True)
class Program:
    """`names`: any of these will do; `tests`: those that are skipped without it."""

    names: tuple[str, ...]
    package: str
    tests: str


CHROMIUM = Program(chromium.NAMES, "chromium", "the page tests")
PROGRAMS = (
    CHROMIUM,
    Program(("pdftotext",), "poppler-utils", "the tests that read a printed statement"),
)


def missing(programs: tuple[Program, ...]) -> list[Program]:
    return [program for program in programs if not any(map(shutil.which, program.names))]


def as_root() -> list[str] | None:
    """What to put before a command that needs root; None where we cannot be root without a question."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    try:
        run(["sudo", "-n", "true"], what="asking for root")
    except Problem:
        return None
    return ["sudo", "-n"]


def ensure(programs: tuple[Program, ...] = PROGRAMS) -> None:
    """Install what is missing and can be; else say which tests will be skipped."""
    if not (wanted := missing(programs)):
        return
    packages = [program.package for program in wanted]
    skipped = " and ".join(program.tests for program in wanted)
    root = as_root()
    if root is None or shutil.which("apt-get") is None:
        say(
            f"  {', '.join(packages)}: missing, cannot be installed from here (root and apt): {skipped} will be skipped"
        )
        return
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        with step(f"{' and '.join(packages)} for the tests, from the system's packages"):
            run([*root, "apt-get", "-qq", "update"], what="reading the package lists", env=env)
            run([*root, *INSTALL, *packages], what=f"installing {', '.join(packages)}", env=env)
    except Problem as problem:
        say(f"  {skipped} will be skipped: {problem}")
