"""A simulated fleet that reports as agents do: a frame a minute, and every ten seconds while a disk is bad."""

import gzip
import http.client
import json
import random
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from plimsoll_agent.core.r40 import bucket_of
from plimsoll_agent.sampler import SPREAD_S

URGENT_S, MINUTE_S = 10, 60
THRESHOLD_MS = 15
HEALTHY_IOPS, HEALTHY_MS = 200, 2.0
# Minutes of a busier past, so that two slow minutes do not spend the budget of days: then only the acute rule is left.
PAST_MINUTES, PAST_IOPS = 30, 3_000


@dataclass(slots=True)
class Member:
    """A disk on a machine of its own, and from when on it is bad: `bad_iops` requests a second take `bad_ms` each."""

    name: str
    customer: str
    pool: str
    key: str
    bad_at: int | None = None
    well_at: int | None = None
    bad_ms: float = 80.0
    bad_iops: int = 100
    token: str = ""
    term: int = 0
    disk: int = 0
    sent_until: int = 0
    spread_s: int = 0
    waiting: list[tuple[float, dict[str, Any]]] = field(default_factory=list)

    def is_bad(self, second: int) -> bool:
        return self.bad_at is not None and self.bad_at <= second < (self.well_at or second + 1)

    def cut_due(self, end: int) -> bool:
        """As the sampler decides it at the end of a second."""
        return end % MINUTE_S == 0 or (end % URGENT_S == 0 and self.is_bad(end - 1))


