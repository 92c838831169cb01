"""What would the tables hold, had the demonstration run for a month? Simulated spans as slots, hours and frames.

A span is simulated as a whole and written pool by pool: each pool's minutes are judged at once. What a disk's counters
stood at goes on from span to span (`Odometer`), so that nothing looks like a gap that was none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg

from sla.demo import copying, tables
from sla.demo.bodies import Raw, bodies
from sla.demo.cast import Cast
from sla.demo.odometer import SECTOR, Odometer
from sla.demo.sides import Side, sides, since
from sla.demo.story import scenario, silent_since
from sla.demo.tables import Cells, Judged
from sla.domain.contract import Contract
from sla.domain.evidence import UNKNOWN, Bools, Ints
from sla.fleet.vantage import Vantage
from sla.scoring.exclusions import Window, excluded_at
from sla.simulator import noise
from sla.simulator.host import beneath
from sla.simulator.latency import buckets
from sla.simulator.proof import Promises, label
from sla.simulator.run import run
from sla.simulator.slots import Minutes, minutes, score_minutes
from sla.simulator.trace import COUNTERS, Trace

MINUTE_S = 60
LABELLING, LABELLING_BENEATH = 77, 78  # streams of the simulator's generator
SOURCE_DISKSTATS = 1


@dataclass(slots=True)
class Fleet:
    """The cast as it stands in the database, all by disk number."""

    cast: Cast
    anchor: int
    disks: Ints  # ids
    boots: Ints  # of their machines
    hypervisors: Mapping[str, int]  # the boots of those that have an agent
    # Per disk (version, contract, from, until): in Unix seconds, whole days.
    terms: Sequence[Sequence[tuple[int, Contract, float, float]]]
    windows: Mapping[int, Sequence[Window]]
    silent: frozenset[int]

    def term_at(self, disk: int, moment: int) -> tuple[int, Contract]:
        """The version that judges a disk at a moment."""
        return next((term, one) for term, one, start, end in self.terms[disk] if start <= moment < end)

    @property
    def ids(self) -> list[int]:
        """All of them."""
        return [int(disk) for disk in self.disks]


@dataclass(frozen=True, slots=True)
class Part:
    """One pool's disks over a span, from one side: figures of their steps and what their minutes were worth."""

    numbers: Ints
    boots: Ints
    judged: Judged
    made: Minutes
    keep: Ints  # which of the minutes (flat, disk by disk) were observed
    counts: Mapping[str, Ints]
    labels: Mapping[str, Ints]
    base: Mapping[str, Ints]
    hists: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]


