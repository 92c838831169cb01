"""How much freed memory do the web server and the workers keep for what they do next?

An upload, or a batch of minutes to score, is worked on in a few arrays of half a megabyte. glibc gives such blocks back
to the kernel as soon as they are free, and every page of the next ones faults anew: a third of the CPU of a packed
upload, a sixth of a worker's. Kept, they cost nothing.
"""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # mallopt(3)
# Well above what one upload needs (4 MiB of body, its arrays some times that) or a batch of 500 minutes, per thread and
# small beside a worker.
KEPT_BYTES = 32 * 2**20
LARGEST_KEPT_BYTES = 16 * 2**20


def keep_freed_memory() -> bool:
    """False where the C library has no such setting (musl): then nothing changes."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(M_TRIM_THRESHOLD, KEPT_BYTES) and mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT_BYTES))
