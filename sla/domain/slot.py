"""What was a minute worth? Frames of any number of slots, contracts and exclusions → one row a slot (semantics §5).

Pure: the same frames give the same slots, in whatever order, however often and wherever they were cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM, Condition, Contract
from sla.domain.evidence import EBPF, IMPORT, MINUTE_S, QMP, UNKNOWN, WRAP_MS, Bools, Evidence, Ints, known
from sla.domain.histogram import dense, percentiles_us
from sla.domain.label import label
from sla.domain.seconds import Steps, steps_of
from sla.domain.states import Case, Grade, Reason, State

FINE_BELOW_MS = 1_000
SECTOR_BYTES = 512
# A figure of a minute stays below 2^31 (35 million IOPS): what a foreign agent claims beyond it is cut, not overflowed.
MOST = 2**31 - 1
NOBODY_READ_IT = 1 << 40  # stands for an unknown in_flight where more in flight proves less


@dataclass(frozen=True, slots=True)
class Slots:
    """S slots as columns of shape (S,), int64 but for the flags; UNKNOWN where nobody knows. Units are in the names.

    `first_*`, `last_*`: cumulative reads + writes and their ms (modulo 2^32) where the slot's frames begin and end, so
    that what happened between two slots can be told; `inner_gap_*`: between frames of the slot. `hist`: (S, BUCKETS).
    """

    observed_s: Ints
    read_ios: Ints
    write_ios: Ints
    read_bytes: Ints
    write_bytes: Ints
    read_ms: Ints
    write_ms: Ints
    queue_ms: Ints
    in_flight: Ints
    eligible_low: Ints
    eligible: Ints
    eligible_high: Ints
    slow_low: Ints
    slow: Ints
    slow_high: Ints
    lost_ms: Ints
    state: Ints
    proved: Bools
    reason: Ints
    grade: Ints
    fine_ms: Ints
    p50_us: Ints
    p95_us: Ints
    p99_us: Ints
    first_boot: Ints
    first_ios: Ints
    first_ms: Ints
    last_boot: Ints
    last_ios: Ints
    last_ms: Ints
    inner_gap_ios: Ints
    inner_gap_ms: Ints
    hist: Ints

    @property
    def ios(self) -> Ints:
        """Completed reads + writes."""
        return self.read_ios + self.write_ios

    @property
    def excess(self) -> Ints:
        """Completions that the promise did not cover, by estimate."""
        return self.ios - self.eligible

    def row(self, index: int) -> dict[str, int]:
        """One slot as plain integers; UNKNOWN stays UNKNOWN, `hist` is left out."""
        return {f.name: int(getattr(self, f.name)[index]) for f in fields(self) if f.name != "hist"}


def score(
    evidence: Evidence,
    contracts: Sequence[Contract | None],
    *,
    term_ids: Sequence[int] | None = None,
    excluded: Bools | None = None,
) -> Slots:
    """The slots of all frames. `contracts`, `term_ids`, `excluded`: one for each slot (S); every slot has a frame.

    `excluded`: the minute lies in a maintenance window that takes its time out of the SLA; its figures stay.
    """
    slots = len(contracts)
    ids = term_ids if term_ids is not None else [0] * slots
    cut = excluded if excluded is not None else np.zeros(slots, bool)
    terms = [c.term(i) if c is not None else None for c, i in zip(contracts, ids, strict=True)]
    evidence = label(evidence.in_order(), terms)
    return slots_of(evidence, steps_of(evidence), contracts, cut)


def slots_of(e: Evidence, steps: Steps, contracts: Sequence[Contract | None], excluded: Bools) -> Slots:
    """The slots of frames that are in order and labelled, and of their steps."""
    starts = np.flatnonzero(np.diff(e.slot, prepend=-1))
    ends = np.append(starts[1:], e.frames) - 1

    def total(per_frame: Ints) -> Ints:
        return np.asarray(np.add.reduceat(per_frame, starts), np.int64)

    def column(name: str) -> Ints:
        return np.minimum(total(np.where(steps.observed, known(e.columns[name]), 0).sum(axis=1)), MOST)

    observed_s = total(steps.observed.sum(axis=1) * e.step_s)
    read_ios, write_ios = column("read_ios"), column("write_ios")
    ios = np.minimum(read_ios + write_ios, MOST)
    pools, left_waiting = run_ends(e, steps)
    low = np.maximum(0, ios - total(pools) - total(steps.excess_high.sum(axis=1)))
    high = ios - np.clip(total(steps.excess_low.sum(axis=1)) - total(left_waiting), 0, ios)
    covered = np.clip(total(steps.covered.sum(axis=1)), low, high)
    slow_low = np.minimum(total(steps.slow_low.sum(axis=1)), high)
    slow_high = np.clip(total(steps.slow_high.sum(axis=1)), slow_low, np.maximum(high, slow_low))
    slow = np.clip(total(steps.slow.sum(axis=1)), slow_low, slow_high)
    lost_ms = np.minimum(total(steps.lost_ms.sum(axis=1)), observed_s * 1000)
    read_bytes, write_bytes = (column(f"{side}_sectors") * SECTOR_BYTES for side in ("read", "write"))
    reason = outside(contracts, read_ios, ios, read_bytes + write_bytes, observed_s)
    stalled = (steps.case == Case.STALLED).sum(axis=1) * e.step_s
    reason = np.where((reason == Reason.NONE) & (total(stalled) >= MINUTE_S), Reason.UNAVAILABLE, reason)
    inside = (reason == Reason.NONE) | (reason == Reason.UNAVAILABLE)
    low, covered, high, slow_low, slow, slow_high = (
        np.where(inside, values, 0) for values in (low, covered, high, slow_low, slow, slow_high)
    )
    waiting = total(np.where(steps.observed, known(steps.in_flight), 0).sum(axis=1))
    hist = dense(np.column_stack((e.slot[e.cells[:, 0]], e.cells[:, 1:])), len(starts))
    p50, p95, p99 = percentiles_us(hist, (50, 95, 99)).T
    gap_ios, gap_ms, last_ios, last_ms = _chain(e, steps, starts, ends)
    slow_ppm = np.array([c.slow_ppm if c is not None else 0 for c in contracts], np.int64)
    state, proved = judge(
        slow_ppm, excluded, observed_s, ios, waiting, lost_ms, (low, covered, high), (slow_low, slow, slow_high)
    )
    return Slots(
        observed_s=observed_s,
        read_ios=read_ios,
        write_ios=write_ios,
        read_bytes=read_bytes,
        write_bytes=write_bytes,
        read_ms=column("read_ms"),
        write_ms=column("write_ms"),
        queue_ms=_queue_ms(e, steps, total),
        in_flight=np.minimum(known(_last_in_flight(e, steps))[ends], MOST),
        eligible_low=low,
        eligible=covered,
        eligible_high=high,
        slow_low=slow_low,
        slow=slow,
        slow_high=slow_high,
        lost_ms=lost_ms,
        state=state,
        proved=proved,
        reason=reason,
        grade=np.maximum.reduceat(_grade(e, steps), starts),
        fine_ms=np.minimum(np.maximum.reduceat(_coarsest(e, steps), starts), MOST),
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        first_boot=e.boot[starts],
        first_ios=e.base_ios[starts],
        first_ms=e.base_ms[starts],
        last_boot=e.boot[ends],
        last_ios=last_ios,
        last_ms=last_ms,
        inner_gap_ios=gap_ios,
        inner_gap_ms=gap_ms,
        hist=hist,
    )


def judge(
    slow_ppm: Ints,
    excluded: Bools,
    observed_s: Ints,
    ios: Ints,
    waiting: Ints,
    lost_ms: Ints,
    eligible: tuple[Ints, Ints, Ints],
    slow: tuple[Ints, Ints, Ints],
) -> tuple[Ints, Bools]:
    """State and proof of slots, first that fits (semantics §5). All (S,); `eligible`, `slow`: low, estimate, high."""
    lost = lost_ms * PPM > slow_ppm * observed_s * 1000
    breached = (slow[1] * PPM > slow_ppm * eligible[1]) | lost
    states = [
        excluded,
        observed_s * 2 < MINUTE_S,
        (ios == 0) & (waiting == 0) & (lost_ms == 0),
        breached,
        eligible[1] * PPM < EXCUSED_BELOW_PPM * ios,
    ]
    state = np.select(
        states, [State.MAINTENANCE, State.NO_DATA, State.IDLE, State.BREACHED, State.EXCUSED], State.MET
    ).astype(np.int64)
    proved = np.ones(len(ios), bool)
    for which, proof in (
        (State.BREACHED, (slow[0] * PPM > slow_ppm * eligible[2]) | lost),
        (State.MET, (slow[2] * PPM <= slow_ppm * eligible[0]) & ~lost),
        (State.EXCUSED, eligible[2] * PPM < EXCUSED_BELOW_PPM * ios),
    ):
        proved = np.where(state == which, proof, proved)
    return state, proved


def outside(contracts: Sequence[Contract | None], reads: Ints, ios: Ints, size: Ints, observed_s: Ints) -> Ints:
    """The Reason for which a slot is excess as a whole, or NONE: no contract, or outside one of its conditions."""
    reason = np.full(len(ios), Reason.NONE, np.int64)
    for index, contract in enumerate(contracts):
        if contract is None:
            reason[index] = Reason.NO_CONTRACT
        elif contract.conditions:
            figures = (int(reads[index]), int(ios[index]), int(size[index]), int(observed_s[index]))
            broken = [r for item in contract.conditions if (r := _broken(item, *figures)) is not None]
            reason[index] = broken[0] if broken else Reason.NONE
    return reason


def _broken(item: Condition, reads: int, ios: int, size: int, observed_s: int) -> Reason | None:
    """Which condition a slot is outside of; shares and sizes of no I/O at all are nobody's fault."""
    left, right, reason = {
        "reads": (reads * PPM, item.value * ios, Reason.READS_OUTSIDE),
        "blocks": (size, item.value * ios, Reason.BLOCKS_OUTSIDE),
        "load": (ios, item.value * observed_s, Reason.LOAD_OUTSIDE),
    }[item.what]
    kept = left >= right if item.op == ">=" else left <= right
    return None if kept else reason


