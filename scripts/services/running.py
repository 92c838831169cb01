"""The private services run as long as somebody holds a lease on them, and not a second longer.

`make run`, `make test` and `make bench` may share them at the same time. A lease is a shared lock, so it ends with its
holder even by kill -9; the services' keepers look at it and stop by themselves.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from scripts import paths
from scripts.locks import Lock, holder_of, wait_until_free
from scripts.problem import Problem
from scripts.progress import step
from scripts.services import cluster
from scripts.services.folder import Folder
from scripts.services.install import Programs

NAMES = ("postgres", "redis")
UP_WITHIN_S = 60  # a crash recovery after a kill is a matter of seconds
DOWN_WITHIN_S = 15
LOG_LIMIT_BYTES = 10 * 2**20


def database_url(folder: Folder, name: str) -> str:
    """In libpq's own form, which Django's settings, psycopg and psql understand alike."""
    return f"postgres://{cluster.ROLE}@/{name}?host={quote(str(folder.sockets), safe='/')}"


def redis_url(folder: Folder, number: int = 0) -> str:
    return f"unix://{folder.sockets}/redis.sock?db={number}"


def keeper_lock(folder: Folder, name: str) -> Path:
    return folder.top / f"{name}.keeper"


def postgres_answers(folder: Folder, programs: Programs) -> bool:
    words = [
        str(programs.postgres / "pg_isready"),
        "-q",
        "-h",
        str(folder.sockets),
        "-U",
        cluster.ROLE,
        "-d",
        "postgres",
    ]
    return subprocess.run(words, check=False, cwd="/", env={**os.environ, "LC_ALL": "C.UTF-8"}).returncode == 0


def redis_answers(folder: Folder) -> bool:
    """False too while it still loads its data."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(folder.sockets / "redis.sock"))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def start_keeper(folder: Folder, name: str) -> None:
    log = paths.LOGS / f"{name}.log"
    if log.is_file() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    with log.open("ab") as output:
        subprocess.Popen(
            [sys.executable, "-m", "scripts.member", name],
            cwd=paths.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )


def is_kept(folder: Folder, name: str) -> bool:
    """Whether a keeper is at work; one that is about to stop is waited for (its pid file is gone by then)."""
    lock = keeper_lock(folder, name)
    if holder_of(lock) is not None and not (folder.top / f"{name}.pid").is_file():
        wait_until_free(lock, DOWN_WITHIN_S)
    return holder_of(lock) is not None


def start(folder: Folder, programs: Programs) -> Lock:
    """A lease on the running services; they are started where they are not running yet."""
    lease, starting = Lock(folder.leases), Lock(folder.top / "starting")
    lease.take(shared=True, wait=True)
    starting.take(wait=True)  # two starters at once: the second finds them running
    try:
        missing = [name for name in NAMES if not is_kept(folder, name)]
        if missing:
            with step("starting PostgreSQL and Redis"):
                cluster.init(folder, programs)
                if "postgres" in missing:
                    cluster.forget_dead_postmaster(folder)
                (folder.top / "Procfile").write_text(cluster.procfile(folder, programs))
                for name in missing:
                    start_keeper(folder, name)
                wait_until_up(folder, programs)
        else:
            wait_until_up(folder, programs)
    finally:
        starting.release()
    return lease


def revive_keepers(folder: Folder) -> None:
    """For one that holds a lease: start the keepers that were killed themselves."""
    starting = Lock(folder.top / "starting")
    if not starting.take():
        return
    try:
        for name in NAMES:
            if holder_of(keeper_lock(folder, name)) is None:
                start_keeper(folder, name)
    finally:
        starting.release()


def wait_until_up(folder: Folder, programs: Programs) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while not (redis_answers(folder) and postgres_answers(folder, programs)):
        if time.monotonic() > end:
            logs = ", ".join(str(paths.LOGS / f"{name}.log") for name in NAMES)
            raise Problem(f"PostgreSQL or Redis did not start within {UP_WITHIN_S} s: see {logs}")
        time.sleep(0.05)


def wait_until_down(folder: Folder) -> bool:
    """True once the services are gone; False at once where somebody else still uses them."""
    end = time.monotonic() + DOWN_WITHIN_S
    while holder_of(folder.leases) is None and time.monotonic() < end:
        if all(wait_until_free(keeper_lock(folder, name), 0.1) for name in NAMES):
            return True
    return False
