"""Would the server take what simulated agents send, and does it judge it as the simulator's own slots say?"""

import itertools
from typing import Any

import msgspec
import numpy as np
import pytest

from plimsoll_agent.core.terms import Term
from sla.domain.contract import Contract
from sla.domain.contract_text import parse_contract
from sla.domain.evidence import evidence_of
from sla.domain.histogram import dense, percentiles_us
from sla.domain.slot import score
from sla.simulator import noise
from sla.simulator.fine import Eye, ios_of
from sla.simulator.latency import buckets, slow_share
from sla.simulator.proof import Promises, label
from sla.simulator.run import run
from sla.simulator.slots import minutes, score_minutes
from sla.simulator.trace import COUNTERS
from sla.simulator.world import Event, Kind, Scenario
from sla.telemetry.content import json_bodies
from sla.telemetry.wire import JsonFrame
from tests.simulator.worlds import HOUR_S, START, pool, quiet

TERM = 7
IDENTITY = {"device": "vda", "serial": "s", "wwn": None, "vantage": "guest"}


def contract(text: str = "99% < 15 ms at 1000 IOPS") -> Contract:
    return parse_contract(text)


def slow_world() -> Scenario:
    """One disk ten times slower than it should be, the others well."""
    return quiet().with_events(Event(Kind.DISK, 0, START - HOUR_S, 9 * HOUR_S, (5,), 10.0))


def accepted(frames: list[dict[str, Any]]) -> None:
    """As the server checks them."""
    read = [msgspec.convert(frame, JsonFrame) for frame in frames]
    bodies, refused = json_bodies(dict(enumerate(read)))
    assert not refused and len(bodies) == len(frames)


def fine_frames(disk: int, count: int, cadence_ms: int = 100) -> list[tuple[dict[str, Any], int]]:
    """Frames of minutes of one disk, and how many I/Os of each were really slow."""
    trace = run(slow_world(), START + 4 * HOUR_S, 60 * (count + 1), 1)
    eye = Eye([contract().term(TERM)], cadence_ms=cadence_ms)
    made = [ios_of(trace, disk, 60 * k, 5) for k in range(count + 1)]
    return [
        (eye.watch(made[k], made[k + 1], trace.start + 60 * k, 5, IDENTITY), int((made[k].took_ms >= 15).sum()))
        for k in range(count)
    ]


@pytest.mark.parametrize("disk", [0, 5])
def test_frames_through_the_agents_meter_pass_the_check_and_hold_the_truth(disk: int) -> None:
    pairs = fine_frames(disk, 4, cadence_ms=20)
    accepted([frame for frame, _ in pairs])
    for frame, truth in pairs:
        slow = frame["slow"][0]
        low, high = (sum(slow[f"read_{end}"]) + sum(slow[f"write_{end}"]) for end in ("lo", "hi"))
        assert low <= truth <= high
    assert sum(truth for _, truth in pairs) > 50 or disk != 5


def test_frames_chain_base_plus_sums_is_the_next_base() -> None:
    frames = [frame for frame, _ in fine_frames(3, 3)]
    for one, after in itertools.pairwise(frames):
        for name in ("read_ios", "write_ios", "read_sectors", "read_ms", "write_ms"):
            assert one["base"][name] + sum(one[name]) == after["base"][name]


def coarse(disks: int, step_s: int, steps: int) -> tuple[Any, dict, dict, list[Contract]]:
    texts = ["99% < 15 ms at 1000 IOPS", "99.9% < 5 ms at 200 IOPS", "99% < 2 ms at 50 IOPS when blocks <= 8 KiB"]
    contracts = [contract(texts[disk % 3]) for disk in range(disks)]
    trace = run(slow_world(), START + 4 * HOUR_S, steps, step_s)
    counts = {name: getattr(trace, name) for name in COUNTERS}
    terms: list[Term] = [one.term(TERM) for one in contracts]
    labels = label(counts, Promises.of(terms, [True] * disks), step_s, noise.generator(1, 2))
    return trace, counts, labels, contracts