def run_ends(e: Evidence, steps: Steps) -> tuple[Ints, Ints]:
    """Per frame: what may have been excess before its runs began, and what was in flight when they ended.

    A run is time without a hole. Where a frame goes on from the one before (same slot and boot, nothing unobserved
    between), its pool is counted among that one's excess already. After a hole nothing is known of what waited: all
    that the next step completed or left waiting may be excess.
    """
    seen = steps.observed
    inside = np.arange(seen.shape[1]) < e.n[:, None]
    last = e.n - 1
    rows = np.arange(e.frames)
    end_s = e.offset_s + e.step_s * e.n
    goes_on = np.zeros(e.frames, bool)  # from the frame before
    goes_on[1:] = (
        (e.slot[1:] == e.slot[:-1])
        & (e.boot[1:] == e.boot[:-1])
        & (e.offset_s[1:] == end_s[:-1])
        & (e.labelled[1:] == e.labelled[:-1])
        & seen[rows[:-1], last[:-1]]
        & seen[1:, 0]
    )
    before = np.zeros_like(seen)
    before[:, 1:] = seen[:, :-1]
    begins = seen & ~before
    begins[:, 0] &= ~goes_on
    level = np.where(steps.in_flight == UNKNOWN, NOBODY_READ_IT, steps.in_flight)
    after_hole = np.where(begins, steps.ios + known(steps.in_flight), 0)
    after_hole[:, 0] = 0
    pools = np.where(begins[:, 0], e.pool_start, 0) + after_hole.sum(axis=1)
    following = np.zeros_like(seen)
    following[:, :-1] = seen[:, 1:] & inside[:, 1:]
    stops = seen & ~following
    stops[rows[:-1], last[:-1]] &= ~goes_on[1:]
    return pools, np.where(stops, level, 0).sum(axis=1)


