"""What would a good agent have proved of these steps? Its counts for a contract term, made from the steps' figures.

A cheap construction for histories, where replaying every sample of every disk through the agent's meter is too dear
(live traffic and tests do just that, see `sla.simulator.fine`). It follows the rules of the bounds (semantics §3 and
§4): no more slow I/Os than the summed time can hold (Markov), excess where the customer queues beyond the depth and
beyond the rate, lost time where the disk delivers too little, 0 <= lo <= est <= hi <= I/Os. What it makes up is how
close such an agent comes: PROVED of the slow I/Os, LEAK beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plimsoll_agent.core.terms import PPM, Term
from sla.simulator.demand import column
from sla.simulator.latency import slow_share
from sla.simulator.noise import Floats, Ints

PROVED, PROVED_BY_DRIVER = 0.88, 0.45  # of the slow ones, where in_flight proves ages, and where it does not
LEAK = 0.12
ALL_SLOW = 0.5  # short delivery counts where at least so many are slow
CADENCES_MS = (100, 20, 10)
LABELS = (
    *("read_lo", "read_est", "read_hi", "write_lo", "write_est", "write_hi"),
    *("covered_est", "excess_lo", "excess_hi", "lost_ms", "fine_ms"),
)


@dataclass(frozen=True, slots=True)
class Promises:
    """The terms of D disks as columns (D, 1); `accounted`: does the kernel's in_flight prove anything?"""

    read_ms: Floats
    write_ms: Floats
    iops: Floats
    rate: Floats
    depth: Floats
    unit_bytes: Floats
    accounted: Floats

    @classmethod
    def of(cls, terms: list[Term], accounted: list[bool]) -> Promises:
        """One term a disk."""
        return cls(
            read_ms=column([term.read_threshold_us / 1_000 for term in terms]),
            write_ms=column([term.write_threshold_us / 1_000 for term in terms]),
            iops=column([term.iops for term in terms]),
            rate=column([term.iops * (PPM - term.tolerance_ppm) / PPM for term in terms]),
            depth=column([term.depth for term in terms]),
            unit_bytes=column([term.io_unit_bytes for term in terms]),
            accounted=column([float(one) for one in accounted]),
        )


def label(counts: Mapping[str, Ints], promises: Promises, step_s: int, rng: np.random.Generator) -> dict[str, Ints]:
    """LABELS of steps, (D, S) each. counts: the trace's counters, (D, S)."""
    ios = counts["read_ios"] + counts["write_ios"]
    size = counts["read_bytes"] + counts["write_bytes"]
    units = np.maximum(ios, -(-size // promises.unit_bytes.astype(np.int64)))
    weight = units / np.maximum(ios, 1)
    asked = units / step_s
    waiting = weight * counts["queue_ms"] / (1_000.0 * step_s)
    over = (waiting > promises.depth) & (asked > promises.rate)
    covered = np.where(over, 0.0, np.minimum(1.0, promises.iops / np.maximum(asked, 1e-9)))
    covered_ios = np.floor(ios * covered).astype(np.int64)
    fine = cadence(asked, waiting, promises.depth)
    a_sample = asked * fine / 1_000.0
    doubtful = np.clip((2.0 * a_sample + waiting - promises.depth) / np.maximum(a_sample, 1e-9), 0.0, 1.0)
    excess_lo = np.floor(0.9 * (ios - covered_ios)).astype(np.int64)
    excess_hi = np.maximum(np.ceil(ios * np.maximum(doubtful, 1.0 - covered)).astype(np.int64), excess_lo)
    proved = np.where(promises.accounted > 0, PROVED, PROVED_BY_DRIVER) * (1.0 - doubtful)
    out = {"covered_est": covered_ios, "excess_lo": excess_lo, "excess_hi": excess_hi, "fine_ms": fine}
    mostly = np.zeros(ios.shape)
    for side, limit_ms in (("read", promises.read_ms), ("write", promises.write_ms)):
        count, time = counts[f"{side}_ios"], counts[f"{side}_ms"]
        mean = time / np.maximum(count, 1)
        share = np.where(count > 0, slow_share(np.maximum(mean, 1e-3), limit_ms), 0.0)
        most = np.minimum(count, np.maximum(np.ceil((time + 1) / limit_ms).astype(np.int64) - 1, 0))
        slow = np.minimum(rng.poisson(count * share), most)
        leak = mean / limit_ms * np.minimum(1.0, a_sample * mean / limit_ms) ** 2
        # Rounded by chance: rounding up would add an I/O to every step, however few there are.
        beside = np.floor(LEAK * slow + count * leak + rng.random(slow.shape)).astype(np.int64)
        high = np.minimum(slow + beside, most)
        estimate = np.floor(slow * covered).astype(np.int64)
        low = np.minimum(np.floor(slow * proved).astype(np.int64), estimate)
        out |= {f"{side}_lo": np.where(over, 0, low), f"{side}_est": estimate, f"{side}_hi": high}
        mostly += count * share
    short = (waiting > promises.depth) & ~over & (mostly > ALL_SLOW * ios) & (ios > 0)
    lost = 1_000.0 * step_s * (1.0 - asked / promises.rate)
    out["lost_ms"] = np.where(short, np.maximum(lost, 0.0), 0.0).astype(np.int64)
    out["covered_est"] = np.maximum(covered_ios, out["read_est"] + out["write_est"])
    return out


def cadence(asked: Floats, waiting: Floats, depth: Floats) -> Ints:
    """How finely the agent looks, in ms: finer the nearer the ideal disk is to its depth."""
    base, finer, finest = CADENCES_MS
    near = [asked * ms / 1_000.0 + waiting <= depth / 2 for ms in (base, finer)]
    return np.select(near, [base, finer], finest).astype(np.int64)
