"""What does a frame cost to take in and to keep? `make bench-ingest`; the last line on stdout is JSON.

A real web server on loopback, a real database, one agent with 60 disks and sixty with one disk each, all of them
sending their minutes in order, and beside it a bare peer that takes the same uploads in turns (bench/ingest_peer.py):
what it costs tells how fast the machine is at this moment. CPU is user + system of the web process and of the
database's, other databases' backends left out; bytes are the hypertable's heap and index.
"""

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import django
import msgspec
import psutil

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up before its parts are imported
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from bench import ingest_peer  # noqa: E402
from bench.cpu import cpu_s, database_cpu_s  # noqa: E402
from bench.lab import load  # noqa: E402
from bench.lab_frames import content  # noqa: E402
from plimsoll_agent.core import layout  # noqa: E402
from sla.accounts.models import Customer  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.fleet.services import issue_enrolment_key  # noqa: E402
from sla.telemetry import timescale  # noqa: E402
from sla.telemetry.wire import Key  # noqa: E402

DISKS = 60
BULK_REQUESTS, SINGLE_MINUTES, WARM_UP, ROUNDS = 85, 31, 5, 8
SECONDS = range(60)
DAY_S = 86_400
OURS, PEER = "sla.wsgi:application", "bench.ingest_peer:application"
# What the bare path cost on the machine of the goals, ms of web and database a frame.
PEER_ELSEWHERE = {("json", DISKS): 0.095, ("packed", DISKS): 0.043, ("packed", 1): 0.79}


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def frame(rng: random.Random, disk: int, start: int, term: int) -> dict[str, Any]:
    """A minute of a busy disk: 24 columns of the disk and 10 of its term, histograms, base and the machine's facts."""
    rate = rng.uniform(50, 600)
    reads = [max(0, round(rng.gauss(rate * 0.4, rate**0.5))) for _ in SECONDS]
    writes = [max(0, round(rng.gauss(rate * 0.6, rate**0.5))) for _ in SECONDS]
    slow = [1 if rng.random() < 0.1 else 0 for _ in SECONDS]
    block = rng.choice((8, 16, 32, 128))  # a disk's writer keeps to its block size
    read_ms = [round(count * rng.uniform(0.3, 0.6)) for count in reads]
    write_ms = [round(count * rng.uniform(0.5, 1.5)) + 20 * late for count, late in zip(writes, slow, strict=True)]
    total = [a + b for a, b in zip(read_ms, write_ms, strict=True)]
    zeros = [0] * 60
    base = {name: rng.randrange(10**8) for name in ("read_ios", "write_ios", "read_ms", "write_ms", "queue_ms")}
    return {
        "device": f"vd{disk}",
        "serial": f"bench-{disk}",
        "wwn": None,
        "vantage": "guest",
        "source": "diskstats",
        "start": start,
        "step_s": 1,
        "n": 60,
        "base": base,
        "read_ios": reads,
        "write_ios": writes,
        "flush_ios": [count // 20 for count in writes],
        "discard_ios": zeros,
        "read_merges": zeros,
        "write_merges": [count // 8 for count in writes],
        "read_sectors": [count * 8 for count in reads],
        "write_sectors": [count * block for count in writes],
        "discard_sectors": zeros,
        "read_ms": read_ms,
        "write_ms": write_ms,
        "flush_ms": [count // 10 for count in writes],
        "discard_ms": zeros,
        "busy_ms": [min(1000, figure) for figure in total],
        "queue_ms": total,
        "in_flight": [rng.randrange(4) for _ in SECONDS],
        "in_flight_ms": total,
        "in_flight_rule": "accounted",
        "fine_ms": [100] * 60,
        "slow": [
            {
                "term": term,
                "threshold_ms": 15,
                "read_lo": zeros,
                "read_est": zeros,
                "read_hi": [min(count, rng.randrange(3)) for count in reads],
                "write_lo": zeros,
                "write_est": [min(late, count) for late, count in zip(slow, writes, strict=True)],
                "write_hi": [min(count, late * rng.randrange(1, 4)) for late, count in zip(slow, writes, strict=True)],
                "covered_est": [a + b for a, b in zip(reads, writes, strict=True)],
                "excess_lo": zeros,
                "excess_hi": zeros,
                "pool_start": 0,
                "lost_ms": zeros,
            }
        ],
        "read_hist": [[bucket, rng.randrange(1, 400)] for bucket in range(60, 84)],
        "write_hist": [[bucket, rng.randrange(1, 400)] for bucket in range(66, 96)],
        "machine": {"steal_ratio": 0.003, "iowait_ratio": 0.021, "dirty_bytes": 18_432_000, "d_state_tasks": 1},
    }


def recorded(folder: Path, term: int) -> list[dict[str, Any]]:
    """Minutes of the lab's recordings where they are there; none elsewhere."""
    if not folder.is_dir():
        say(f"{folder} is not there: minutes are made up, and larger than real ones")
        return []
    return [content(run, term) for run in load(folder)]


def at(one: dict[str, Any], disk: int, start: int) -> dict[str, Any]:
    """A recorded minute as that of this disk."""
    place = {"device": f"vd{disk}", "serial": f"bench-{disk}", "wwn": None, "vantage": "guest", "source": "diskstats"}
    return {**place, "start": start, "step_s": 1, "n": 60, **one}


def packed(one: dict[str, Any]) -> dict[str, Any]:
    """The same frame in the packed form."""
    content = {name: value for name, value in one.items() if name not in Key.__struct_fields__}
    return {name: one.get(name) for name in Key.__struct_fields__} | {"body": layout.encode(content)}


@contextmanager
def web_server(target: str) -> Iterator[tuple[int, psutil.Process]]:
    """granian as `make run` starts it: one worker process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "1", "--blocking-threads", "2", "--no-access-log", "--log-level", "warning"]
    server = subprocess.Popen([*command, target], cwd=ROOT, stdout=sys.stderr)
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port, psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait(10)


class Upload(NamedTuple):
    """What an agent sends at once."""

    token: str
    body: bytes


Sender = Callable[[Upload, str], dict[str, Any]]


def sender(port: int) -> Sender:
    """Posts over one kept connection."""
    line = http.client.HTTPConnection("127.0.0.1", port)

    def send(upload: Upload, kind: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {upload.token}", "Content-Type": kind}
        line.request("POST", "/api/v1/frames", upload.body, headers)
        answer = line.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{answer.status}: {content[:500]!r}")
        return json.loads(content)

    return send


class Round(NamedTuple):
    """What some requests cost, in seconds."""

    web_s: float
    database_s: float
    wall_s: float

    @property
    def cpu_s(self) -> float:
        return self.web_s + self.database_s


def sent(uploads: list[Upload], per_request: int, kind: str, send: Sender, web: psutil.Process) -> Round:
    """Send all of these."""
    web_before, database_before, begun = cpu_s(web), database_cpu_s(), time.perf_counter()
    for upload in uploads:
        answer = send(upload, kind)
        if answer["accepted"] != per_request:
            raise SystemExit(f"not all accepted: {answer['rejected'][:3]}, {answer['duplicates']} duplicates")
    wall = time.perf_counter() - begun
    return Round(cpu_s(web) - web_before, database_cpu_s() - database_before, wall)


def row(name: str, per_request: int, uploads: list[Upload], rounds: list[Round]) -> dict[str, Any]:
    """What a frame cost over all rounds."""
    frames = per_request * len(uploads)
    web, database, wall = map(sum, zip(*rounds, strict=True))
    web_ms, database_ms = 1000 * web / frames, 1000 * database / frames
    say(f"{name}, {per_request} a request: web {web_ms:.3f} + db {database_ms:.3f} ms a frame, {frames / wall:.0f}/s")
    return {
        "encoding": name,
        "frames_per_request": per_request,
        "web_cpu_ms_per_frame": round(web_ms, 4),
        "db_cpu_ms_per_frame": round(database_ms, 4),
        "wire_bytes_per_frame": round(sum(len(upload.body) for upload in uploads) / frames),
        "frames_per_s": round(frames / wall),
    }


def beside(
    name: str, per_request: int, uploads: list[Upload], kind: str, houses: dict[str, tuple[Sender, psutil.Process]]
) -> Iterator[dict[str, Any]]:
    """Both rows: ours with its ratio to the peer, the median of the rounds; the peer's with its ratio to what it cost
    on the goals' machine. The two take turns, so that what else the machine does meets both."""
    # Each agent's first upload is its warm-up: what the server remembers of a machine it learns from that.
    warm_up = max(WARM_UP, len({upload.token for upload in uploads}))
    for upload in uploads[:warm_up]:
        for send, _ in houses.values():
            send(upload, kind)
    counted = uploads[warm_up:]
    rounds: dict[str, list[Round]] = {house: [] for house in houses}
    for turn in range(ROUNDS):
        part = counted[turn * len(counted) // ROUNDS : (turn + 1) * len(counted) // ROUNDS]
        for house, (send, web) in list(houses.items())[:: 1 if turn % 2 else -1]:
            rounds[house].append(sent(part, per_request, kind, send, web))
    ours, peer = (row(label, per_request, counted, rounds[house]) for house, label in ((OURS, name), (PEER, name)))
    ratio = statistics.median(a.cpu_s / b.cpu_s for a, b in zip(rounds[OURS], rounds[PEER], strict=True))
    bare = peer["web_cpu_ms_per_frame"] + peer["db_cpu_ms_per_frame"]
    elsewhere = PEER_ELSEWHERE[name, per_request]
    say(f"{ratio:.2f} of the bare peer's {bare:.3f} ms ({elsewhere} on the machine of the goals)")
    yield {**ours, "times_bare_peer": round(ratio, 3)}
    yield {**peer, "encoding": f"bare {name}", "times_goals_machine": round(bare / elsewhere, 3)}


def enrolled(port: int, key: str, places: Iterable[int]) -> tuple[str, int]:
    """(agent token, term) of a machine with these disks."""
    line = http.client.HTTPConnection("127.0.0.1", port)
    disks = [{"device": f"vd{disk}", "serial": f"bench-{disk}"} for disk in places]
    body = json.dumps({"machine_id": f"bench-{time.time_ns()}", "hostname": "bench", "disks": disks})
    line.request("POST", "/api/v1/enrol", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    answer = json.loads(line.getresponse().read())
    return answer["agent_token"], answer["policy"]["disks"][0]["terms"][0]["term"]


def main() -> None:
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE telemetry_frame, telemetry_dueslot")
    ensure_default_contract()
    customer, _ = Customer.objects.get_or_create(name="bench-ingest")
    key = issue_enrolment_key(customer=customer, name="bench", uses=1 + DISKS, lifetime=timedelta(hours=1))
    rng = random.Random(1)
    # Within days that are over: one chunk a day, as in life.
    minute = int(time.time()) // DAY_S * DAY_S - 60 * (2 * BULK_REQUESTS + SINGLE_MINUTES)
    rows: list[dict[str, Any]] = []
    os.environ.setdefault("DATABASE_URL", settings.DATABASE_URL)
    ingest_peer.create()
    with web_server(OURS) as (port, web), web_server(PEER) as (peer_port, peer):
        large, term = enrolled(port, key, range(DISKS))
        small = [enrolled(port, key, [disk])[0] for disk in range(DISKS)]

        houses = {OURS: (sender(port), web), PEER: (sender(peer_port), peer)}

        def both(name: str, per_request: int, uploads: list[Upload], kind: str) -> None:
            rows.extend(beside(name, per_request, uploads, kind, houses))

        real = recorded(Path(os.environ.get("LAB") or ROOT.parent / "shared" / "data" / "lab"), term)

        def minutes(count: int) -> Iterator[list[dict[str, Any]]]:
            nonlocal minute
            for turn in range(count):
                if real:
                    yield [at(real[(disk + turn) % len(real)], disk, minute) for disk in range(DISKS)]
                else:
                    yield [frame(rng, disk, minute, term) for disk in range(DISKS)]
                minute += 60

        agent = {"version": "1.0.0", "boot_id": "bench", "sent_at": 0.0}
        say("making frames")
        as_json = [Upload(large, json.dumps({"agent": agent, "frames": f}).encode()) for f in minutes(BULK_REQUESTS)]
        both("json", DISKS, as_json, "application/json")

        def pack(token: str, frames: list[dict[str, Any]]) -> Upload:
            body = msgspec.msgpack.encode({"agent": agent, "frames": [packed(one) for one in frames]})
            return Upload(token, body)

        both("packed", DISKS, [pack(large, f) for f in minutes(BULK_REQUESTS)], "application/msgpack")
        as_single = [pack(small[disk], [one]) for f in minutes(SINGLE_MINUTES) for disk, one in enumerate(f)]
        both("packed", 1, as_single, "application/msgpack")
    ingest_peer.drop()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM telemetry_frame")
        cursor.execute("SELECT count(*) FROM telemetry_frame")
        kept = cursor.fetchone()[0]
    stored = timescale.size("telemetry_frame")
    print(
        json.dumps(
            {
                "rows": rows,
                "stored_bytes_per_frame": round(stored.total_bytes / kept),
                "frames": kept,
                "minutes": "recorded" if real else "made up",
            },
        )
    )


if __name__ == "__main__":
    main()
