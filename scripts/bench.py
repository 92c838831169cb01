"""`make bench`, `make bench-NAME`: run bench/NAME.py or bench/NAME/ with the services up; stdout is its own."""

import subprocess

from scripts import environment, paths, venv
from scripts.problem import Problem
from scripts.progress import say
from scripts.run import prepare
from scripts.setup import set_up
from scripts.test import release

FOLDER = paths.ROOT / "bench"
DATABASE, REDIS_NUMBER = "plimsoll_bench", 2  # never those of `make run`


def is_benchmark(name: str) -> bool:
    """A benchmark is a package or a module that can be run; what others import is none."""
    module = FOLDER / f"{name}.py"
    return (FOLDER / name / "__main__.py").is_file() or (module.is_file() and "__main__" in module.read_text())


def all_names() -> list[str]:
    return sorted({path.stem for path in FOLDER.iterdir() if is_benchmark(path.stem)})


def bench(names: list[str]) -> int:
    """One after the other: they share the machine's cores; all of them even after one has failed."""
    wanted = [name.replace("-", "_") for name in names] or all_names()
    for name in wanted:
        if not is_benchmark(name):
            raise Problem(f"there is no benchmark {name!r}: there is {', '.join(all_names()) or 'none yet'}")
    ready = set_up(venv.DEVELOPMENT)
    env = environment.environment(ready.with_database(DATABASE), ready.with_redis(REDIS_NUMBER), port=8000)
    codes = []
    try:
        prepare(env, "empty_database")
        for name in wanted:
            say(f"Plimsoll: bench-{name.replace('_', '-')}")
            command = [paths.in_venv("python"), "-m", f"bench.{name}"]
            codes.append(subprocess.run(command, cwd=paths.ROOT, env=env, check=False).returncode)
    finally:
        release(ready)
    return 1 if any(codes) else 0
