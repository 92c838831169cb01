"""All set-up steps, at the same time where they do not wait for each other, and free where they are done."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from scripts import node, paths, venv
from scripts.locks import Lock
from scripts.progress import say, side_by_side
from scripts.services import folder as folders
from scripts.services import install, running

DATABASE = "plimsoll"


@dataclass(frozen=True, slots=True)
class Ready:
    """Set up, with the services running as long as `lease` is held."""

    database_url: str
    redis_url: str
    folder: folders.Folder | None  # None: all servers are the caller's own
    lease: Lock | None

    def with_database(self, name: str) -> str:
        """The address of another database on the same server."""
        return urlsplit(self.database_url)._replace(path=f"/{name}").geturl()

    def with_redis(self, number: int) -> str:
        """Another number on the private Redis; the caller's own address where it is the caller's server."""
        if self.folder is None or os.environ.get("REDIS_URL"):
            return self.redis_url
        return running.redis_url(self.folder, number)


def start_services() -> Ready:
    """The private services, unless the environment names servers of its own for both."""
    database, redis = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if database and redis:
        return Ready(database, redis, None, None)
    folder = folders.find()
    folders.make(folder)
    lease = running.start(folder, install.install(folder))
    return Ready(database or running.database_url(folder, DATABASE), redis or running.redis_url(folder), folder, lease)


def set_up(requirements: str) -> Ready:
    """Virtual environment, packages, front-end libraries and services."""
    paths.make_var()
    lock = Lock(paths.VAR / "setup.lock")
    if not lock.take():
        say("  another make sets this checkout up at the moment: waiting for it")
        lock.take(wait=True)
    found: list[Ready] = []
    try:
        venv.ensure()
        side_by_side(
            lambda: (venv.install(requirements), node.install() if not node.system_node_is_new_enough() else None),
            lambda: node.install() if node.system_node_is_new_enough() else None,
            lambda: found.append(start_services()),
        )
    finally:
        lock.release()
    return found[0]
