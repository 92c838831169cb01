"""`make clean`: remove what the set-up and the running have made, data included."""

import shutil

from scripts import paths
from scripts.locks import holder_of
from scripts.member import RUN_LOCK
from scripts.problem import Problem
from scripts.progress import say
from scripts.services import folder as folders
from scripts.services import running


def users_of_the_checkout() -> list[int]:
    folder = folders.find()
    locks = [RUN_LOCK, paths.VAR / "test.lock", paths.VAR / "setup.lock", folder.leases]
    locks += [running.keeper_lock(folder, name) for name in running.NAMES]
    return sorted({pid for pid in map(holder_of, locks) if pid is not None})


def clean() -> int:
    busy = users_of_the_checkout()
    if busy:
        raise Problem(f"this checkout is in use by process {', '.join(map(str, busy))}: `make stop` first")
    for folder in (paths.VAR, paths.VENV, paths.NODE_MODULES, folders.outside(paths.ROOT)):
        if folder.exists():
            say(f"Plimsoll: removing {folder}")
            shutil.rmtree(folder)
    return 0
