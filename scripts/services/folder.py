"""Where does the private folder of a checkout lie?"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from scripts import paths, users
from scripts.problem import Problem

SOCKET = ".s.PGSQL.5432"
LONGEST_SOCKET = 107  # bytes of sun_path without its closing zero


@dataclass(frozen=True, slots=True)
class Folder:
    """The private folder; `why` says why it is not inside the checkout, None where it is."""

    top: Path
    why: str | None

    @property
    def programs(self) -> Path:
        return self.top / "root"

    @property
    def cluster(self) -> Path:
        return self.top / "postgres"

    @property
    def redis(self) -> Path:
        return self.top / "redis"

    @property
    def sockets(self) -> Path:
        return self.top / "run"

    @property
    def leases(self) -> Path:
        """The services run as long as some process holds this file's lock."""
        return self.top / "leases"


def outside(checkout: Path) -> Path:
    """The folder's place under /var/tmp, named by the checkout's path."""
    return Path("/var/tmp") / f"plimsoll-{hashlib.sha256(os.fsencode(checkout)).hexdigest()[:12]}"  # noqa: S108


def why_not_inside(checkout: Path, user: str | None) -> str | None:
    """What speaks against a folder inside the checkout; None where nothing does."""
    inside = checkout / "var" / "services"
    if any(letter.isspace() or letter in "'\"\\$%`:;" for letter in str(inside)):
        return "the checkout's path has blanks or quotes"
    if len(os.fsencode(inside / "run" / SOCKET)) > LONGEST_SOCKET:
        return "the checkout's path is too long for a Unix socket"
    if not users.can_reach(user, checkout):
        return f"the user {user} cannot reach the checkout"
    return None


def find(checkout: Path = paths.ROOT) -> Folder:
    """The folder, without making it."""
    why = why_not_inside(checkout, users.service_user())
    return Folder(checkout / "var" / "services" if why is None else outside(checkout), why)


def make(folder: Folder) -> None:
    """Raises Problem where the place is somebody else's (anybody may write to /var/tmp)."""
    folder.top.mkdir(mode=0o755, parents=True, exist_ok=True)
    state = folder.top.lstat()
    if state.st_uid != os.geteuid() or folder.top.is_symlink() or state.st_mode & 0o022:
        raise Problem(f"{folder.top} is not a folder of this user alone: remove it, or ask its owner to")
