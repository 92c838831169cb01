"""A second checkout of the working tree: its own code and data, sharing what is expensive to set up.

What a soak kills must be nobody else's. The virtual environment, node_modules and the unpacked services are linked;
cluster, Redis data, sockets, keys and logs are the twin's own.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from scripts import paths, stamps, venv
from scripts.locks import Lock, holder_of
from scripts.services import folder as folders
from scripts.services import install

NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "node_modules", "var", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info"
)
MEMORY = {"tmpfs", "ramfs"}
PREFIX = "plimsoll-soak-"
OWNER = "soak.lock"  # in each twin, held by whoever made it


class CannotSoak(Exception):
    """What this machine or checkout lacks; the message says it."""


def file_system_of(folder: Path) -> str:
    """Its type, by the longest mount point above it."""
    best, kind = "", ""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, mount, this, *_ = line.split()
        if folder.is_relative_to(mount) and len(mount) >= len(best):
            best, kind = mount, this
    return kind


def make() -> tuple[Path, Lock]:
    """The twin's folder on a real disk, and the lock that says that it is in use. Raises CannotSoak."""
    programs = services_of_this_checkout()
    if not (paths.VENV / "bin/plimsoll-agent").is_file() or not paths.NODE_MODULES.is_dir():
        raise CannotSoak("this checkout is not set up: `make test` and `make soak` do that")
    parent = Path("/var/tmp").resolve()  # noqa: S108  made by mkdtemp, and must lie where PostgreSQL's user can go
    if file_system_of(parent) in MEMORY:
        raise CannotSoak(f"{parent} is in memory: a soak needs a disk")
    remove_orphans(parent)
    top = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    lock = Lock(top / OWNER)
    lock.take()
    shutil.copytree(paths.ROOT, top, ignore=NOT_COPIED, dirs_exist_ok=True, symlinks=True)
    top.chmod(0o755)
    (top / "var").mkdir()
    (top / "node_modules").symlink_to(paths.NODE_MODULES)
    link_venv(top / ".venv")
    if programs is not None:
        link_services(top, programs)
    return top, lock


def remove_orphans(parent: Path) -> None:
    """Twins whose soak was killed itself."""
    for top in parent.glob(f"{PREFIX}*"):
        if top.stat().st_uid == os.geteuid() and (top / OWNER).is_file() and holder_of(top / OWNER) is None:
            remove(top)


def services_of_this_checkout() -> Path | None:
    """Its unpacked programs; None where the machine has them installed."""
    if install.installed_on_machine() is not None:
        return None
    programs = folders.find().programs
    if not (programs.parent / "installed").is_file():
        raise CannotSoak("this checkout has no PostgreSQL and Redis of its own: there is nothing that may be killed")
    return programs


def link_venv(twin: Path) -> None:
    """Python looks for pyvenv.cfg beside the folder it was started from, so this one is a whole environment."""
    twin.mkdir()
    for name in ("bin", "lib"):
        (twin / name).symlink_to(paths.VENV / name)
    shutil.copy(paths.VENV / "pyvenv.cfg", twin)
    # Taken as it is: an installation through the links would change the environment that they lead to.
    stamps.mark_done(twin / "made-by", stamps.key_of([], sys.version, str(twin)))
    files = [paths.ROOT / name for name in (venv.RUNTIME, venv.RUNTIME, "agent/pyproject.toml")]
    stamps.mark_done(twin / f"installed-{venv.RUNTIME}", stamps.key_of(files))


def link_services(top: Path, programs: Path) -> None:
    folder = folders.find(top)
    folders.make(folder)
    folder.programs.symlink_to(programs)
    stamps.mark_done(folder.top / "installed", stamps.key_of([], install.VERSION, str(folder.programs)))


def remove(top: Path) -> None:
    """Everything of it, and what its agent kept in memory."""
    folder = folders.find(top)
    for place in (top, folder.top, *memory_of(top)):
        shutil.rmtree(place, ignore_errors=True)


def memory_of(top: Path) -> list[Path]:
    """Where the twin's agent may keep its open seconds."""
    name = "plimsoll-agent" + os.fspath(top / "var/agent").replace("/", "-")
    return [parent / name for parent in (Path("/run"), Path("/dev/shm"))]  # noqa: S108  the agent's own places
