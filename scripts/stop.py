"""`make stop`: stop what `make run` of this checkout started, whether or not it is still there itself."""

import os
import signal

from scripts import paths
from scripts.locks import holder_of, wait_until_free
from scripts.member import RUN_LOCK
from scripts.problem import Problem
from scripts.progress import say
from scripts.services import folder as folders
from scripts.services import running

WITHIN_S = 30


def keeper_locks() -> list:
    return sorted(paths.PIDS.glob("*.keeper")) if paths.PIDS.is_dir() else []


def stop() -> int:
    holder = holder_of(RUN_LOCK)
    if holder is not None:
        say(f"Plimsoll: stopping process {holder} and all it started")
        os.kill(holder, signal.SIGTERM)
        if not wait_until_free(RUN_LOCK, WITHIN_S):
            raise Problem(f"process {holder} did not stop within {WITHIN_S} s")
    # Keepers see by themselves that the house is gone.
    if not all(wait_until_free(lock, WITHIN_S) for lock in keeper_locks()):
        raise Problem(f"something still runs: see {paths.PIDS}")
    folder = folders.find()
    if folder.top.is_dir() and not running.wait_until_down(folder):
        user = holder_of(folder.leases)
        say(f"Plimsoll: PostgreSQL and Redis run on, process {user} uses them (a test or a benchmark)")
    elif holder is None:
        say("Plimsoll: nothing of this checkout runs")
    return 0