def frame(member: Member, start: int, end: int, iops: int = HEALTHY_IOPS) -> dict[str, Any]:
    """The seconds [start, end) as the agent labels them: all covered, all slow or none."""
    rng = random.Random(member.name + str(start))
    reads, writes, slow_r, slow_w, read_ms, write_ms = ([] for _ in range(6))
    for second in range(start, end):
        bad = member.is_bad(second)
        rate, wait = (member.bad_iops, member.bad_ms) if bad else (iops, HEALTHY_MS)
        count = max(2, round(rate * rng.uniform(0.95, 1.05)))
        reads.append(count * 2 // 5)
        writes.append(count - reads[-1])
        read_ms.append(round(reads[-1] * wait * rng.uniform(0.9, 1.1)))
        write_ms.append(round(writes[-1] * wait * rng.uniform(0.9, 1.1)))
        slow_r.append(reads[-1] if bad else 0)
        slow_w.append(writes[-1] if bad else 0)
    n = end - start
    nothing, total = [0] * n, [a + b for a, b in zip(read_ms, write_ms, strict=True)]
    low = [[round(0.8 * one) for one in slow] for slow in (slow_r, slow_w)]
    return {
        "device": "vda", "serial": member.name, "wwn": None, "vantage": "guest", "source": "diskstats",
        "start": start, "step_s": 1, "n": n, "base": {},
        "read_ios": reads, "write_ios": writes, "read_ms": read_ms, "write_ms": write_ms, "queue_ms": total,
        "read_sectors": [8 * one for one in reads], "write_sectors": [16 * one for one in writes],
        "in_flight": [max(1, round(one / 1000)) for one in total], "in_flight_ms": total,
        "in_flight_rule": "accounted", "fine_ms": [10 if any(slow_w) else 100] * n,
        "slow": [{
            "term": member.term, "threshold_ms": THRESHOLD_MS,
            "read_lo": low[0], "read_est": slow_r, "read_hi": slow_r,
            "write_lo": low[1], "write_est": slow_w, "write_hi": slow_w,
            "covered_est": [a + b for a, b in zip(reads, writes, strict=True)],
            "excess_lo": nothing, "excess_hi": nothing, "pool_start": 0, "lost_ms": nothing,
        }],
        "read_hist": [[bucket_of(round(1000 * sum(read_ms) / sum(reads))), sum(reads)]],
        "write_hist": [[bucket_of(round(1000 * sum(write_ms) / sum(writes))), sum(writes)]],
    }  # fmt: skip


class Api:
    """The product's API as agents use it; a connection a thread."""

    def __init__(self, port: int) -> None:
        self.port, self._own = port, threading.local()

    def post(self, path: str, body: dict[str, Any], bearer: str) -> dict[str, Any]:
        """The answer. Raises OSError where the server is away, ValueError where it refuses."""
        packed = gzip.compress(json.dumps(body).encode(), 1)
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json", "Content-Encoding": "gzip"}
        if path.endswith("enrol"):
            packed, headers = json.dumps(body).encode(), {k: v for k, v in headers.items() if k != "Content-Encoding"}
        line = getattr(self._own, "line", None) or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self._own.line = line
        try:
            line.request("POST", path, packed, headers)
            answer = line.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            line.close()
            raise OSError(str(error)) from error
        if answer.status not in (200, 201):
            raise ValueError(f"{path}: {answer.status} {content[:300]!r}")
        return dict(json.loads(content))


class Fleet:
    """Enrols, tells the past, then lives in real time until `stop`."""

    def __init__(self, api: Api, members: list[Member]) -> None:
        self.api, self.members = api, members
        self.pool = ThreadPoolExecutor(8)
        self.refused: list[str] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def enrol(self) -> None:
        list(self.pool.map(self._enrol, self.members))

    def _enrol(self, member: Member) -> None:
        body = {
            "machine_id": f"bench-{member.name}",
            "hostname": member.name,
            "boot_id": "bench",
            "agent_version": "1.0.0",
            "disks": [{"device": "vda", "serial": member.name}],
        }
        answer = self.api.post("/api/v1/enrol", body, member.key)
        member.token = answer["agent_token"]
        member.term = answer["policy"]["disks"][0]["terms"][0]["term"]
        member.spread_s = random.Random(member.name).randrange(SPREAD_S)

    def tell_past(self, now: int) -> None:
        """Minutes of an hour ago, and everything since the last whole minutes: nothing is missing when life begins."""
        first = now // MINUTE_S * MINUTE_S
        starts = [first - 3_000 + MINUTE_S * m for m in range(PAST_MINUTES)] + [first - 120, first - 60]

        def tell(member: Member) -> None:
            past = [frame(member, at, at + MINUTE_S, PAST_IOPS if at < first - 120 else HEALTHY_IOPS) for at in starts]
            self._send(member, past)
            member.sent_until = first

        list(self.pool.map(tell, self.members))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self.pool.shutdown()

    def _live(self) -> None:
        """At the end of each second: cut what is due, send what may go."""
        second = int(time.time())
        while not self._stopped.wait(max(0.0, second + 1 - time.time())):
            second += 1
            for member in self.members:
                if member.cut_due(second):
                    # The minute's own upload waits for the machine's turn; an urgent one goes at once, with what waits.
                    goes_at = second + (member.spread_s if second % MINUTE_S == 0 else 0)
                    while member.sent_until < second:  # what was told before may have ended in another minute
                        start = member.sent_until
                        member.sent_until = min(second, start - start % MINUTE_S + MINUTE_S)
                        member.waiting.append((goes_at, frame(member, start, member.sent_until)))
                if member.waiting and min(at for at, _ in member.waiting) <= second:
                    going, member.waiting = [one for _, one in member.waiting], []
                    self.pool.submit(self._keep_sending, member, going)

    def _keep_sending(self, member: Member, frames: list[dict[str, Any]]) -> None:
        """Until the server has them, as the spool does."""
        for wait in (0.5, 1, 2, 4, 8, 16, 32):
            try:
                self._send(member, frames)
            except OSError:
                time.sleep(wait)
            except ValueError as error:
                self.refused.append(str(error))
                return
            else:
                return

    def _send(self, member: Member, frames: list[dict[str, Any]]) -> None:
        agent = {"version": "1.0.0", "boot_id": "bench", "sent_at": time.time()}
        answer = self.api.post("/api/v1/frames", {"agent": agent, "frames": frames}, member.token)
        self.refused += [str(one) for one in answer["rejected"]]


def staggered(
    members: Iterable[Member], begin: int, spread_s: int, rng: random.Random, bad_for_s: int | None = None
) -> None:
    """Each single disk at a moment of its own; those of a pool within twenty seconds of the pool's first.

    bad_for_s: None for as long as the run lasts.
    """
    first: dict[str, int] = {}
    for member in members:
        at = begin + rng.randrange(max(1, spread_s))
        member.bad_at = first.setdefault(member.pool, at) + rng.randrange(20) if member.pool else at
        member.well_at = None if bad_for_s is None else member.bad_at + bad_for_s
        member.bad_ms = rng.choice((20.0, 40.0, 80.0, 160.0, 400.0))
        # Eight clients that each wait for their answer: slower disks do less.
        member.bad_iops = max(4, min(HEALTHY_IOPS, round(8_000 / member.bad_ms)))
