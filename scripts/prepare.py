"""python -m scripts.prepare STEP …: make the database and the static files ready; runs inside the virtual environment.

One process for all of it, because starting Django costs more than most of the steps.
"""

import json
import os
import sys
from collections.abc import Callable

import django
import psycopg
from django.core.management import call_command

from scripts import paths
from scripts.environment import write_secret
from scripts.messages import catalogue
from scripts.problem import Problem
from scripts.progress import say, step


def create_database() -> None:
    """Make the database that DATABASE_URL names, where its server has none of that name."""
    url = os.environ["DATABASE_URL"]
    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.OperationalError as error:
        name = psycopg.conninfo.conninfo_to_dict(url).get("dbname", "")
        if "does not exist" not in str(error):
            raise Problem(f"no connection to DATABASE_URL: {error}") from error
        with step(f"database {name}"):
            on_the_server("CREATE DATABASE {}", name)


def empty_database() -> None:
    """Make it anew, with nothing of an earlier benchmark in it."""
    name = psycopg.conninfo.conninfo_to_dict(os.environ["DATABASE_URL"])["dbname"]
    with step(f"empty database {name}"):
        on_the_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
        on_the_server("CREATE DATABASE {}", name)


def on_the_server(statement: str, name: str) -> None:
    """Run a statement about the database of that name from beside it."""
    maintenance = psycopg.conninfo.make_conninfo(os.environ["DATABASE_URL"], dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL(statement).format(psycopg.sql.Identifier(name)))


def migrate() -> None:
    with step("database schema"):
        call_command("migrate", interactive=False, verbosity=0)


def collect_static() -> None:
    with step("static files"):
        call_command("collectstatic", interactive=False, verbosity=0)


def compile_messages() -> None:
    """The catalogues of all languages in the form that Django reads; free where none has changed."""
    with step("languages"):
        catalogue.compile_stale()


def first_run() -> None:
    with step("first user, customer and keys"):
        call_command("first_run", file=paths.FIRST_RUN)


def agent_key() -> None:
    """The enrolment key alone, for the agent that runs beside the server."""
    write_secret(paths.AGENT_KEY, json.loads(paths.FIRST_RUN.read_text())["enrolment_key"] + "\n")


def demo() -> None:
    """The simulated fleet and its month; it says itself how far it is."""
    call_command("demo_prepare", file=paths.FIRST_RUN)


BEFORE_DJANGO: dict[str, Callable[[], None]] = {"database": create_database, "empty_database": empty_database}
STEPS: dict[str, Callable[[], None]] = {
    "migrate": migrate,
    "static": collect_static,
    "languages": compile_messages,
    "first_run": first_run,
    "agent_key": agent_key,
    "demo": demo,
}


def main(names: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
    try:
        for name in names:
            if name in BEFORE_DJANGO:
                BEFORE_DJANGO[name]()
            else:
                django.setup()  # does next to nothing the second time
                STEPS[name]()
    except Problem as problem:
        say(f"  ✗ {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
