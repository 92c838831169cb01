"""The front end's libraries: what package-lock.json pins, fetched by npm."""

import os
import re
import shutil
import subprocess

from scripts import paths, stamps, venv
from scripts.progress import step
from scripts.shell import run

OLDEST_NODE = 18  # `node --test` as the tests use it


def system_node_is_new_enough() -> bool:
    if not (shutil.which("node") and shutil.which("npm")):
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)", said)
    return major is not None and int(major[1]) >= OLDEST_NODE


def bring_node() -> str:
    """The folder of node and npm: '' for the system's own, else the virtual environment's (a package carries them)."""
    if system_node_is_new_enough():
        return ""
    venv.install(venv.NODE)
    return str(paths.VENV / "bin")


def environment() -> dict[str, str]:
    folder = bring_node()
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"} if folder else dict(os.environ)


def install() -> None:
    """Free while package-lock.json has not changed."""
    files = [paths.ROOT / name for name in ("package.json", "package-lock.json")]
    stamp, key = paths.NODE_MODULES / ".installed", stamps.key_of(files)
    if stamps.is_done(stamp, key):
        return
    env = environment()
    with step("front-end libraries (npm)"):
        # No package of ours needs a script of its own at installation: none may run.
        words = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        run(words, what="npm", cwd=paths.ROOT, env=env)
        paths.NODE_MODULES.mkdir(exist_ok=True)
        stamps.mark_done(stamp, key)
