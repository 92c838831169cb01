"""Which user may run PostgreSQL, and what can that user reach?"""

import os
import pwd
import subprocess
from pathlib import Path

from scripts.problem import Problem
from scripts.shell import as_user


def service_user() -> str | None:
    """The user to drop to: PostgreSQL refuses root. None where we are an ordinary user already."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    raise Problem(
        "root may not run PostgreSQL, and there is neither a user postgres nor nobody: run make as an ordinary user"
    )


def own_name() -> str:
    """The name PostgreSQL will see at the other end of its socket."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise Problem(f"user id {os.geteuid()} has no name in /etc/passwd: PostgreSQL needs one") from error


def can_reach(user: str | None, folder: Path) -> bool:
    """Whether the user may enter the folder (each of its parents)."""
    if user is None:
        return os.access(folder, os.X_OK)
    tried = subprocess.run(["test", "-x", str(folder)], cwd="/", check=False, **as_user(user))
    return tried.returncode == 0
