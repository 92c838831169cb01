"""Other people's agents, as far as they are installed here, at one second a sample."""

import os
import shutil
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

COLLECTD = """
Interval 1
BaseDir "{folder}"
PIDFile "{folder}/collectd.pid"
TypesDB "/usr/share/collectd/types.db"
LoadPlugin disk
LoadPlugin csv
<Plugin csv>
  DataDir "{folder}/csv"
</Plugin>
"""
SADC = ("/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc")


class Peer:
    """A running peer: `stop` ends what belongs to it."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], stop: Callable[[], None] | None = None) -> None:
        self.name = name
        self.process = process
        self._stop = stop

    def stop(self) -> None:
        if self._stop:
            self._stop()
        self.process.terminate()
        self.process.wait()


def start(folder: Path) -> tuple[list[Peer], list[str]]:
    """Start what is there. Answers (peers, names of those that are not installed)."""
    peers, missing = [], []
    exporter = shutil.which("prometheus-node-exporter") or shutil.which("node_exporter")
    if exporter:
        peers.append(_exporter(exporter, "node_exporter, defaults", []))
        peers.append(
            _exporter(
                exporter, "node_exporter, diskstats only", ["--collector.disable-defaults", "--collector.diskstats"]
            )
        )
    else:
        missing.append("node_exporter")
    sadc = next((path for path in SADC if Path(path).exists()), None)
    if sadc:
        peers.append(Peer("sadc -S DISK", _quiet([sadc, "-S", "DISK", "1", str(folder / "sa")])))
    else:
        missing.append("sadc")
    collectd = shutil.which("collectd")
    if collectd:
        conf = folder / "collectd.conf"
        conf.write_text(COLLECTD.format(folder=folder))
        peers.append(Peer("collectd, disk and csv", _quiet([collectd, "-f", "-C", str(conf)])))
    else:
        missing.append("collectd")
    missing += [name for name in ("netdata", "telegraf", "glances") if not shutil.which(name)]
    return peers, missing


def _exporter(program: str, name: str, flags: list[str]) -> Peer:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = _quiet([program, f"--web.listen-address=127.0.0.1:{port}", *flags])
    over = threading.Event()

    def scrape() -> None:
        while not over.wait(1.0):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read()
            except OSError:
                continue

    threading.Thread(target=scrape, daemon=True).start()
    return Peer(name, process, over.set)


def _quiet(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"}
    )
