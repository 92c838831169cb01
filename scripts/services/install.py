"""Where are PostgreSQL 17 with TimescaleDB and Redis? The machine's own packages, else a private folder."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from scripts import stamps
from scripts.progress import say, step
from scripts.services import archive, unpack
from scripts.services.folder import Folder

VERSION = "1"  # raise it when the way of installing changes: every checkout then installs afresh


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs are."""

    postgres: Path  # the folder of postgres, initdb, psql, …
    redis_server: Path


def installed_on_machine(usr: Path = Path("/usr")) -> Programs | None:
    """Debian 13 with the three packages: no download at all."""
    postgres, redis = usr / "lib/postgresql/17", usr / "bin/redis-server"
    needed = (
        postgres / "bin/postgres",
        postgres / "lib/timescaledb.so",
        usr / "share/postgresql/17/extension/timescaledb.control",
        redis,
    )
    return Programs(postgres / "bin", redis) if all(file.is_file() for file in needed) else None


def install(folder: Folder) -> Programs:
    """Free when done already."""
    own = installed_on_machine()
    if own is not None:
        return own
    root, stamp = folder.programs, folder.top / "installed"
    programs = Programs(unpack.postgres_programs(root), root / "usr/bin/redis-server")
    # The programs hold their own folder's path.
    key = stamps.key_of([], VERSION, str(root))
    if stamps.is_done(stamp, key):
        return programs
    with step("PostgreSQL 17, TimescaleDB and Redis: Debian's packages into a private folder"):
        if folder.why is not None:
            say(f"    {folder.why}: the folder is {folder.top}")
        machine, state = archive.this_machine(), folder.top / "apt"
        packages = archive.fetch(state, machine)
        shutil.rmtree(root, ignore_errors=True)
        unpack.unpack(packages, root)
        unpack.point_inside(root, machine)
        unpack.prove(root, machine)
        shutil.rmtree(state)
        if not Path("/usr/share/zoneinfo/Europe").is_dir():
            say("    this machine has no tzdata: only UTC will work")
        stamps.mark_done(stamp, key)
    return programs
