"""The private services run as long as somebody uses them: shared, outliving each user but the last, losing nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from scripts.locks import holder_of
from scripts.services import folder as folders
from scripts.services import running
from tests.setup.conftest import is_alive, wait_for
from tests.soak import twin

USE = """
import sys
from scripts.setup import start_services
from scripts import paths
paths.make_var()
ready = start_services()
print(ready.with_database("postgres"), flush=True)
sys.stdin.read()
"""


class User:
    """A process that uses the services of a checkout until its stdin closes."""

    def __init__(self, checkout: Path) -> None:
        env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        self.process = subprocess.Popen(
            [sys.executable, "-c", USE],
            cwd=checkout,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )
        self.database_url = self.process.stdout.readline().strip()

    def leave(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0


@pytest.fixture
def checkout() -> Iterator[Path]:
    try:
        top, lock = twin.make()
    except twin.CannotSoak as why:
        pytest.skip(str(why))
    yield top
    folder = folders.find(top)
    assert running.wait_until_down(folder)
    lock.release()
    twin.remove(top)


@pytest.fixture
def use(checkout: Path) -> Iterator[Callable[[], User]]:
    users: list[User] = []

    def start() -> User:
        users.append(User(checkout))
        return users[-1]

    yield start
    for user in users:
        user.process.kill()
        user.process.wait()


def execute(url: str, statement: str) -> list[tuple]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def pid_of(folder: folders.Folder, name: str) -> int:
    return int((folder.top / f"{name}.pid").read_text())


@pytest.mark.long
def test_services_stay_for_the_second_user_end_with_the_last_one_and_keep_their_data(use, checkout):
    folder = folders.find(checkout)
    first, second = use(), use()
    assert first.database_url == second.database_url
    execute(first.database_url, "CREATE TABLE kept AS SELECT 42 AS answer")
    first.leave()
    assert execute(second.database_url, "SELECT answer FROM kept") == [(42,)]

    second.process.kill()  # the last one does not even say goodbye
    wait_for(lambda: all(holder_of(running.keeper_lock(folder, name)) is None for name in running.NAMES))
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(second.database_url)

    third = use()
    assert execute(third.database_url, "SELECT answer FROM kept") == [(42,)]
    third.leave()


def test_a_killed_database_comes_back_with_what_it_had_committed(use, checkout):
    folder = folders.find(checkout)
    user = use()
    execute(user.database_url, "CREATE TABLE kept AS SELECT 42 AS answer")
    before = pid_of(folder, "postgres")
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: not is_alive(before))

    def answer() -> list[tuple]:
        try:
            return execute(user.database_url, "SELECT answer FROM kept")
        except psycopg.OperationalError:
            return []

    assert wait_for(answer) == [(42,)]
    assert pid_of(folder, "postgres") != before
    user.leave()