def frames_of(trace: Any, counts: dict, labels: dict, disk: int, step_s: int) -> list[dict[str, Any]]:
    n = 60 // step_s
    frames = []
    for minute in range(trace.steps // n):
        cut = slice(minute * n, (minute + 1) * n)
        own = {name: values[disk, cut].tolist() for name, values in counts.items() if not name.endswith("bytes")}
        for side in ("read", "write"):
            own[f"{side}_sectors"] = (counts[f"{side}_bytes"][disk, cut] // 512).tolist()
        before = {name: int(counts[name][disk, : minute * n].sum()) for name in counts if name.endswith(("ios", "_ms"))}
        level = int(counts["in_flight"][disk, minute * n - 1]) if minute else 0
        slow = {name: values[disk, cut].tolist() for name, values in labels.items() if name != "fine_ms"}
        hist: dict[str, list] = {}
        for side in ("read", "write"):
            ios, ms = (counts[f"{side}_{unit}"][disk, cut].sum() for unit in ("ios", "ms"))
            at, many = buckets(np.array(ios), np.array(ms))
            summed = np.bincount(at + 1, many, minlength=282)
            hist[f"{side}_hist"] = [[int(b) - 1, int(summed[b])] for b in np.flatnonzero(summed)]
        frames.append(
            IDENTITY
            | {"source": "diskstats", "start": trace.start + 60 * minute, "step_s": step_s, "n": n, "boot": 9}
            | {"base": {**before, "in_flight": level}, "in_flight_rule": "accounted", **own, **hist}
            | {"fine_ms": labels["fine_ms"][disk, cut].tolist()}
            | {"slow": [{"term": TERM, "threshold_ms": None, "pool_start": level, **slow}]}
        )
    return frames


@pytest.mark.parametrize("step_s", [10, 60])
def test_slots_made_for_whole_fleets_are_what_the_domain_judges_frame_by_frame(step_s: int) -> None:
    disks, steps = 12, 30 * 60 // step_s
    trace, counts, labels, contracts = coarse(disks, step_s, steps)
    zero = np.zeros(disks, np.int64)
    made = minutes(counts, labels, trace.observed, 60 // step_s, (zero, zero, zero), (zero, zero))
    rows = 30 * disks
    empty = (np.zeros(rows, np.int64),) * 3
    ours = score_minutes(made, contracts, np.zeros((disks, 30), bool), zero + 9, np.zeros((rows, 0)), empty, step_s)
    for disk in range(disks):
        frames = frames_of(trace, counts, labels, disk, step_s)
        accepted([{name: value for name, value in frame.items() if name != "boot"} for frame in frames])
        theirs = score(evidence_of(frames, TERM, range(30)), [contracts[disk]] * 30, term_ids=[TERM] * 30)
        for index in range(30):
            want = theirs.row(index)
            got = ours.row(disk * 30 + index)
            unlike = {k for k in want if want[k] != got[k]} - {"p50_us", "p95_us", "p99_us"}
            assert not unlike, {k: (want[k], got[k]) for k in unlike}


def test_counts_of_slow_ios_keep_their_order_and_what_the_summed_time_can_hold() -> None:
    _, counts, labels, contracts = coarse(12, 10, 360)
    for side in ("read", "write"):
        low, estimate, high = (labels[f"{side}_{end}"] for end in ("lo", "est", "hi"))
        assert (low >= 0).all() and (low <= estimate).all() and (estimate <= high).all()
        assert (high <= counts[f"{side}_ios"]).all()
        limit = np.array([one.read_threshold_us / 1_000 for one in contracts])[:, None]
        assert (high * limit <= counts[f"{side}_ms"] + 1).all()
    assert (labels["covered_est"] <= counts["read_ios"] + counts["write_ios"]).all()
    assert (labels["excess_lo"] <= labels["excess_hi"]).all()


def test_a_customer_who_floods_a_capped_disk_is_excused_and_one_who_gets_too_little_loses_time() -> None:
    one = contract()
    steps = np.full((1, 6), 1)
    flooded = {"read_ios": 600, "write_ios": 400, "read_ms": 38_400, "write_ms": 25_600, "queue_ms": 64_000}
    starved = {"read_ios": 300, "write_ios": 300, "read_ms": 32_000, "write_ms": 32_000, "queue_ms": 64_000}
    for figures, excused in ((flooded, True), (starved, False)):
        counts = {name: steps * value for name, value in figures.items()}
        counts |= {"read_bytes": steps * 4_096, "write_bytes": steps * 4_096, "in_flight": steps * 64}
        got = label(counts, Promises.of([one.term(TERM)], [True]), 1, noise.generator(1, 1))
        assert (got["covered_est"].sum() == 0) == excused
        assert (got["lost_ms"].sum() == 0) == excused


def test_the_histogram_of_a_step_holds_its_ios_and_the_share_that_is_slow() -> None:
    ios, ms = np.array([100_000]), np.array([400_000])
    at, many = buckets(ios, ms)
    table = dense(np.column_stack((np.zeros(at.shape[1], int), at[0], many[0])), 1)
    assert table.sum() == 100_000
    p50, p99 = percentiles_us(table, (50, 99))[0]
    assert 2_500 < p50 < 4_000 and 10_000 < p99 < 20_000
    assert 0.005 < float(slow_share(np.array([4.0]), 15.0)[0]) < 0.02


def test_a_disk_through_the_coarse_way_is_as_slow_as_through_the_agents_meter() -> None:
    fine = [frame for frame, _ in fine_frames(5, 6, cadence_ms=20)]
    slow = sum(sum(f["slow"][0][f"{side}_est"]) for f in fine for side in ("read", "write"))
    share = slow / sum(sum(f["read_ios"]) + sum(f["write_ios"]) for f in fine)
    _, counts, _labels, _ = coarse(12, 10, 36)
    mine = slice(5, 6)
    rough = label(
        {name: values[mine] for name, values in counts.items()},
        Promises.of([contract().term(TERM)], [True]), 10, noise.generator(1, 3),
    )  # fmt: skip
    other = (rough["read_est"] + rough["write_est"]).sum() / (counts["read_ios"] + counts["write_ios"])[5].sum()
    assert other == pytest.approx(share, rel=0.35)


def test_pools_of_three_to_sixty_disks_are_allowed() -> None:
    for disks in (3, 60):
        assert run(Scenario(1, (pool(disks, servers=disks),)), START, 30).ios.shape == (disks, 30)
