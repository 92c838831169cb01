"""`make bench-ebpf`: are the latencies that the kernel counts for us those that fio writes down, and what does it cost?

fio reads and writes a loop device in a mixture of calm I/Os and bursts that queue, and logs each one. What fio sees
includes the way into the kernel and back, some µs to some 100 µs on a busy machine; so the two are compared by how far
their percentiles lie apart in R40 buckets (6 % each), and by the I/Os over a threshold.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plimsoll_agent.core.r40 import EDGES_US, merge, slow_between
from plimsoll_agent.ebpf import load
from plimsoll_agent.ebpf.table import Eye, Table
from scripts import ebpf
from scripts.problem import Problem

SECONDS, SIZE_MIB, THRESHOLD_US = 12, 256, 5000
PERCENTILES = (50, 75, 90, 95, 99, 99.5)
# A fio that waits for its turn logs its own waiting.
PROMPT = ("chrt", "--rr", "1")
STATS = Path("/proc/sys/kernel/bpf_stats_enabled")
JOB = """[global]
filename={device}
direct=1
ioengine=libaio
time_based=1
runtime={seconds}
write_lat_log={folder}/log
log_avg_msec=0
[calm]
rw=randrw
bs=4k
iodepth=4
rate_iops=600
[bursts]
rw=randread
bs=512k
iodepth=64
iodepth_batch_submit=64
thinktime=400ms
thinktime_blocks=64
"""


class Refused(Exception):
    """Why this cannot be measured here."""


@contextmanager
def loop_device(folder: Path) -> Iterator[Path]:
    """A loop device over a whole file."""
    image = folder / "image"
    with image.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, SIZE_MIB << 20)
    made = subprocess.run(
        ["losetup", "--direct-io=on", "--find", "--show", image], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise Refused(f"no loop device: {made.stderr.strip()}")
    device = Path(made.stdout.strip())
    try:
        # Blocks of the file that were never written would be answered without any I/O.
        subprocess.run(
            ["dd", "if=/dev/urandom", f"of={device}", "bs=1M", f"count={SIZE_MIB}", "oflag=direct", "status=none"],
            check=False,
        )
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=False)


@contextmanager
def timing_programs() -> Iterator[None]:
    """The kernel keeps the time its programs take only on request."""
    before = STATS.read_text()
    STATS.write_text("1")
    try:
        yield
    finally:
        STATS.write_text(before)


def number_of(device: Path) -> str:
    return (Path("/sys/class/block") / device.name / "dev").read_text().strip()


def counters_of(device: Path) -> list[int]:
    return [int(text) for text in (Path("/sys/class/block") / device.name / "stat").read_text().split()]


def program_stats(fd: int) -> dict[str, int]:
    """run_time_ns, run_cnt, recursion_misses of a program, from its fdinfo."""
    pairs = (line.split(":\t") for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines())
    return {name: int(value) for name, value in pairs if name in {"run_time_ns", "run_cnt", "recursion_misses"}}


def fio(device: Path, folder: Path) -> list[int]:
    """All latencies that fio wrote down, in ns."""
    job = folder / "job"
    job.write_text(JOB.format(device=device, seconds=SECONDS, folder=folder))
    done = subprocess.run([*PROMPT, "fio", job], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise Refused(f"fio: {done.stderr.strip()[-200:]}")
    logs = folder.glob("log_lat.*.log")
    return [int(line.split(",")[1]) for log in logs for line in log.read_text().splitlines()]


def apart(one: dict[int, int], other: dict[int, int]) -> int:
    """How many buckets do the percentiles of two histograms lie apart, at most?"""

    def bucket(histogram: dict[int, int], percent: float) -> int:
        left = sum(histogram.values()) * percent / 100
        for at in sorted(histogram):
            left -= histogram[at]
            if left <= 0:
                return at
        return max(histogram)

    return max(abs(bucket(one, percent) - bucket(other, percent)) for percent in PERCENTILES)


def measure(folder: Path) -> dict[str, object]:
    """One run. Raises Refused."""
    if shutil.which("fio") is None:
        raise Refused("fio is not installed")
    if os.geteuid():
        raise Refused("a loop device needs root")
    try:
        ebpf.build()
        fds = load.begin()
    except (Problem, load.Missing) as error:
        raise Refused(str(error)) from error
    table = Table(fds)
    with loop_device(folder) as device, timing_programs():
        eye: Eye = table.follow([number_of(device)])[number_of(device)]
        table.mark()
        before, cost_before = counters_of(device), program_stats(fds[2])
        seen = fio(device, folder)
        after, cost = counters_of(device), program_stats(fds[2])
        table.mark()
    reads, writes = after[0] - before[0], after[4] - before[4]
    exact = eye.second(reads, writes)
    if exact is None:
        raise Refused("the counts disagree with /proc/diskstats")
    timed = merge([exact.read_hist, exact.write_hist])
    logged = dict(Counter(bisect_right(EDGES_US, ns // 1000) - 1 for ns in seen))
    runs = cost["run_cnt"] - cost_before["run_cnt"]
    return {
        "ios": len(seen),
        "ebpf_ios": sum(timed.values()),
        "diskstats_ios": reads + writes,
        "missed": exact.read_missing + exact.write_missing,
        "recursion_misses": cost.get("recursion_misses", 0) - cost_before.get("recursion_misses", 0),
        "threshold_ms": THRESHOLD_US / 1000,
        "fio_slow": sum(ns >= THRESHOLD_US * 1000 for ns in seen),
        "ebpf_slow": slow_between(timed, THRESHOLD_US)[0],
        "max_bucket_error": apart(timed, logged),
        "cpu_us_per_io": round((cost["run_time_ns"] - cost_before["run_time_ns"]) / max(1, runs) / 1000, 3),
    }


def main() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        try:
            print(json.dumps(measure(Path(name))))
        except Refused as error:
            print(f"bench-ebpf is skipped: {error}", file=sys.stderr)
            print(json.dumps({"skipped": str(error)}))


if __name__ == "__main__":
    main()
