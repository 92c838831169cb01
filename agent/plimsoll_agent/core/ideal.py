"""Which arrivals does the promise cover? An ideal disk of the contract runs beside the real one (design semantics §4).

The ideal disk works off the contracted rate and never lags behind the real one: its backlog is at most what the
real disk has in flight. An I/O is covered if it arrives while that backlog is at most `depth`; the rest is excess.
From samples the backlog is known only between two bounds. Backlogs are kept in millionths of a unit.
"""

# The sampler pays for every call here, hundreds of times a second and term.
# ruff: noqa: PLR0912, PLR0915, PLR1730

from __future__ import annotations

MICRO = 1_000_000
NS = 1_000_000_000


class CoverBounds:
    """Proof of one term: how many arrivals must be, may be excess, and how many covered ones were slow.

    Per second: excess_lo, excess_hi (arrivals) and lo (slow completions that no order of completion can make
    excess). `held` is the most excess I/Os that can be in flight now (the frame's pool_start), `began` the same when
    the second began.
    """

    __slots__ = (
        "_believed",
        "_depth",
        "_discarding",
        "_rate",
        "_spent",
        "_taken_back",
        "began",
        "excess_hi",
        "excess_lo",
        "held",
        "least",
        "lo",
        "most",
    )

    def __init__(self, rate_micro: int, depth: int, believed: bool) -> None:
        """`believed`: in_flight counts every I/O. Where it does not, nothing bounds the backlog from above."""
        self._rate = rate_micro
        self._depth = depth * MICRO
        self._believed = believed
        self.restart(0, 1)

    def restart(self, in_flight: int, unit: int) -> None:
        """Begin afresh with so many I/Os in flight of unknown age: any of them may be excess."""
        self.most = in_flight * unit * MICRO
        self.least = 0
        self.held = in_flight
        self._discarding = False
        self._taken_back = 0
        self.close()

    def close(self) -> None:
        """Begin a new second.

        What slow completions used up of the pool is forgotten: the pool of excess I/Os restarts at all that can
        be in flight, so that the figures of every second hold by themselves and seconds can be added freely.
        """
        self._spent = self.began = self.held
        self.excess_lo = self.excess_hi = self.lo = 0

    def step(
        self,
        arrived: int,
        done: int,
        was: int,
        now: int,
        least_ns: int,
        most_ns: int,
        proved_slow: int,
        unit: int,
        extra: int,
        discards: int = 0,
        discarding: bool = False,
    ) -> None:
        """Take one sub-interval.

        I/Os: arrived, done, in flight before and now, newly proved slow; ns: what it lasted at least, at most;
        unit: the most units that one I/O here can be worth; extra: the most that all arrivals together can be worth
        over one each; discards: so many of those done; discarding: some of those that arrived may be.
        """
        depth = self._depth
        most = self.most
        weight = arrived * unit
        if weight > arrived + extra:
            weight = arrived + extra
        if not self._believed:
            surely = 0
        elif most + weight * MICRO <= depth:
            surely = arrived
        else:
            # The first k are worth k units and all that is extra at most, and k times the largest at most.
            room = (depth - most) // MICRO
            surely = room // unit
            if surely < room - extra:
                surely = room - extra
            if surely < 0:
                surely = 0
            elif surely > arrived:
                surely = arrived
        need = self._rate * most_ns // NS + 1
        least = self.least
        # The real disk's completions may have cut the backlog down to what was left in flight; that this lies below
        # zero where more ended than was in flight makes room for as many later arrivals.
        floor = (was - done) * MICRO
        if floor > least:
            floor = least
        # One more than fits: the I/O that arrives at a backlog of exactly `depth` is covered. And one more where
        # an I/O may have ended between the kernel's two figures of a sample, which shifts one arrival.
        possibly = (depth + need - floor) // MICRO + 2
        if possibly > arrived or not self._believed or discarding:
            # Where I/Os hide before the driver they may have come earlier, and evenly, than they show. And a discard
            # that must be excess says nothing of the reads and writes.
            possibly = arrived
        elif possibly < 0:
            possibly = 0
        excess = arrived - surely
        # Discards have arrived too, but of reads and writes no more than completed here or are in flight.
        others = done - discards + now
        if excess > others:
            excess = others
        self.excess_hi += excess
        if discarding and not self._discarding:
            # A train of discards shows when the first is done: all that wait may be discards, and of these none must
            # be excess, whatever was said of them when they came.
            self._taken_back += was
        self._discarding = discarding
        must = self.excess_lo + arrived - possibly - self._taken_back
        self._taken_back = 0 if must > 0 else -must
        self.excess_lo = must if must > 0 else 0

        most -= self._rate * least_ns // NS
        if most < 0:
            most = 0
        most += weight * MICRO
        level = now * unit * MICRO
        self.most = most if most < level or not self._believed else level
        least += arrived * MICRO
        level = now * MICRO
        if least > level:
            least = level
        least -= need
        self.least = least if least > 0 else 0

        spent = self._spent + excess
        used = spent if spent < proved_slow else proved_slow
        self.lo += proved_slow - used
        spent -= used
        held = self.held + excess
        if self._believed:
            if spent > now:
                spent = now
            if held > now:
                held = now
        self._spent = spent
        self.held = held