def _grade(e: Evidence, steps: Steps) -> Ints:
    """A: an exact source counted; B: bounds from samples finer than a second; C: coarser, or not known how fine."""
    fine = e.labelled & (e.source != IMPORT) & (_coarsest(e, steps) < FINE_BELOW_MS) & (_coarsest(e, steps) > 0)
    exact = np.isin(e.source, (EBPF, QMP)) & (steps.slow_low == steps.slow_high).all(axis=1)
    return np.where(exact, Grade.A, np.where(fine, Grade.B, Grade.C)).astype(np.int64)


def _coarsest(e: Evidence, steps: Steps) -> Ints:
    """Per frame the coarsest cadence used, in ms; 0 where nobody says."""
    return np.asarray(np.where(steps.observed, known(e.columns["fine_ms"]), 0).max(axis=1), np.int64)


def _queue_ms(e: Evidence, steps: Steps, total: Callable[[Ints], Ints]) -> Ints:
    """Request-milliseconds: the kernel's weighted time, else the integral of in_flight, else the summed times (§10)."""
    column = e.columns
    best = np.where(
        column["queue_ms"] != UNKNOWN,
        column["queue_ms"],
        np.where(
            column["in_flight_ms"] != UNKNOWN,
            column["in_flight_ms"],
            known(column["read_ms"]) + known(column["write_ms"]),
        ),
    )
    return np.asarray(np.minimum(total(np.where(steps.observed, best, 0).sum(axis=1)), MOST), np.int64)


