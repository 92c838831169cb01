"""Which command was asked for, and what became of it? One sentence for a problem, never a traceback."""

import argparse
import os

from scripts import agent_dist, bench, clean, ebpf, lint, messages, pictures, run, soak, stop, test
from scripts.problem import Problem
from scripts.progress import say


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python3 -m scripts")
    commands = top.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="everything on this machine, until Ctrl-C")
    running.add_argument("--port", type=int, default=8000)
    running.set_defaults(go=lambda given: run.run(given.port))
    showing = commands.add_parser("demo", help="the same with a simulated fleet and its month of history")
    showing.add_argument("--port", type=int, default=8000)
    showing.set_defaults(go=lambda given: run.run(given.port, demo=True))
    testing = commands.add_parser("test", help="all tests, or those that the arguments name")
    testing.add_argument("arguments", nargs="*")
    testing.set_defaults(go=lambda given: test.test(given.arguments))
    commands.add_parser("lint", help="ruff and mypy").set_defaults(go=lambda given: lint.lint())
    translating = commands.add_parser("messages", help="bring the catalogues of all languages up to date")
    translating.set_defaults(go=lambda given: messages.messages())
    measuring = commands.add_parser("bench", help="all benchmarks, or those that the arguments name")
    measuring.add_argument("names", nargs="*")
    measuring.set_defaults(go=lambda given: bench.bench(given.names))
    soaking = commands.add_parser("soak", help="kill one process after another under load, and check the books")
    soaking.add_argument("--minutes", type=float, default=10)
    soaking.add_argument("arguments", nargs="*")
    soaking.set_defaults(go=lambda given: soak.soak(given.minutes, given.arguments))
    picturing = commands.add_parser("screenshots", help="pictures of the pages of what runs here")
    picturing.add_argument("arguments", nargs="*")
    picturing.set_defaults(go=lambda given: pictures.pictures(given.arguments))
    commands.add_parser("ebpf", help="the agent's program for the kernel").set_defaults(go=lambda given: ebpf.ebpf())
    dist = commands.add_parser("agent-dist", help="the agent's wheel and its single file, in var/dist")
    dist.set_defaults(go=lambda given: agent_dist.agent_dist())
    commands.add_parser("stop", help="stop what runs").set_defaults(go=lambda given: stop.stop())
    commands.add_parser("clean", help="remove what was set up").set_defaults(go=lambda given: clean.clean())
    return top


def main(arguments: list[str]) -> int:
    given = parser().parse_args(arguments)
    try:
        return int(given.go(given))
    except Problem as problem:
        say(f"Plimsoll: {problem}")
        return 1
    except KeyboardInterrupt:
        say("Plimsoll: stopped before it was done; the next make goes on from here")
        # Without waiting for the threads: the terminal has told their programs too, and a half-done step has no stamp.
        os._exit(130)
