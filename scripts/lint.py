"""`make lint`: what ruff and mypy think of the code."""

import subprocess

from scripts import paths, venv
from scripts.locks import Lock
from scripts.progress import say

CHECKS = (("ruff", "check"), ("ruff", "format", "--check"), ("mypy",))


def lint() -> int:
    """All checks, even after one has failed."""
    paths.make_var()
    lock = Lock(paths.VAR / "setup.lock")
    lock.take(wait=True)
    venv.install(venv.DEVELOPMENT)
    lock.release()
    codes = []
    for check in CHECKS:
        say(f"Plimsoll: {' '.join(check)}")
        codes.append(subprocess.run([paths.in_venv(check[0]), *check[1:]], cwd=paths.ROOT, check=False).returncode)
    return 1 if any(codes) else 0
