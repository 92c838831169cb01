"""`make screenshots`: pictures of the pages of the Plimsoll that `make run` of this checkout runs."""

import subprocess

from scripts import paths, test_programs, venv
from scripts.locks import holder_of
from scripts.member import RUN_LOCK
from scripts.problem import Problem
from scripts.setup import set_up
from scripts.test import release


def pictures(arguments: list[str]) -> int:
    """The arguments go to scripts.screenshots."""
    if holder_of(RUN_LOCK) is None:
        raise Problem("nothing runs that could be pictured: `make run` first, in another terminal")
    test_programs.ensure((test_programs.CHROMIUM,))
    release(set_up(venv.DEVELOPMENT))
    command = [paths.in_venv("python"), "-m", "scripts.screenshots", *arguments]
    return subprocess.run(command, cwd=paths.ROOT, check=False).returncode