def parts(fleet: Fleet, odometer: Odometer, start: int, end: int, step_s: int, *, percentiles: bool) -> Iterator[Part]:
    """The span [start, end) (whole minutes of one day), pool by pool, and after each the same disks as their hosts saw
    them; the odometer goes on as they come."""
    seen = scenario(fleet.cast, fleet.anchor, start, end)
    trace = run(seen, start, (end - start) // step_s, step_s)
    hosted = sides(fleet.cast)
    first = 0
    for index, pool in enumerate(fleet.cast.pools):
        numbers = np.arange(first, first + len(pool.tenants))
        first += len(pool.tenants)
        counts = {name: getattr(trace, name)[numbers] for name in COUNTERS}
        observed = trace.observed[numbers] & ~_silent(fleet, numbers, trace)
        stream = (LABELLING, index)
        guests = Steps(numbers, Vantage.GUEST, fleet.boots[numbers], counts, observed, stream)
        yield _part(fleet, odometer, trace, guests, percentiles)
        beneath_it = [hosted[number] for number in numbers.tolist() if number in hosted]
        if beneath_it and end > since(fleet.anchor):
            yield _part(fleet, odometer, trace, _beneath(fleet, trace, beneath_it, index), percentiles)


@dataclass(frozen=True, slots=True)
class Steps:
    """What one side saw of K disks of a pool: their numbers and boots (K,), counters and observed (K, S); stream: of
    the labels."""

    numbers: Ints
    vantage: Vantage
    boots: Ints
    counts: Mapping[str, Ints]
    observed: Bools
    stream: tuple[int, int]


def _beneath(fleet: Fleet, trace: Trace, hosted: Sequence[Side], index: int) -> Steps:
    """The same steps from the hosts' side, from when on their agents are there."""
    there = trace.times >= since(fleet.anchor)
    each = [
        beneath({name: getattr(trace, name)[side.member.number] for name in COUNTERS}, side.between) for side in hosted
    ]
    return Steps(
        np.array([side.member.number for side in hosted], np.int64),
        Vantage.HOST,
        np.array([fleet.hypervisors[side.member.host] for side in hosted], np.int64),
        {name: np.stack([one[name] for one in each]) * there for name in COUNTERS},
        np.stack([side.observed(trace.times) for side in hosted]) & there,
        (LABELLING_BENEATH, index),
    )


def _part(fleet: Fleet, odometer: Odometer, trace: Trace, steps: Steps, percentiles: bool) -> Part:
    numbers, counts = steps.numbers, steps.counts
    ruling = [fleet.term_at(number, trace.start) for number in numbers.tolist()]
    accounted = [fleet.cast.members[number].accounted for number in numbers.tolist()]
    rng = noise.generator(fleet.cast.seed, *steps.stream, trace.start // MINUTE_S)
    promises = Promises.of([contract.term(term) for term, contract in ruling], accounted)
    labels = label(counts, promises, trace.step_s, rng)
    rows = numbers + (len(fleet.disks) if steps.vantage == Vantage.HOST else 0)
    before, seen = odometer.stands(rows), odometer.seen(rows)
    made = minutes(counts, labels, steps.observed, MINUTE_S // trace.step_s, before, seen)
    base = odometer.move_on(rows, made)
    size = made.observed.shape[1]
    starts = trace.start + MINUTE_S * np.arange(size, dtype=np.int64)
    ids = fleet.disks[numbers]
    excluded = np.stack([_excluded(fleet.windows.get(disk, ()), starts) for disk in ids.tolist()])
    flat = {name: values.reshape(-1) for name, values in made.sums.items()}
    waiting = flat["queue_ms"] / (1_000.0 * MINUTE_S)
    hists = tuple(buckets(flat[f"{side}_ios"], flat[f"{side}_ms"], waiting) for side in ("read", "write"))
    cells = Cells(*(np.concatenate((hists[0][at], hists[1][at]), axis=1) for at in (0, 1)))
    count = len(flat["read_ios"])
    shares = cells.percentiles_us((50, 95, 99)) if percentiles else np.full((count, 3), UNKNOWN)
    slots = score_minutes(
        made, [contract for _, contract in ruling], excluded, steps.boots, np.zeros((count, 0), np.int64),
        (shares[:, 0], shares[:, 1], shares[:, 2]), trace.step_s,
    )  # fmt: skip
    keep = np.flatnonzero(made.observed.reshape(-1))
    judged = Judged(
        vantage=steps.vantage,
        disk=np.repeat(ids, size)[keep],
        start=np.tile(starts, len(ruling))[keep],
        term=np.repeat(np.array([term for term, _ in ruling], np.int64), size)[keep],
        excluded=excluded.reshape(-1)[keep],
        slots=tables.taken(slots, keep),
        cells=Cells(cells.bucket[keep], cells.count[keep]),
    )
    return Part(numbers, steps.boots, judged, made, keep, counts, labels, base, (hists[0], hists[1]))


def _silent(fleet: Fleet, numbers: Ints, trace: Trace) -> np.ndarray:
    """Where an agent has fallen silent for good."""
    gone = np.array([number in fleet.silent for number in numbers.tolist()])[:, None]
    return np.asarray(gone & (trace.times >= silent_since(fleet.anchor)))


def _excluded(windows: Sequence[Window], starts: Ints) -> np.ndarray:
    if not any(
        window.excludes and window.start < starts[-1] + MINUTE_S and starts[0] < window.end for window in windows
    ):
        return np.zeros(len(starts), bool)
    return np.array([excluded_at(windows, int(start)) for start in starts])


def put_hours(cursor: "psycopg.Cursor[tuple]", part: Part) -> int:
    """The hours of a span of whole hours."""
    return tables.put_roll_ups(cursor, part.judged)


def put_slots(cursor: "psycopg.Cursor[tuple]", part: Part) -> int:
    """Its slots."""
    judged = part.judged
    rows = np.arange(len(judged))
    return tables.put_slots(cursor, judged, tables.packed(judged.cells.table(rows, len(judged))))


def put_frames(cursor: "psycopg.Cursor[tuple]", part: Part, fleet: Fleet, step_s: int) -> int:
    """Its frames: one a minute, of steps of step_s seconds, as their agents would have sent them."""
    keep, n = part.keep, MINUTE_S // step_s
    if not len(keep):
        return 0
    disks, minutes_each = part.made.observed.shape

    def steps(values: Ints) -> Ints:
        return np.asarray(values.reshape(disks * minutes_each, n)[keep])

    columns = {name: steps(part.counts[name]) for name in COUNTERS if not name.endswith("bytes")}
    columns |= {f"{side}_sectors": steps(part.counts[f"{side}_bytes"]) // SECTOR for side in ("read", "write")}
    columns |= {name: steps(values) for name, values in part.labels.items()}
    columns["in_flight_ms"] = columns["queue_ms"]
    place = keep // minutes_each
    owner = part.numbers[place]
    ruling = {number: fleet.term_at(number, int(part.judged.start[0])) for number in set(owner.tolist())}
    raw = Raw(
        columns=columns,
        base={
            name: values.reshape(-1)[keep] % (1 << 32) if name.endswith("_ms") else values.reshape(-1)[keep]
            for name, values in part.base.items()
        },
        hists=((part.hists[0][0][keep], part.hists[0][1][keep]), (part.hists[1][0][keep], part.hists[1][1][keep])),
        accounted=[fleet.cast.members[number].accounted for number in owner.tolist()],
        term=[ruling[number][0] for number in owner.tolist()],
        contract=[ruling[number][1] for number in owner.tolist()],
    )
    rows = len(keep)
    return copying.put(
        cursor,
        "telemetry_frame",
        {
            "disk_id": part.judged.disk,
            "vantage": np.full(rows, part.judged.vantage),
            "start": part.judged.start,
            "step_s": np.full(rows, step_s),
            "n": np.full(rows, n),
            "source": np.full(rows, SOURCE_DISKSTATS),
            "boot": part.boots[place],
            "received_at": part.judged.start + MINUTE_S + 1,
            "body": bodies(raw),
        },
    )
