"""The product as processes of the benchmark's own: web, worker and beat, with a mail server on loopback as the sink."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UP_WITHIN_S = 90


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class House:
    """`env`: DATABASE_URL, REDIS_URL and the mail settings are those of the caller."""

    def __init__(self, mail_port: int, workers: int = 2) -> None:
        self.port, self.workers = free_port(), workers
        self.folder = Path(tempfile.mkdtemp(prefix="plimsoll-alerts-"))
        self.log = (self.folder / "log").open("wb")
        mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(mail_port), "EMAIL_URL": "", "EMAIL_TIMEOUT": "5"}
        base = {"BASE_URL": f"http://127.0.0.1:{self.port}", "LOG_LEVEL": "WARNING"}
        self.env = {**os.environ, **mail, **base}
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def command(self, name: str) -> list[str]:
        """As the Procfile starts it."""
        python = [sys.executable, "-m"]
        if name == "web":
            made = [*python, "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port)]
            return [*made, "--workers", "1", "--blocking-threads", "4", "--no-ws", "sla.wsgi:application"]
        celery = [*python, "celery", "--quiet", "-A", "sla", name, "--loglevel", "WARNING"]
        if name == "beat":
            return [*celery, "--schedule", str(self.folder / "beat-schedule")]
        return [*celery, "--concurrency", str(self.workers), "--without-gossip", "--without-mingle"]

    def start(self, name: str) -> None:
        self.running[name] = subprocess.Popen(
            self.command(name), cwd=ROOT, env=self.env, stdout=self.log, stderr=self.log, start_new_session=True
        )

    def open(self) -> None:
        """All three, and web answers."""
        for name in ("web", "worker", "beat"):
            self.start(name)
        end = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.5):
                return
            time.sleep(0.2)
        raise SystemExit(f"the web server did not come up:\n{self.last_words()}")

    def kill(self, name: str) -> None:
        """kill -9 of the process and all its children at once, and a new one, as its keeper would."""
        os.killpg(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()
        self.start(name)

    def close(self) -> None:
        for process in self.running.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.running.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(8)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.log.close()

    def last_words(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-3000:]
