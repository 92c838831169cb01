"""`make soak`: processes of a second house are killed for ten minutes; its books must be the kernel's counters."""

import subprocess

from scripts import paths, venv
from scripts.setup import set_up
from scripts.test import release


def soak(minutes: float, arguments: list[str]) -> int:
    """It needs what was set up, but none of the services that run: those it kills are its own."""
    release(set_up(venv.DEVELOPMENT))
    words = [paths.in_venv("python"), "-m", "tests.soak", "--minutes", f"{minutes:g}", *arguments]
    return subprocess.run(words, cwd=paths.ROOT, check=False).returncode
