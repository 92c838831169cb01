"""Is a real neighbour on this machine named? `make bench-neighbours-live`; the last line on stdout is JSON.

Two loop devices over one backing file that a control group throttles to a few hundred I/Os a second: both are
read one request at a time, then the neighbour floods the backing, twice (fio's schedule is the truth); in between the
throttle itself is tightened, which is nobody's doing. Needs root, loop devices, fio and the block I/O controller; says
so and ends where one is missing.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sla.domain.neighbours.detect import detect
from sla.domain.neighbours.model import learn
from sla.domain.neighbours.slots import PoolSlots

STEP_S = 2
LIMIT, TIGHT = 400, 60
CALM_S, EVENT_S = 80, 20
HALF = 64 * 2**20
# (kind, seconds after the calm hour's stand-in, culprit by place)
SCHEDULE = (("flood", 0, 1), ("tight", 60, None), ("flood", 120, 1))
CGROUPS = Path("/sys/fs/cgroup")
SECTOR = 512


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


class CannotError(Exception):
    """This machine does not allow it; the message says what is missing."""


@dataclass(frozen=True)
class Bed:
    """The shared backing's device, the two disks on it, and the group whose I/O it throttles."""

    backing: str
    disks: tuple[str, str]
    group: Path

    def limit(self, iops: int) -> None:
        number = Path(f"/sys/block/{Path(self.backing).name}/dev").read_text().strip()
        old = self.group / "blkio.throttle.read_iops_device"
        if old.exists():
            old.write_text(f"{number} {iops}")
        else:
            (self.group / "io.max").write_text(f"{number} riops={iops}")


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotError(f"{command[0]}: {done.stderr.strip()[:200]}")
    return done.stdout.strip()


@contextlib.contextmanager
def bed() -> Iterator[Bed]:
    """Made, and taken away again whatever happens."""
    if os.geteuid() != 0:
        raise CannotError("loop devices and control groups need root")
    for program in ("fio", "losetup"):
        if shutil.which(program) is None:
            raise CannotError(f"{program} is not installed")
    with contextlib.ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp", prefix="plimsoll-bench-")))
        image = folder / "backing"
        with image.open("wb") as file:
            file.write(os.urandom(2 * HALF))

        def loop(*arguments: str) -> str:
            device = run("losetup", "--show", "-f", "--direct-io=on", *arguments)
            undo.callback(subprocess.run, ["losetup", "-d", device], check=False)
            return device

        backing = loop(str(image))
        disks = tuple(loop("-o", str(HALF * place), "--sizelimit", str(HALF), backing) for place in (0, 1))
        group = _group()
        undo.callback(_remove, group)
        made = Bed(backing, (disks[0], disks[1]), group)
        made.limit(LIMIT)
        yield made


def _group() -> Path:
    for root in (CGROUPS / "blkio", CGROUPS / "unified", CGROUPS):
        old = (root / "blkio.throttle.io_serviced").exists()
        new = (root / "cgroup.controllers").exists() and "io" in (root / "cgroup.subtree_control").read_text().split()
        if old or new:
            group = root / f"plimsoll-bench-{os.getpid()}"
            group.mkdir()
            return group
    raise CannotError("no block I/O controller in /sys/fs/cgroup")


def _remove(group: Path) -> None:
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)


@contextlib.contextmanager
def fio(bed_: Bed, device: str, *, seconds: float, depth: int = 1) -> Iterator[None]:
    """Random reads in the throttled group, `depth` at a time: what one takes is the throttle's doing, whatever else
    this machine does."""
    command = [
        *("fio", "--name=x", f"--filename={device}", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=libaio"),
        *(f"--iodepth={depth}", "--time_based", f"--runtime={int(seconds)}"),
    ]

    def join() -> None:
        (bed_.group / "cgroup.procs").write_text(str(os.getpid()))

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=join)  # noqa: PLW1509
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def read(device: str) -> tuple[int, int, int]:
    """Reads, bytes and their summed ms since the device was made."""
    fields = Path(f"/sys/block/{Path(device).name}/stat").read_text().split()
    return int(fields[0]), int(fields[2]) * SECTOR, int(fields[3])


def measure(bed_: Bed) -> tuple[PoolSlots, list[tuple[str, float, float, int | None]]]:
    """Slots of both disks over the whole schedule, and what really happened when."""
    total = CALM_S + SCHEDULE[-1][1] + 2 * EVENT_S
    truth, rows = [], []
    begun = time.time()
    todo = [(begun + CALM_S + at, kind, culprit) for kind, at, culprit in SCHEDULE]
    with contextlib.ExitStack() as steady, contextlib.ExitStack() as event:
        for disk in bed_.disks:
            steady.enter_context(fio(bed_, disk, seconds=total + 60))
        time.sleep(STEP_S)
        over = 0.0
        while time.time() < begun + total:
            now = time.time()
            rows.append([now, *(read(disk) for disk in bed_.disks)])
            if over and now >= over:
                event.close()
                over = 0.0
            if todo and now >= todo[0][0]:
                _, kind, culprit = todo.pop(0)
                over = now + EVENT_S
                truth.append((kind, now, over, culprit))
                say(f"{kind} for {EVENT_S} s")
                if kind == "flood":
                    event.enter_context(fio(bed_, bed_.disks[1], seconds=EVENT_S + 5, depth=16))
                else:
                    bed_.limit(TIGHT)
                    event.callback(bed_.limit, LIMIT)
            time.sleep(max(0.0, STEP_S - (time.time() - now)))
    counters = np.array([[list(disk) for disk in row[1:]] for row in rows], float)
    figures = np.diff(counters, axis=0).transpose(2, 1, 0)
    starts = np.array([row[0] for row in rows[:-1]]).astype(np.int64)
    return PoolSlots(STEP_S, starts, figures[0], figures[1], figures[2]), truth


def main() -> None:
    try:
        with bed() as made:
            slots, truth = measure(made)
    except (CannotError, OSError) as error:
        say(f"skipped: {error}")
        print(json.dumps({"skipped": str(error)}))
        return
    print(json.dumps(answer(slots, truth)))


def answer(slots: PoolSlots, truth: list[tuple[str, float, float, int | None]]) -> dict[str, object]:
    """What was found, beside what was done."""
    model = learn(slots.of(slots.starts < truth[0][1] - 1))
    found = detect(slots, model, since=int(truth[0][1]) - 1)
    windows = found.contentions if found else []
    events, used = [], set()
    for kind, start, end, culprit in truth:
        mine = [place for place, one in enumerate(windows) if start < one.span.seen <= end + STEP_S]
        used |= set(mine)
        first = windows[mine[0]] if mine else None
        named = first.verdict.culprit if first else None
        events.append(
            {
                "kind": kind,
                "found": first is not None,
                "delay_s": round(first.span.seen - start, 1) if first else None,
                "lasted_s": first.span.end - int(start) if first else None,
                "slowdown": round(first.severity, 1) if first else None,
                "cause": first.verdict.cause.value if first else None,
                "named": None if named is None else ("victim", "neighbour")[named],
                "right": first is not None and named == culprit,
            }
        )
    return {"events": events, "other_windows": len(windows) - len(used), "slots": len(slots.starts), "step_s": STEP_S}


if __name__ == "__main__":
    main()
