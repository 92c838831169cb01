"""What would an observer of every single I/O say: how many were covered, and how many of these were slow?

The exact ideal disk of design semantics §4: a backlog that is worked off at the contracted rate, never more than what
the real disk has in flight; an I/O is covered if it arrives while the backlog is at most `depth`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.simdisk import US_PER_S, Trace
from plimsoll_agent.core.terms import Term


@dataclass(frozen=True, slots=True)
class Exact:
    """Completions of the trace up to `until_us`: all, slow, covered, covered and slow."""

    ios: int
    slow: int
    covered: int
    covered_slow: int


class Observer:
    """Follows every I/O of a trace through the ideal disk once; then counts for any window."""

    def __init__(self, trace: Trace, term: Term) -> None:
        self._trace = trace
        self._threshold_us = term.read_threshold_us
        self._covered = _labels(trace, term)

    def between(self, start_us: int, stop_us: int) -> Exact:
        """What completed after `start_us`, up to `stop_us`."""
        ios = slow = covered = covered_slow = 0
        for number, ended in enumerate(self._trace.ended):
            if start_us < ended <= stop_us:
                late = ended - self._trace.arrived[number] >= self._threshold_us
                ios += 1
                slow += late
                covered += self._covered[number]
                covered_slow += late and self._covered[number]
        return Exact(ios, slow, covered, covered_slow)


def _labels(trace: Trace, term: Term) -> bytearray:
    """1 for each I/O that arrives at a backlog of at most `depth`, in order of arrival."""
    rate = term.rate_micro / 1_000_000 / US_PER_S
    largest = max(1, -(-max(trace.size, default=0) // term.io_unit_bytes))
    events = [(moment, 1, number) for number, moment in enumerate(trace.arrived)]
    events += [(moment, 0, number) for number, moment in enumerate(trace.ended)]
    events.sort()
    backlog, last, in_flight = 0.0, 0, 0
    covered = bytearray(len(trace.arrived))
    for moment, arrival, number in events:
        backlog = max(0.0, backlog - (moment - last) * rate)
        last = moment
        if arrival:
            covered[number] = backlog <= term.depth
            in_flight += 1
            backlog += max(1, -(-trace.size[number] // term.io_unit_bytes))
        else:
            in_flight -= 1
            # The ideal disk never lags behind the real one; large I/Os count with the largest size there is.
            backlog = min(backlog, in_flight * largest)
    return covered
