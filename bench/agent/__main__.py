"""`python -m bench.agent [--minutes N]`: the agent at every cadence beside bare loops and other agents, all at once."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.agent import peers as other_agents
from bench.agent.loops import Loops
from bench.agent.usage import Watcher
from plimsoll_agent.inventory import disks_of
from plimsoll_agent.settings import Settings

HERE = Path(__file__).parent
MEMORY = "/dev/shm"  # noqa: S108 - only a place for mkdtemp
OURS, BARE = "plimsoll-agent", "bare Python loop"
CADENCES = (100, 50, 20, 10)
MANY = 16
GOALS = {(OURS, 100, 1): 0.15, (OURS, 20, 1): 0.40, (OURS, 10, 1): 0.60}
GOALS[(OURS, 100, MANY)] = 0.35
LOAD_PER_S = 100
MANY_LOAD_PER_S = 20
# Uploads leave within four seconds of the minute: the peak with children is looked for then.
UPLOADS_S = 7


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Run:
    """Everything that is started, and stopped again whatever happens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.helpers: list[subprocess.Popen[bytes]] = []
        self.watched: list[tuple[dict[str, object], Watcher, subprocess.Popen[bytes]]] = []
        self.peers: list[other_agents.Peer] = []
        self.loops: Loops | None = None

    def helper(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.helpers.append(process)
        return process

    def watch(self, name: str, interval_ms: int, disks: int, process: subprocess.Popen[bytes]) -> None:
        row: dict[str, object] = {"name": name, "interval_ms": interval_ms, "disks": disks}
        self.watched.append((row, Watcher(process.pid), process))

    def stop(self) -> None:
        for _, _, process in self.watched:
            process.terminate()
        for peer in self.peers:
            peer.stop()
        for _, _, process in self.watched:
            process.wait()
        for process in self.helpers:
            process.kill()
            process.wait()
        if self.loops:
            self.loops.close()


def first_disk() -> str:
    """The first whole disk that the agent would pick."""
    return disks_of(Settings({}))[0].device


def certificate(folder: Path) -> Path:
    """A key and certificate for 127.0.0.1 in one file."""
    path = folder / "server.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return path


def agent(run: Run, url: str, cadence: int, devices: str) -> None:
    name = f"agent-{cadence}-{devices.count(',') + 1}"
    command = [
        sys.executable,
        "-m",
        "plimsoll_agent.cli",
        "run",
        "--url",
        url,
        "--key",
        "bench",
        "--cadence",
        str(cadence),
    ]
    command += ["--ca-file", str(run.folder / "cert.pem"), "--state-dir", str(run.folder / name), "--devices", devices]
    process = subprocess.Popen(command, env={**os.environ, "PLIMSOLL_RUN_DIR": str(run.folder / (name + ".run"))})
    run.watch(OURS, cadence, devices.count(",") + 1, process)


def start(run: Run) -> None:
    disk = first_disk()
    server = run.helper(sys.executable, str(HERE / "server.py"), str(certificate(run.folder)))
    assert server.stdout is not None
    url = f"https://127.0.0.1:{int(server.stdout.readline())}"
    # On the disk itself, not in memory like the rest: this is the load that the agents measure.
    target = Path(tempfile.mkstemp(prefix="plimsoll-bench-", dir="/var/tmp")[1])
    target.write_bytes(bytes(8 << 20))
    run.helper(sys.executable, str(HERE / "load.py"), str(LOAD_PER_S), str(target))
    for cadence in CADENCES:
        agent(run, url, cadence, disk)
        loop = [sys.executable, "-I", "-S", str(HERE / "bare_loop.py"), disk, str(cadence)]
        run.watch(BARE, cadence, 1, subprocess.Popen(loop))
    run.loops = Loops(run.folder, MANY)
    if run.loops.devices:
        run.helper(sys.executable, str(HERE / "load.py"), str(MANY_LOAD_PER_S), *run.loops.devices)
        names = ",".join(Path(device).name for device in run.loops.devices)
        agent(run, url, 100, names)
    else:
        say(f"no loop devices here: the row of {MANY} disks is left out")
    run.peers, missing = other_agents.start(run.folder)
    for peer in run.peers:
        run.watch(peer.name, 1000, 1, peer.process)
    say(f"not installed, left out: {', '.join(missing)}" if missing else "all peers are installed")
    time.sleep(1)
    target.unlink()


def measure(run: Run, minutes: int) -> None:
    """Whole minutes, from 15 s after one: every upload is inside exactly once."""
    time.sleep(60 - time.time() % 60 + 15)
    for _, watcher, process in run.watched:
        if process.poll() is not None:
            raise SystemExit(f"process {process.args!r} ended by itself")
        watcher.begin()
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        ours = [watcher for row, watcher, _ in run.watched if row["name"] == OURS]
        if time.time() % 60 < UPLOADS_S:
            for watcher in ours:
                watcher.look()
            time.sleep(0.01)
            continue
        for _, watcher, _ in run.watched:
            watcher.rest()
        time.sleep(min(5.0, max(0.0, end - time.monotonic())))
        say(f"{max(0.0, end - time.monotonic()):.0f} s to go")
    for _, watcher, _ in run.watched:
        watcher.end()


def punctuality(run: Run) -> dict[str, float]:
    """Share of samples at most one period late, by cadence, from the agents' own count."""
    ratios = {}
    for path in sorted(run.folder.glob("agent-*.run/sampler")):
        pairs = dict(line.split(" ", 1) for line in path.read_text().splitlines())
        ratios[path.parent.name.removesuffix(".run")] = 1 - int(pairs["late"]) / max(1, int(pairs["samples"]))
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=int(os.environ.get("MINUTES", "3")))
    minutes = parser.parse_args().minutes
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-bench-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    run = Run(folder)
    try:
        say(f"starting; {minutes} minutes of measuring after the first full minute")
        start(run)
        measure(run, minutes)
        on_time = punctuality(run)
    finally:
        run.stop()
        shutil.rmtree(folder, ignore_errors=True)
    rows = [{**row, **watcher.row()} for row, watcher, _ in run.watched]
    bare = {row["interval_ms"]: row["cpu_s_per_min"] for row in rows if row["name"] == BARE}
    for row in rows:
        goal = GOALS.get((str(row["name"]), int(str(row["interval_ms"])), int(str(row["disks"]))))
        if goal is not None:
            row["goal_cpu_s_per_min"] = goal
        if row["name"] == OURS and row["disks"] == 1:
            row["times_bare_loop"] = round(float(str(row["cpu_s_per_min"])) / float(str(bare[row["interval_ms"]])), 2)
        say(json.dumps(row))
    print(json.dumps({"rows": rows, "minutes": minutes, "load_iops": LOAD_PER_S, "on_time_ratio": on_time}))


if __name__ == "__main__":
    main()
