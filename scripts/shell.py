"""Run one program of a set-up step, and keep what it said for when it fails."""

import pwd
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.problem import Problem

LAST_LINES = 15  # of a failed program's output: enough for its own error, short enough for a terminal


def run(
    command: Sequence[str | Path],
    *,
    what: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user: str | None = None,
    stdin: str | None = None,
) -> str:
    """The program's output (stdout and stderr together).

    Raises Problem with the end of its output where it fails or does not exist. `user` (root only) drops to that
    user and to their primary group.
    """
    drop = {} if user is None else as_user(user)
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            input=stdin or "",
            text=True,
            errors="replace",
            env=env,
            cwd=cwd,
            check=False,
            **drop,
        )
    except FileNotFoundError as error:
        raise Problem(f"{what}: {command[0]} is not installed") from error
    if done.returncode:
        tail = "\n".join("    " + line for line in done.stdout.strip().splitlines()[-LAST_LINES:])
        raise Problem(f"{what}: {Path(command[0]).name} ended with {done.returncode}\n{tail}")
    return done.stdout


def as_user(name: str) -> dict:
    """The arguments of subprocess that drop from root to a user."""
    entry = pwd.getpwnam(name)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