def _last_in_flight(e: Evidence, steps: Steps) -> Ints:
    """In flight at each frame's end."""
    return steps.in_flight[np.arange(e.frames), e.n - 1]


def _chain(e: Evidence, steps: Steps, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Gap I/Os and ms between frames of a slot, and the cumulative counters where its last frame ends."""
    ms = np.where(steps.observed, known(e.columns["read_ms"]) + known(e.columns["write_ms"]), 0).sum(axis=1)
    end_ios = np.where(e.base_ios == UNKNOWN, UNKNOWN, e.base_ios + steps.ios.sum(axis=1))
    end_ms = np.where(e.base_ms == UNKNOWN, UNKNOWN, (e.base_ms + ms) % WRAP_MS)
    ios, time = np.zeros(e.frames, np.int64), np.zeros(e.frames, np.int64)
    same = (e.slot[1:] == e.slot[:-1]) & (e.boot[1:] == e.boot[:-1])
    got_ios, got_ms = gap(end_ios[:-1], end_ms[:-1], e.base_ios[1:], e.base_ms[1:])
    ios[1:], time[1:] = np.where(same, known(got_ios), 0), np.where(same, known(got_ms), 0)
    return np.add.reduceat(ios, starts), np.add.reduceat(time, starts), end_ios[ends], end_ms[ends]


def gap(last_ios: Ints, last_ms: Ints, next_ios: Ints, next_ms: Ints) -> tuple[Ints, Ints]:
    """I/Os and ms that nobody saw between two frames of one boot: the next base less where the last one ended.

    UNKNOWN where either is, or where the counters went back (a reset: trap 2); the ms wrap at 2^32 (trap 1).
    """
    ios = next_ios - last_ios
    good = (last_ios != UNKNOWN) & (next_ios != UNKNOWN) & (ios >= 0)
    timed = good & (last_ms != UNKNOWN) & (next_ms != UNKNOWN)
    return np.where(good, ios, UNKNOWN), np.where(timed, (next_ms - last_ms) % WRAP_MS, UNKNOWN)
