"""A PostgreSQL cluster and a Redis data folder of this checkout's own, reachable through Unix sockets only."""

import os
import pwd
from pathlib import Path

from scripts import users
from scripts.services.folder import Folder
from scripts.services.install import Programs
from scripts.shell import run

ROLE = "plimsoll"
# Who may be that role: whoever runs make, and (under root) the user that runs PostgreSQL.
HBA = "local all all peer map=plimsoll\n"
POSTGRES_SETTINGS = {
    "listen_addresses": "",  # no TCP at all
    "shared_preload_libraries": "timescaledb",
    "max_connections": "100",  # web threads, worker, beat, tests and a bench side by side
    "max_worker_processes": "16",  # TimescaleDB takes one per database
    "jit": "off",  # left out of the folder, and slower for our short queries
    # As for disks without heads, and for what mostly stays in memory: fifty rows are fetched one by one, not by a scan.
    "random_page_cost": "1.1",
    "max_wal_size": "1GB",
    "log_checkpoints": "off",  # each few minutes, and of no use on one machine
    "log_timezone": "UTC",
    "timezone": "UTC",
}
REDIS_SETTINGS = {
    "port": "0",  # no TCP at all
    "appendonly": "yes",  # a task that was queued outlives a kill
    "appendfsync": "everysec",
    "save": "''",  # the append-only file is enough
    "daemonize": "no",
    "loglevel": "warning",  # its lines stand among those of the house
}


def own_folder(folder: Path, user: str | None) -> None:
    folder.mkdir(exist_ok=True)
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    folder.chmod(0o700)


def allowed_names(user: str | None) -> list[str]:
    return sorted({users.own_name(), user or users.own_name()})


def init(folder: Folder, programs: Programs) -> None:
    """Make what is missing; what is there stays as it is."""
    user = users.service_user()
    for place in (folder.sockets, folder.redis):
        own_folder(place, user)
    if (folder.cluster / "PG_VERSION").is_file():
        return
    own_folder(folder.cluster, user)
    words = [
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C.UTF-8",
        "--no-sync",
    ]
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    command = [programs.postgres / "initdb", "-D", folder.cluster, "-U", ROLE, "--auth=peer", *words]
    run(command, what="making the database cluster", user=user, env=env, cwd=Path("/"))
    ident = "".join(f"plimsoll {name} {ROLE}\n" for name in allowed_names(user))
    for name, text in (("pg_hba.conf", HBA), ("pg_ident.conf", ident)):
        (folder.cluster / name).write_text(text)


def forget_dead_postmaster(folder: Folder, proc: Path = Path("/proc")) -> None:
    """Remove a postmaster.pid whose process is no PostgreSQL any more.

    PostgreSQL does so itself, unless the number was given to another process of the same user meanwhile, as after a
    reboot: then it would refuse to start.
    """
    pid_file = folder.cluster / "postmaster.pid"
    try:
        pid = pid_file.read_text().split()[0]
        name = (proc / pid / "comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return
    if name != "postgres":
        pid_file.unlink()


def procfile(folder: Folder, programs: Programs) -> str:
    """The two lines that run the services; every setting stands in them, none in a file that could be stale."""
    postgres = [str(programs.postgres / "postgres"), "-D", str(folder.cluster)]
    for name, value in {**POSTGRES_SETTINGS, "unix_socket_directories": str(folder.sockets)}.items():
        postgres += ["-c", f"'{name}={value}'"]
    redis = [str(programs.redis_server), "--dir", str(folder.redis)]
    redis += ["--unixsocket", str(folder.sockets / "redis.sock"), "--unixsocketperm", "700"]
    for name, value in REDIS_SETTINGS.items():
        redis += [f"--{name}", value]
    return f"postgres: {' '.join(postgres)}\nredis: {' '.join(redis)}\n"
