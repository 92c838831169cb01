"""Who holds what? Record locks of the kernel: they end with the process that holds them, however it ends.

Unlike a pid file such a lock cannot be stale, the kernel names its holder, and a child does not inherit it.
"""

import fcntl
import os
import struct
import time
from pathlib import Path

FLOCK = "hhqqi"  # struct flock of 64-bit Linux: l_type, l_whence, l_start, l_len, l_pid


class Lock:
    """A lock on a file, held by this process from take() to release() or to its end.

    Never open the file a second time in the holding process: the kernel drops the lock at the first close.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def take(self, *, shared: bool = False, wait: bool = False) -> bool:
        """True once the lock is ours; False where somebody else holds it and we are not to wait."""
        if self._fd is None:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.lockf(self._fd, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            return False
        return True

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def keep_over_exec(self) -> int:
        """The program that this process becomes holds the lock, until it ends or closes the descriptor given back."""
        if self._fd is None:
            raise ValueError(f"{self.path} is not locked by this process")
        os.set_inheritable(self._fd, True)
        return self._fd


def holder_of(path: Path) -> int | None:
    """The process id of one that holds a lock on the file, shared or not; None where nobody (else) does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = struct.unpack(FLOCK, fcntl.fcntl(fd, fcntl.F_GETLK, asked))
    finally:
        os.close(fd)
    return None if kind == fcntl.F_UNLCK else pid


def wait_until_free(path: Path, seconds: float) -> bool:
    """True as soon as nobody holds the file's lock; False after so many seconds."""
    end = time.monotonic() + seconds
    while holder_of(path) is not None:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
