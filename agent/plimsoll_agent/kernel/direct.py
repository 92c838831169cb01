"""How is one block of a disk read so that the disk itself must answer: past the page cache, and never more than that.

Kernel: O_DIRECT asks for a buffer, a length and a position that are multiples of the logical block (open(2)); 4 KiB in
memory of its own is enough for every disk of sectors up to that size.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat

BLOCK = 4096
# The first constants of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
GAMMA, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = (1 << 64) - 1


def position(seed: int, size: int) -> int:
    """A block's place in bytes, spread evenly over `size` bytes: the same for the same seed. `size` holds a block."""
    mixed = (seed * GAMMA) & WORD
    mixed = ((mixed ^ mixed >> 30) * FIRST) & WORD
    mixed = ((mixed ^ mixed >> 27) * SECOND) & WORD
    return ((mixed ^ mixed >> 31) % (size // BLOCK)) * BLOCK


def open_disk(path: str, number: str | None) -> int:
    """A descriptor for direct reading. `number`: its "major:minor", so that another device under that name is not read.

    Raises OSError: also ENOTBLK for what is no block device, and ENXIO for another one.
    """
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    found = os.fstat(fd)
    reason = 0
    if not stat.S_ISBLK(found.st_mode):
        reason = errno.ENOTBLK
    elif f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" != number:
        reason = errno.ENXIO
    if reason:
        os.close(fd)
        raise OSError(reason, os.strerror(reason), path)
    return fd


def read_block(fd: int, seed: int) -> int:
    """Read the block at the seed's position, and answer where. Raises OSError: EINVAL where there is no block."""
    size = os.lseek(fd, 0, os.SEEK_END)
    if size < BLOCK:
        raise OSError(errno.EINVAL, f"{size} bytes are less than a block of {BLOCK}")
    at = position(seed, size)
    with mmap.mmap(-1, BLOCK) as block:  # a page: aligned as no bytes object is
        os.preadv(fd, [block], at)
    return at
