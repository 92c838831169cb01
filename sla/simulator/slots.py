"""What are simulated steps worth as slots? The judge of `sla.domain.slot` over minutes of many disks at once.

For steps that fill their minutes (frames of 60/step_s steps): the sums that the domain makes frame by frame, made here
for whole days of a fleet. A test holds it equal to scoring the same steps as frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sla.domain.contract import Contract
from sla.domain.evidence import MINUTE_S, WRAP_MS
from sla.domain.slot import Slots, judge, outside
from sla.domain.states import Grade, Reason
from sla.simulator.noise import Ints
from sla.simulator.trace import Bools

FINE_BELOW_MS = 1_000
BUCKETS, BELOW = 282, -1


@dataclass(frozen=True, slots=True)
class Minutes:
    """Sums of steps over minutes, (D, M) each; `observed` (D, M): all of the minute or nothing of it."""

    sums: Mapping[str, Ints]
    first_level: Ints  # in flight when the minute began
    last_level: Ints
    fine_ms: Ints
    observed: Bools
    first_ios: Ints  # cumulative where the minute begins
    first_ms: Ints
    seen_ios: Ints  # (D,): where the last observed minute before these ended
    seen_ms: Ints


def minutes(
    counts: Mapping[str, Ints],
    labels: Mapping[str, Ints],
    observed: Bools,
    per_minute: int,
    before: tuple[Ints, Ints, Ints],
    seen: tuple[Ints, Ints],
) -> Minutes:
    """Steps (D, S) to minutes, S being a multiple of per_minute.

    before: what each disk (D,) had completed when the steps began, its time in ms, and what was in flight then.
    seen: what it had completed when it was last observed, and its time.
    """
    disks = len(observed)

    def by_minute(values: Ints) -> Ints:
        return values.reshape(disks, -1, per_minute)

    sums = {name: by_minute(values).sum(axis=2) for name, values in {**counts, **labels}.items()}
    ios, ms, level = before
    done = sums["read_ios"] + sums["write_ios"]
    spent = sums["read_ms"] + sums["write_ms"]
    last = by_minute(counts["in_flight"])[:, :, -1]
    return Minutes(
        sums=sums,
        first_level=np.concatenate((level[:, None], last[:, :-1]), axis=1),
        last_level=last,
        fine_ms=by_minute(labels["fine_ms"]).max(axis=2),
        observed=np.asarray(by_minute(observed.astype(np.int64)).all(axis=2)),
        first_ios=ios[:, None] + np.cumsum(done, axis=1) - done,
        first_ms=ms[:, None] + np.cumsum(spent, axis=1) - spent,
        seen_ios=seen[0],
        seen_ms=seen[1],
    )


def score_minutes(
    made: Minutes,
    contracts: Sequence[Contract],
    excluded: Bools,
    boots: Ints,
    hist: Ints,
    percentiles: tuple[Ints, Ints, Ints],
    step_s: int,
) -> Slots:
    """Slots of all minutes, disk by disk, (D·M,); those not observed are there too, to be left out by the caller.

    contracts (D): of each disk. hist (D·M, BUCKETS), or (D·M, 0) where nobody wants it, with its percentiles in µs.
    """
    get = {name: values.reshape(-1) for name, values in made.sums.items()}
    size = made.observed.shape[1]
    ios = get["read_ios"] + get["write_ios"]
    low = np.maximum(0, ios - made.first_level.reshape(-1) - get["excess_hi"])
    left = made.last_level.reshape(-1)
    high = ios - np.clip(get["excess_lo"] - left, 0, ios)
    covered = np.clip(get["covered_est"], low, high)
    slow_low = np.minimum(get["read_lo"] + get["write_lo"], high)
    slow_high = np.clip(get["read_hi"] + get["write_hi"], slow_low, np.maximum(high, slow_low))
    slow = np.clip(get["read_est"] + get["write_est"], slow_low, slow_high)
    seen = np.full(len(ios), MINUTE_S, np.int64)
    lost = np.minimum(get["lost_ms"], seen * 1000)
    reason = np.full(len(ios), Reason.NONE, np.int64)
    for row, contract in enumerate(contracts):
        if contract.conditions:
            mine = slice(row * size, (row + 1) * size)
            volume = get["read_bytes"][mine] + get["write_bytes"][mine]
            reason[mine] = outside([contract] * size, get["read_ios"][mine], ios[mine], volume, seen[mine])
    inside = reason == Reason.NONE
    low, covered, high, slow_low, slow, slow_high = (
        np.where(inside, values, 0) for values in (low, covered, high, slow_low, slow, slow_high)
    )
    slow_ppm = np.repeat(np.array([contract.slow_ppm for contract in contracts], np.int64), size)
    state, proved = judge(
        slow_ppm, excluded.reshape(-1), seen, ios, get["in_flight"], lost, (low, covered, high),
        (slow_low, slow, slow_high),
    )  # fmt: skip
    fine = made.fine_ms.reshape(-1)
    last_ios, last_ms, gap_ios, gap_ms = _chain(made)
    return Slots(
        observed_s=seen,
        **{name: get[name] for name in ("read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms")},
        queue_ms=get["queue_ms"],
        in_flight=left,
        eligible_low=low,
        eligible=covered,
        eligible_high=high,
        slow_low=slow_low,
        slow=slow,
        slow_high=slow_high,
        lost_ms=lost,
        state=state,
        proved=proved,
        reason=reason,
        grade=np.where(fine < FINE_BELOW_MS, Grade.B, Grade.C).astype(np.int64),
        fine_ms=fine,
        p50_us=percentiles[0],
        p95_us=percentiles[1],
        p99_us=percentiles[2],
        first_boot=np.repeat(boots, size),
        first_ios=made.first_ios.reshape(-1),
        first_ms=made.first_ms.reshape(-1) % WRAP_MS,
        last_boot=np.repeat(boots, size),
        last_ios=last_ios,
        last_ms=last_ms,
        inner_gap_ios=gap_ios,
        inner_gap_ms=gap_ms,
        hist=hist,
    )


def _chain(made: Minutes) -> tuple[Ints, Ints, Ints, Ints]:
    """Counters where each minute ends, and what no frame saw since the observed minute before it."""
    done = made.sums["read_ios"] + made.sums["write_ios"]
    spent = made.sums["read_ms"] + made.sums["write_ms"]
    out = []
    for first, each, seen in ((made.first_ios, done, made.seen_ios), (made.first_ms, spent, made.seen_ms)):
        # Counters only grow: of all that were seen before a minute, the largest is the last.
        known = np.where(made.observed, first + each, 0)
        before = np.maximum.accumulate(np.concatenate((seen[:, None], known[:, :-1]), axis=1), axis=1)
        out.append(np.where(made.observed, first - before, 0).reshape(-1))
    ends = ((made.first_ios + done).reshape(-1), (made.first_ms + spent).reshape(-1) % WRAP_MS)
    return *ends, out[0], out[1]
