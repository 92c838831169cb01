"""python -m scripts.member NAME: be the keeper of one member of the house.

The command line holds the name and nothing else, so that whoever looks for (or kills) a program by its command does not
find its keeper.
"""

import os
import signal
import sys

from scripts import paths, users
from scripts.keep import Job, run
from scripts.procfile import read_house, read_procfile
from scripts.services import folder as folders
from scripts.services import running

RUN_LOCK = paths.VAR / "run.lock"
# Who goes before whom: the agent hands in its last frames while the web still takes them.
AFTER = {"agent": (), "demo": (), "beat": ("agent", "demo"), "worker": ("beat",), "web": ("worker",)}
STOP_WAIT_S = {"agent": 4.0, "demo": 2.0, "beat": 3.0, "worker": 6.0, "web": 4.0}  # 17 s at worst, 2 s as a rule


def service(name: str) -> Job:
    folder = folders.find()
    return Job(
        name=name,
        command=read_procfile(folder.top / "Procfile")[name],
        user=users.service_user(),
        # PostgreSQL: the fast shutdown, which does not wait for its clients.
        stop_signal=signal.SIGINT if name == "postgres" else signal.SIGTERM,
        while_held=folder.leases,
        pids=folder.top,
    )


def of_the_house(name: str) -> Job:
    commands = read_house(paths.ROOT)
    if name not in commands:
        sys.exit(f"the Procfile has no line {name}: it has {', '.join(commands)}")
    return Job(
        name=name,
        command=commands[name],
        after=AFTER.get(name, ()),
        stop_wait_s=STOP_WAIT_S.get(name, 4.0),
        while_held=RUN_LOCK,
        when_listening=int(os.environ["PORT"]) if name in ("agent", "demo") else None,
    )


if __name__ == "__main__":
    sys.exit(run(service(sys.argv[1]) if sys.argv[1] in running.NAMES else of_the_house(sys.argv[1])))
