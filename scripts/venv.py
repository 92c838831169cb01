"""The virtual environment of the checkout, with what the requirements files pin."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from scripts import paths, stamps
from scripts.problem import Problem
from scripts.progress import step
from scripts.shell import run

RUNTIME, DEVELOPMENT, NODE = "requirements.txt", "requirements-dev.txt", "requirements-node.txt"
INCLUDED = {DEVELOPMENT: (RUNTIME,)}  # by its own first line


def ensure() -> None:
    """Make `.venv` where it is missing or was made by another Python."""
    stamp = paths.VENV / "made-by"
    key = stamps.key_of([], sys.version, str(paths.VENV))
    if stamps.is_done(stamp, key) or (not stamp.exists() and (paths.VENV / "bin/pip").is_file()):
        return
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise Problem(f"{sys.executable} has no venv module: on Debian it is the package python3-venv")
    with step("virtual environment"):
        shutil.rmtree(paths.VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", paths.VENV], what="making .venv")
        stamps.mark_done(stamp, key)


def stamp_and_key(requirements: str) -> tuple[Path, str]:
    files = [paths.ROOT / name for name in (requirements, RUNTIME, "agent/pyproject.toml")]
    return paths.VENV / f"installed-{requirements}", stamps.key_of(files)


def is_installed(requirements: str) -> bool:
    return stamps.is_done(*stamp_and_key(requirements))


def install(requirements: str) -> None:
    """What one requirements file pins; free while nothing in it has changed."""
    ensure()
    if is_installed(requirements):
        return
    with step(f"Python packages of {requirements}"):
        pip = [paths.in_venv("python"), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        env = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
        run([*pip, "-r", requirements], what="pip", cwd=paths.ROOT, env=env)
        for name in (*INCLUDED.get(requirements, ()), requirements):
            stamps.mark_done(*stamp_and_key(name))
