"""`make test`: the same set-up as `make run`, the tests against a database of their own."""

import subprocess
import sys

from scripts import chromium, environment, node, paths, test_programs, venv
from scripts.locks import Lock, holder_of
from scripts.problem import Problem
from scripts.progress import say, side_by_side
from scripts.run import prepare
from scripts.services import folder as folders
from scripts.services import running
from scripts.setup import Ready, set_up

REDIS_NUMBER = 1  # `make run` has 0
PYTEST_FOUND_NONE = 5
# A file's tests stay together; each worker has its own databases (tests/workers.py).
SIDE_BY_SIDE = ["-p", "tests.workers", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]


def environment_of(ready: Ready) -> dict[str, str]:
    """Nothing of a `make run` beside it: its own database, and the settings' own defaults."""
    env = environment.environment(ready.database_url, ready.with_redis(REDIS_NUMBER), port=8000)
    # Named by the checkout: on a server of the caller's own, two checkouts may test at the same time.
    env.setdefault("TEST_DATABASE_NAME", "test_" + folders.outside(paths.ROOT).name.replace("-", "_"))
    browser = chromium.find()
    if browser is not None:
        env.setdefault("CHROMIUM", browser)
    return env


def pytest(arguments: list[str], env: dict[str, str]) -> int:
    # -r: a line for what failed and for what was skipped
    command = [paths.in_venv("pytest"), "-rfEs", *(arguments or SIDE_BY_SIDE)]
    env = {**env, "PYTHONPATH": str(paths.ROOT)}
    code = subprocess.run(command, cwd=paths.ROOT, env=env, check=False).returncode
    if code == PYTEST_FOUND_NONE:
        say("Plimsoll: pytest found no test")
    return code


def node_test(env: dict[str, str]) -> int:
    """The front end's pure modules; 0 where they have no tests."""
    files = sorted(str(file.relative_to(paths.ROOT)) for file in (paths.ROOT / "static/js").rglob("*.test.*js"))
    if not files:
        return 0
    folder = node.bring_node()
    env = {**env, "PATH": f"{folder}:{env['PATH']}" if folder else env["PATH"]}
    return subprocess.run(["node", "--test", *files], cwd=paths.ROOT, env=env, check=False).returncode


def test(arguments: list[str]) -> int:
    paths.make_var()
    path = paths.VAR / "test.lock"
    lock = Lock(path)
    if not lock.take():
        raise Problem(f"tests already run in this checkout (process {holder_of(path)})")
    ready: list[Ready] = []
    side_by_side(lambda: ready.append(set_up(venv.DEVELOPMENT)), test_programs.ensure)
    env = environment_of(ready[0])
    prepare(env, "static", "languages")
    sys.stdout.flush()
    try:
        # The closing line of pytest comes last: it is what a CI reads.
        front_end = 0 if arguments else node_test(env)
        back_end = pytest(arguments, env)
    finally:
        release(ready[0])
    return back_end or front_end


def release(ready: Ready) -> None:
    """Let the services go, and wait until they have where nobody else uses them."""
    if ready.lease is not None and ready.folder is not None:
        ready.lease.release()
        running.wait_until_down(ready.folder)
