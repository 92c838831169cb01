"""python -m tests.soak.load FILE: small writes and reads on a real disk, each of them durable or from the disk, until
SIGTERM."""

import os
import random
import signal
import sys
import time

SIZE = 64 << 20
BLOCK = 4096
LARGEST = 16  # blocks
PAUSE_S = 0.003
READ_EVERY = 3


def main(path: str) -> int:
    """Steady enough that no second is without I/Os, small enough to leave the machine its work."""
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    choose = random.Random(1)
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.posix_fallocate(fd, 0, SIZE)
    content = os.urandom(LARGEST * BLOCK)
    count = 0
    while not stopped:
        length = choose.randint(1, LARGEST) * BLOCK
        at = choose.randrange(SIZE // BLOCK - LARGEST) * BLOCK
        if count % READ_EVERY:
            os.pwrite(fd, content[:length], at)
            os.fdatasync(fd)
        else:
            os.posix_fadvise(fd, at, length, os.POSIX_FADV_DONTNEED)
            os.pread(fd, length, at)
        count += 1
        time.sleep(PAUSE_S)
    print(count, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
