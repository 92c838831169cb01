"""A steady load, so that there is something to measure: `load.py RATE FILE...`, 4 KiB to each so often a second."""

import mmap
import os
import sys
import time


def main() -> None:
    rate, paths = float(sys.argv[1]), sys.argv[2:]
    page = mmap.mmap(-1, 4096)  # aligned, as O_DIRECT wants it
    page.write(b"\x5a" * 4096)
    fds = [os.open(path, os.O_WRONLY | os.O_DIRECT) for path in paths]
    due, count = time.monotonic(), 0
    while True:
        for fd in fds:
            os.pwrite(fd, page, count % 2048 * 4096)
        count += 1
        due += 1 / rate
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
