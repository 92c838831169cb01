"""The least that Python can do: read one disk's line at a cadence and take simple bounds. `bare_loop.py DEVICE MS`.

It asks for the agent's own turn (SCHED_RR): on a busy machine it would else skip the samples it is to be compared by.
"""

import os
import sys
import time


def main() -> None:
    device, period = sys.argv[1].encode(), int(sys.argv[2]) * 1_000_000
    if os.geteuid() == 0:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    fd = os.open("/proc/diskstats", os.O_RDONLY)
    needle = b" " + device + b" "
    before = None
    low = high = 0
    due = time.monotonic_ns()
    while True:
        text = os.pread(fd, 65536, 0)
        at = text.index(needle)
        values = [int(field) for field in text[at : text.index(b"\n", at)].split()[1:]]
        if before is not None:
            count = values[0] - before[0] + values[4] - before[4]
            ms = values[3] - before[3] + values[7] - before[7]
            high += min(count, -(-(ms + 1) // 15) - 1)
            if ms - 1 >= 15 * count > 0:
                low += 1
        before = values
        due += period
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)


if __name__ == "__main__":
    main()
