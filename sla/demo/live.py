"""What do the demonstration's agents send from now on? Each minute of every machine, as frames over HTTP.

Each disk has an `Eye` with the agent's own meter; a minute's single I/Os are made, sampled, judged second by second,
packed as agents pack them and posted with each machine's token, spread over the minute that follows.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from plimsoll_agent import msgpack
from plimsoll_agent.core import layout
from plimsoll_agent.core.terms import Term
from plimsoll_agent.frames import ENVELOPE
from plimsoll_agent.transport import NetworkError, Server
from sla.demo import staged
from sla.demo.cast import Cast, Member
from sla.demo.fleet import BOOT, MACHINE_ID, machines, silent
from sla.demo.sides import VERSION, Side, sides
from sla.demo.story import scenario
from sla.simulator.fine import Eye, Minute, ios_of
from sla.simulator.host import beneath_ios
from sla.simulator.run import run
from sla.simulator.trace import Trace

MINUTE_S = 60
SPREAD_S = 25.0  # of the minute after: agents do not all send at once
# How finely an agent looks: 50 ms on a few machines, so that both grades of closeness are there.
CLOSE_MS, USUAL_MS, CLOSE_EVERY = 50, 100, 12
MSGPACK = "application/msgpack"
logger = logging.getLogger(__name__)


class Live:
    """All agents of the cast in one process, those of the hypervisors too."""

    def __init__(self, cast: Cast, anchor: int, tokens: dict[str, str], terms: dict[int, Term], started: int) -> None:
        """tokens: by hostname; terms: what each disk is judged by, by number; started: when the machines booted."""
        self.cast, self.anchor, self.tokens, self.started = cast, anchor, tokens, started
        self.machines = machines(cast)
        self.quiet = silent(cast)
        self.eyes = {
            member.number: Eye(
                [terms[member.number]],
                rule=member.rule,
                cadence_ms=USUAL_MS if member.number % CLOSE_EVERY else CLOSE_MS,
            )
            for member in cast.members
        }
        self.sides = sides(cast)
        self.eyes_beneath = {
            number: Eye([terms[number]], rule=side.member.rule, cadence_ms=USUAL_MS)
            for number, side in self.sides.items()
        }
        self._ahead: dict[int, Minute] = {}
        self._trace: Trace | None = None

    def frames(self, start: int) -> dict[str, list[dict[str, Any]]]:
        """By hostname the frames of the minute that begins at `start`; called minute after minute."""
        trace, now = self._trace, self._ahead
        if trace is None or trace.start != start:
            trace, now = self._minute(start)
        after_trace, after = self._minute(start + MINUTE_S)
        made: dict[str, list[dict[str, Any]]] = {}
        for hostname, members in self.machines.items():
            for member in members:
                frame = self._frame(member, now[member.number], after[member.number], start)
                if member.number not in self.quiet and trace.observed[member.number].all():
                    made.setdefault(hostname, []).append(frame)
        for number, side in self.sides.items():
            frame = self._beneath(side, now[number], after[number], start)
            if side.observed(np.array([start]))[0]:
                made.setdefault(side.member.host, []).append(frame)
        self._trace, self._ahead = after_trace, after
        return made

    def _minute(self, start: int) -> tuple[Trace, dict[int, Minute]]:
        seen = scenario(self.cast, self.anchor, start, start + MINUTE_S)
        seen = seen.with_events(
            *(one for one in staged.load(staged.path()) if start < one.end and one.start < start + MINUTE_S)
        )
        trace = run(seen, start, MINUTE_S, 1)
        return trace, {member.number: ios_of(trace, member.number, 0, self.cast.seed) for member in self.cast.members}

    def _frame(self, member: Member, now: Minute, after: Minute, start: int) -> dict[str, Any]:
        identity = {"device": member.device, "serial": member.serial, "wwn": None, "vantage": "guest"}
        return self.eyes[member.number].watch(now, after, start, self.cast.seed + member.number, identity)

    def _beneath(self, side: Side, now: Minute, after: Minute, start: int) -> dict[str, Any]:
        """The same minute as the hypervisor saw it: it knows the disk by machine and device."""
        member, seed = side.member, self.cast.seed + len(self.cast.members) + side.member.number
        device = f"{MACHINE_ID.format(self.cast.seed, member.machine)}/{member.device}"
        identity = {"device": device, "serial": member.serial, "wwn": None, "vantage": "host"}
        eye = self.eyes_beneath[member.number]
        return eye.watch(beneath_ios(now, side.between), beneath_ios(after, side.between), start, seed, identity)

    def send(self, server: Server, made: dict[str, list[dict[str, Any]]], until: float) -> int:
        """Post each machine's frames, spread up to the monotonic moment `until`; how many were accepted."""
        accepted = 0
        left = len(made)
        for hostname, frames in made.items():
            accepted += self._post(server, hostname, frames)
            left -= 1
            if (pause := (until - time.monotonic()) / max(left, 1)) > 0:
                time.sleep(min(pause, 1.0))
        return accepted

    def _post(self, server: Server, hostname: str, frames: list[dict[str, Any]]) -> int:
        agent = {
            "version": self.machines[hostname][0].version if hostname in self.machines else VERSION,
            "boot_id": BOOT.format(hostname, self.started),
            "sent_at": time.time(),
        }
        body = msgpack.pack({"agent": agent, "frames": [packed(frame) for frame in frames]})
        try:
            answer = server.ask("POST", "/api/v1/frames", self.tokens[hostname], body, MSGPACK)
        except NetworkError as error:
            logger.warning("a minute of %s was not taken: %s", hostname, error)
            return 0
        for one in answer.body.get("rejected") or ():
            logger.warning("a frame of %s was refused: %s", hostname, one)
        if answer.status != 200:
            logger.warning("a minute of %s was refused: %s", hostname, answer.reason)
        return int(answer.body.get("accepted") or 0)


def packed(frame: dict[str, Any]) -> dict[str, Any]:
    """A frame as the agent's spool keeps it: what says which it is, and its body."""
    rest = {name: value for name, value in frame.items() if name not in ENVELOPE}
    return {**{name: frame[name] for name in ENVELOPE}, "body": layout.encode(rest)}


def keep_sending(live: Live, url: str, start: int, told: Callable[[int, int], None]) -> NoReturn:
    """Minute after minute from `start` on, each once it is over; told(minute, accepted) after each."""
    server = Server(url, "", 30.0)
    minute = start
    while True:
        made = live.frames(minute)
        while time.time() < minute + MINUTE_S + 1:
            time.sleep(0.2)
        late = time.time() - minute - MINUTE_S
        told(minute, live.send(server, made, time.monotonic() + max(SPREAD_S - late, 0.0)))
        minute += MINUTE_S
