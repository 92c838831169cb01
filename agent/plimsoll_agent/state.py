"""Where do things lie: the durable folder of the agent and its folder in memory.

The fine loop writes to memory only: were the judged disk to stall, a write to it would stall the loop as well, and
the very seconds that matter would go unseen.
"""

from __future__ import annotations

import fcntl
import os

from .kernel.files import read_bytes, read_text
from .settings import Settings

# Not $XDG_RUNTIME_DIR: it goes when its user logs out, and the agent stays.
MEMORY_FOLDERS = ("/run", "/dev/shm")  # noqa: S108 - checked for owner and mode below
# Notes of the two processes in the folder in memory; parked in the durable one while no agent runs.
SAMPLER, UPLINK = "sampler", "uplink"
TMPFS = ("tmpfs", "ramfs")


class StateError(RuntimeError):
    """A folder that cannot be used; the message says which and why."""


class State:
    """Paths of one agent. `run` is in memory where the machine has such a place, else inside the durable folder."""

    __slots__ = ("enrolled", "machine", "policy", "rejected", "run", "spool", "token", "top")

    def __init__(self, top: str, run: str) -> None:
        self.top = top
        self.run = run
        self.spool = top + "/spool"
        self.rejected = top + "/rejected"
        self.token = top + "/token"
        self.policy = top + "/policy"
        self.enrolled = top + "/enrolled"
        self.machine = top + "/machine"


def locate(settings: Settings) -> State:
    """The folders of this agent; the durable ones are made if need be, private to its user. Raises StateError."""
    top = os.path.abspath(settings.state_dir)
    _private(top)
    run = os.path.abspath(settings.run_dir) if settings.run_dir else _memory_folder(top, settings.proc)
    state = State(top, run)
    _private(state.spool)
    _private(state.rejected)
    return state


def open_state(settings: Settings) -> State:
    """The same for the agent's own processes: the folder in memory is there too, and is theirs. Raises StateError."""
    state = locate(settings)
    make_run(state)
    if read_text(state.run + "/owner") != _owner(state):
        # Memory may still hold the seconds of a state folder that was deleted meanwhile: they were another agent's.
        for name in os.listdir(state.run):
            os.unlink(f"{state.run}/{name}")
        make_run(state)
    return state


def make_run(state: State) -> None:
    """The folder in memory, marked as this agent's; also where somebody has cleaned it away under a running one."""
    _private(state.run)
    if not os.listdir(state.run):
        write_atomically(state.run + "/owner", _owner(state).encode() + b"\n")


def _owner(state: State) -> str:
    """A random word that both folders of one agent hold."""
    mine = read_text(state.top + "/owner")
    if mine is None:
        mine = os.urandom(8).hex()
        write_atomically(state.top + "/owner", mine.encode() + b"\n")
    return mine


def notes(state: State, name: str) -> dict[str, str]:
    """What a process of the agent has last written down under this name; while none runs, from where it was parked."""
    return pairs_from_bytes(read_bytes(f"{state.run}/{name}") or read_bytes(f"{state.top}/{name}"))


def park(state: State) -> None:
    """The agent has stopped: leave nothing in memory, unless seconds still wait there to be made into frames."""
    for name in (SAMPLER, UPLINK):
        if (text := read_bytes(f"{state.run}/{name}")) is not None:
            write_atomically(f"{state.top}/{name}", text)
            os.unlink(f"{state.run}/{name}")
    if os.listdir(state.run) == ["owner"]:
        os.unlink(state.run + "/owner")
        if os.access(os.path.dirname(state.run), os.W_OK):  # not where a service manager made it for us
            os.rmdir(state.run)


def write_atomically(path: str, data: bytes, *, durable: bool = False) -> None:
    """Replace `path` as a whole, mode 600: a reader sees the old or the new text, never half of one."""
    temporary = f"{path}.{os.getpid()}.new"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if durable:
            os.fsync(fd)
    except OSError:
        os.unlink(temporary)
        raise
    finally:
        os.close(fd)
    os.rename(temporary, path)


def pairs_to_bytes(pairs: dict[str, object]) -> bytes:
    """`name value` lines: what the light processes tell each other and the doctor."""
    return "".join(f"{name} {value}\n" for name, value in pairs.items()).encode()


def pairs_from_bytes(raw: bytes | None) -> dict[str, str]:
    """The reverse; nothing for a missing file."""
    pairs = {}
    for line in (raw or b"").decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(" ")
        pairs[name] = value
    return pairs


def lock(path: str) -> int | None:
    """Hold `path` for this process as long as it lives. None: another one holds it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def _private(path: str) -> None:
    try:
        os.makedirs(path, 0o700, exist_ok=True)
        found = os.lstat(path)
    except OSError as error:
        raise StateError(f"cannot make the folder {path}: {error.strerror}") from error
    if not os.path.isdir(path) or os.path.islink(path):
        raise StateError(f"{path} is not a folder")
    if found.st_uid != os.geteuid():
        raise StateError(f"{path} belongs to user {found.st_uid}, not to {os.geteuid()}")
    if not os.access(path, os.W_OK | os.X_OK):
        raise StateError(f"{path} cannot be written to")


def _memory_folder(top: str, proc: str) -> str:
    """One folder in memory for each state folder, so that two agents on one machine stay apart."""
    in_memory = set()
    for line in _mounts(proc):
        fields = line.split()
        if len(fields) > 2 and fields[2] in TMPFS:
            in_memory.add(fields[1])
    name = "plimsoll-agent" + top.replace("/", "-")
    for folder in MEMORY_FOLDERS:
        if folder in in_memory and os.access(folder, os.W_OK | os.X_OK):
            return f"{folder}/{name}"
    return top + "/run"


def _mounts(proc: str) -> list[str]:
    try:
        with open(proc + "/mounts", encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []
