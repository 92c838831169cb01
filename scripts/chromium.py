"""Is there a Chromium for the page tests? It comes from the system's packages, where they can be installed."""

import os
import shutil

from scripts.problem import Problem
from scripts.progress import say, step
from scripts.shell import run

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


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


def ensure() -> None:
    """Install it when it is missing and possible; else say why the page tests will be skipped."""
    if find() is not None:
        return
    root = as_root()
    if root is None or shutil.which("apt-get") is None:
        say("  Chromium is missing and cannot be installed from here (root and apt): the page tests will be skipped")
        return
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = [
        "apt-get",
        "-qq",
        "-y",
        "--no-install-recommends",
        "-o",
        "DPkg::Lock::Timeout=120",
        "install",
        "chromium",
    ]
    try:
        with step("Chromium for the page tests, from the system's packages"):
            run([*root, "apt-get", "-qq", "update"], what="reading the package lists", env=env)
            run([*root, *install], what="installing Chromium", env=env)
    except Problem as problem:
        say(f"  the page tests will be skipped: {problem}")
