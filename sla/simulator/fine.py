"""What would the agent on a simulated disk have sent? Single I/Os of each minute, sampled like /proc/diskstats, through
the agent's own meter into its own frames.

An `Eye` is one disk's agent that goes on from minute to minute; what it is fed with are 1 s steps of a trace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plimsoll_agent.core.counters import FIELDS, Counters
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term
from plimsoll_agent.frames import COUNTS, frame_of
from plimsoll_agent.journal import Contents
from sla.simulator import noise
from sla.simulator.latency import FEW_WAITING, single
from sla.simulator.noise import Floats, Ints
from sla.simulator.trace import Trace

MINUTE_S, NS = 60, 1_000_000_000
MS_PER_S, US_PER_MS = 1_000, 1_000
LATE_S = 0.0002  # a sampler wakes so much late, at the most, nearly always
WRAP_MS = 1 << 32
READ, WRITE = 0, 1


@dataclass(slots=True)
class Minute:
    """The I/Os that complete in one minute: when (s into it), how long each took (ms), which are writes, bytes each."""

    ended: Floats
    took_ms: Floats
    write: Ints
    size: Ints


def ios_of(trace: Trace, disk: int, first: int, seed: int) -> Minute:
    """The I/Os of 60 seconds of a 1 s trace from its step `first` on: they sum to the trace's counts.

    An I/O ends at any moment of its second; times spread by `sla.simulator.latency` around the second's own mean.
    """
    cut = slice(first, first + MINUTE_S)
    rng = noise.generator(seed, noise.MIX, disk, (trace.start + first) // MINUTE_S)
    seconds = np.arange(MINUTE_S)
    waiting = trace.queue_ms[disk, cut] / MS_PER_S
    parts = []
    for side, number in (("read", READ), ("write", WRITE)):
        count = getattr(trace, f"{side}_ios")[disk, cut]
        mean = getattr(trace, f"{side}_ms")[disk, cut] / np.maximum(count, 1)
        size = getattr(trace, f"{side}_bytes")[disk, cut] // np.maximum(count, 1) // 512 * 512
        second = np.repeat(seconds, count)
        took = single(rng, np.maximum(mean, 0.02)[second], waiting[second])
        within = rng.random(len(second))
        # A throttle lets requests through evenly; elsewhere they end when they like.
        place = np.arange(len(second)) - np.repeat(np.cumsum(count) - count, count)
        paced = waiting[second] > FEW_WAITING
        within[paced] = ((place + within) / count[second])[paced]
        parts.append((second + within, took, np.full(len(second), number), size[second]))
    ended, took, write, sizes = (np.concatenate(both) for both in zip(*parts, strict=True))
    order = np.argsort(ended)
    return Minute(ended[order], took[order], write[order], sizes[order])


@dataclass(slots=True)
class Eye:
    """The agent of one disk: its meter, and where its kernel's counters stand."""

    terms: list[Term]
    rule: str = "accounted"
    cadence_ms: int = 100
    totals: list[int] = field(default_factory=lambda: [0] * len(FIELDS))
    meter: DiskMeter | None = None
    level: int = 0

    def watch(self, now: Minute, after: Minute, start: int, seed: int, identity: dict[str, Any]) -> dict[str, Any]:
        """The frame of the minute that begins at `start` (Unix seconds); `after`: the I/Os that complete next.

        identity: device, serial, wwn, vantage of the frame. Raises ValueError where the minute gives no frame.
        """
        contents = Contents()
        contents.device, contents.serial = identity["device"], identity["serial"]
        contents.wwn, contents.vantage = identity["wwn"], identity["vantage"]
        contents.rule, contents.start = self.rule, start
        times, samples = self._samples(now, after, start, seed)
        if self.meter is None:
            self.meter = DiskMeter(self.terms, rule=self.rule)
            self.meter.sample(start * NS, self._reading(0, 0, 0, 0, 0, 0, self.level, 0))
        contents.base = tuple(self.totals)
        contents.terms = [(term, self.meter.pool(term.term)) for term in self.terms]
        per_second = len(times) // MINUTE_S
        before = self.totals
        for second in range(MINUTE_S):
            held = 0.0
            for place in range(second * per_second, (second + 1) * per_second):
                reading = samples[place]
                self.meter.sample(start * NS + int(times[place] * NS), reading)
                held += (reading[8] or 0) * self.cadence_ms
            counts = self.meter.close_second()
            contents.rows.append(
                (
                    _advance(before, reading),
                    int(held),
                    self.cadence_ms,
                    [tuple(getattr(counts[term.term], name) for name in COUNTS) for term in self.terms],
                    *self.meter.take_histograms(),
                )
            )
            before = [value or 0 for value in reading]
        self.totals, self.level = before, before[8]
        frame = frame_of(contents)
        if frame is None:
            raise ValueError(f"the minute {start} gives no frame")
        return frame

    def _samples(self, now: Minute, after: Minute, start: int, seed: int) -> tuple[Floats, list[Counters]]:
        """When the sampler looked (s into the minute) and what it read; the last look ends the minute."""
        looks = MINUTE_S * MS_PER_S // self.cadence_ms
        rng = noise.generator(seed, noise.MIX, start // MINUTE_S, self.cadence_ms)
        times = (np.arange(looks) + 1) * (self.cadence_ms / MS_PER_S) + LATE_S * rng.random(looks)
        ended = np.concatenate((now.ended, after.ended + MINUTE_S))
        took = np.concatenate((now.took_ms, after.took_ms)) / MS_PER_S
        # Whatever began before this minute was counted as waiting in the one before.
        began = np.sort(np.where(ended - took < 0, -1.0, ended - took))
        done = np.searchsorted(now.ended, times)
        done[-1] = len(now.ended)  # the minute's I/Os are all in it
        level = np.searchsorted(began, times) - done
        figures = [_so_far(now.write == side, now, done) for side in (READ, WRITE)]
        table = np.column_stack([*figures[READ], *figures[WRITE], np.maximum(level, 0)]).tolist()
        return times, [
            self._reading(r_n, r_s, r_ms, w_n, w_s, w_ms, held, int(1000 * at))
            for (r_n, r_s, r_ms, w_n, w_s, w_ms, held), at in zip(table, times.tolist(), strict=True)
        ]

    def _reading(
        self, r_n: int, r_s: int, r_ms: int, w_n: int, w_s: int, w_ms: int, level: int, busy_ms: int
    ) -> Counters:
        """The kernel's seventeen fields after so much of this minute."""
        t = self.totals
        spent = r_ms + w_ms
        return (
            *(t[0] + r_n, t[1], t[2] + r_s, (t[3] + r_ms) % WRAP_MS),
            *(t[4] + w_n, t[5], t[6] + w_s, (t[7] + w_ms) % WRAP_MS),
            *(level, (t[9] + min(busy_ms, spent)) % WRAP_MS, (t[10] + spent) % WRAP_MS),
            *(t[11], t[12], t[13], t[14], t[15], t[16]),
        )


def _so_far(mine: np.ndarray[Any, np.dtype[np.bool_]], now: Minute, done: Ints) -> tuple[Ints, Ints, Ints]:
    """I/Os, sectors and ms of one direction among the first `done` of a minute."""
    out = []
    for values in (mine.astype(np.int64), mine * (now.size // 512), mine * now.took_ms):
        summed = np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))
        out.append(np.floor(summed[done]).astype(np.int64))
    return out[0], out[1], out[2]


def _advance(before: list[int], reading: Counters) -> Counters:
    """What each field did in a second; in_flight holds its level."""
    ahead = [(now or 0) - then for then, now in zip(before, reading, strict=True)]
    for place in (3, 7, 9, 10):
        ahead[place] %= WRAP_MS
    ahead[8] = reading[8] or 0
    return tuple(ahead)
