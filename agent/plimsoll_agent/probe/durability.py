"""Does this disk lie: is every block that it acknowledged there after a power cut or a reset?

Numbered blocks are written and fsynced one by one, and each acknowledgement is told to a place off the machine: to the
server (witness.py), to standard output (`ssh vm plimsoll-agent probe --durability FILE > acks`) or to a file of another
machine. After the cut, `--verify` reads what is there and names every acknowledged block that is not.
"""

from __future__ import annotations

import hashlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Callable, Iterable, List, Tuple

    from .witness import Witness

BLOCK = 4096
MAGIC = b"plimsoll durable 1\n"
HEADER = "plimsoll-acks 1"


class AcksError(ValueError):
    """A record of acknowledgements that is none; the message names the line."""


def block(run: str, number: int) -> bytes:
    """The block of this run and number: nothing else has these bytes."""
    head = MAGIC + f"{run} {number}\n".encode()
    body = hashlib.sha512(head).digest()
    return (head + body * (BLOCK // len(body) + 1))[:BLOCK]


class Lines:
    """Acknowledgements as lines of a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def begin(self, run: str) -> None:
        """The head: whose blocks they are."""
        self._stream.write(f"{HEADER} {run}\n".encode())
        self._stream.flush()

    def tell(self, number: int) -> None:
        """This block has been fsynced."""
        self._stream.write(b"%d\n" % number)
        self._stream.flush()


def write(path: str, acks: Lines | Witness, over: Callable[[int], bool]) -> int:
    """Write until `over(number)`; answers how many were acknowledged. The file must be new.

    Raises OSError, and what `acks.begin` raises: then the file is gone again.
    """
    run = os.urandom(8).hex()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fsync(fd)
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)  # or the file itself may be gone, and rightly so
        finally:
            os.close(folder)
        try:
            acks.begin(run)
        except BaseException:
            os.unlink(path)
            raise
        number = 0
        while not over(number):
            os.pwrite(fd, block(run, number), number * BLOCK)
            os.fsync(fd)
            acks.tell(number)
            number += 1
        return number
    finally:
        os.close(fd)


def acknowledged(lines: Iterable[str]) -> tuple[str, List[int]]:
    """The run and the numbers of its acknowledged blocks. A last line that the cut has torn does not count."""
    run, numbers = "", []
    for line in lines:
        words = line.rstrip("\n").split()
        if not run:
            if len(words) != 3 or " ".join(words[:2]) != HEADER:
                raise AcksError(f"this does not begin as a record of acknowledgements: {line[:60]!r}")
            run = words[2]
        elif not line.endswith("\n"):
            break
        elif len(words) == 1 and words[0].isdigit():
            numbers.append(int(words[0]))
        else:
            raise AcksError(f"not a block number: {line[:60]!r}")
    if not run:
        raise AcksError("the record of acknowledgements is empty")
    return run, numbers


def missing(path: str, run: str, numbers: Iterable[int]) -> List[int]:
    """The acknowledged blocks that are not there, or are not what was written."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return list(numbers)
    try:
        return [number for number in numbers if os.pread(fd, BLOCK, number * BLOCK) != block(run, number)]
    finally:
        os.close(fd)


def runs_of(numbers: Iterable[int]) -> List[Tuple[int, int]]:
    """(1, 3), (7, 7) of 1, 2, 3, 7."""
    runs: List[Tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
