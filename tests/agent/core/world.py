"""A small world for the meter's tests: I/Os with true latencies, and what the kernel would print of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from plimsoll_agent.core.counters import Counters
from plimsoll_agent.core.terms import Term


@dataclass(frozen=True)
class Io:
    """One I/O in µs; reads and writes, 4 KiB each."""

    start: int
    latency: int
    is_read: bool

    @property
    def end(self) -> int:
        return self.start + self.latency


def term(threshold_ms: int = 15, iops: int = 1000, depth: int = 13, write_ms: int | None = None) -> Term:
    return Term(1, threshold_ms * 1000, (write_ms or threshold_ms) * 1000, iops, depth, 100_000, 262_144)


def counters_at(
    ios: list[Io], printed_us: int, in_flight_us: int | None = None, discards: list[Io] | None = None
) -> Counters:
    """The line that the kernel prints: in_flight as of `in_flight_us`, a little before the counters."""
    level_at = printed_us if in_flight_us is None else in_flight_us
    discards = discards or []
    level = sum(io.start <= level_at < io.end for io in [*ios, *discards])
    out: list[int | None] = [0] * 17
    for first, is_read in ((0, True), (4, False)):
        done = [io.latency for io in ios if io.is_read == is_read and io.end <= printed_us]
        out[first], out[first + 2], out[first + 3] = len(done), 8 * len(done), sum(done) // 1000
    out[8] = level
    over = [io.latency for io in discards if io.end <= printed_us]
    out[11], out[13], out[14] = len(over), 2048 * len(over), sum(over) // 1000
    return tuple(out)


@st.composite
def traces(draw: st.DrawFn, reads_only: bool = False) -> list[Io]:
    """Up to some dozen I/Os in about half a second, of all sizes of latency, some of them side by side."""
    start = st.integers(1, 400_000)
    latency = st.one_of(st.integers(50, 3_000), st.integers(4_000, 30_000), st.integers(30_000, 250_000))
    direction = st.just(True) if reads_only else st.booleans()
    ios = draw(st.lists(st.builds(Io, start, latency, direction), min_size=1, max_size=40))
    if draw(st.booleans()):
        at = draw(start)
        ios += draw(st.lists(st.builds(Io, st.integers(at, at + 300), latency, direction), max_size=25))
    return sorted(ios, key=lambda io: io.start)


@st.composite
def sample_times(draw: st.DrawFn) -> list[int]:
    """When samples are taken (µs): some cadence, small delays, now and then 100 ms late."""
    cadence = draw(st.sampled_from([5_000, 10_000, 20_000, 100_000]))
    late = st.one_of(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300), st.integers(2_000, 100_000))
    now, times = 0, [0]
    while now < 700_000:
        now += cadence + draw(late)
        times.append(now)
    return times
