"""`make run`: set up, then become the house."""

import json
import os
import subprocess
import sys
import time
from typing import NoReturn

from scripts import environment, paths, ports, venv
from scripts.locks import Lock, holder_of
from scripts.member import RUN_LOCK
from scripts.problem import Problem
from scripts.procfile import DEMO
from scripts.progress import say
from scripts.setup import Ready, set_up

LEASE_FD = "HOUSE_LEASE_FD"  # the services' lease, for the program that this one becomes
NEW_HERE = "HOUSE_SHOWS_PASSWORD"  # set where the password has not been shown yet


def already_running() -> Problem:
    where = ""
    if paths.FIRST_RUN.is_file():
        where = f" at {json.loads(paths.FIRST_RUN.read_text())['url']}"
    return Problem(
        f"Plimsoll already runs in this checkout{where} (process {holder_of(RUN_LOCK)}): `make stop` stops it"
    )


def prepare(env: dict[str, str], *steps: str) -> None:
    done = subprocess.run(
        [paths.in_venv("python"), "-m", "scripts.prepare", *steps], cwd=paths.ROOT, env=env, check=False
    )
    if done.returncode:
        raise Problem(f"preparing the database failed ({', '.join(steps)}): see above")


def set_up_to_run(port: int, *more: str) -> tuple[Ready, dict[str, str]]:
    is_new = not paths.FIRST_RUN.is_file()
    ready = set_up(venv.RUNTIME)
    env = environment.environment(ready.database_url, ready.redis_url, port=port)
    environment.write_env(env)
    prepare(env, "database", "migrate", "static", "languages", "first_run", "agent_key", *more)
    if is_new:
        env[NEW_HERE] = "1"
    return ready, env


def run(port: int, *, demo: bool = False) -> NoReturn:
    begin = time.monotonic()
    paths.make_var()
    lock = Lock(RUN_LOCK)
    if not lock.take():
        raise already_running()
    ports.refuse_taken(port)
    say(f"Plimsoll: setting up {paths.ROOT}")
    ready, env = set_up_to_run(port, *(["demo"] if demo else []))
    if demo:
        env[DEMO] = "1"
    say(f"Plimsoll: set up in {time.monotonic() - begin:.1f} s, starting")
    lock.keep_over_exec()
    if ready.lease is not None:
        env[LEASE_FD] = str(ready.lease.keep_over_exec())
    python = paths.in_venv("python")
    os.chdir(paths.ROOT)
    sys.stdout.flush()
    os.execve(python, [python, "-m", "scripts.house"], env)  # noqa: S606
