"""A slot is a pure function of its frames, contract and exclusions."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll_agent.core.r40 import percentile_us
from sla.domain.contract import Contract
from sla.domain.contract_text import parse_contract
from sla.domain.evidence import UNKNOWN, Evidence, evidence_of
from sla.domain.histogram import BUCKETS, dense, pack, percentiles_us, sparse, unpack
from sla.domain.label import label
from sla.domain.seconds import steps_of
from sla.domain.slot import Slots, gap, score
from sla.domain.states import Case, Grade, Reason, State

CONTRACT = parse_contract("99% < 15 ms at 1000 IOPS")
TERM = 7
SUMMED = ("read_ios", "write_ios", "flush_ios", "read_ms", "write_ms", "read_sectors", "write_sectors", "queue_ms")
LABELS = (
    "read_lo",
    "read_est",
    "read_hi",
    "write_lo",
    "write_est",
    "write_hi",
    "covered_est",
    "excess_lo",
    "excess_hi",
)


def minute(seed: int = 1, *, labelled: bool = True, start: int = 600, **change: Any) -> dict[str, Any]:
    """A minute with some excess and some slow I/Os, consistent in itself."""
    rng, n = random.Random(seed), 60
    reads, writes = [rng.randint(0, 90) for _ in range(n)], [rng.randint(0, 200) for _ in range(n)]
    high = [rng.choice((0, 0, 1, 3)) if count > 3 else 0 for count in writes]
    excess = [rng.choice((0, 0, 0, 5)) for _ in range(n)]
    read_ms, write_ms = reads, [count + 20 * late for count, late in zip(writes, high, strict=True)]
    total = [a + b for a, b in zip(read_ms, write_ms, strict=True)]
    frame: dict[str, Any] = {
        "start": start,
        "step_s": 1,
        "n": n,
        "source": "diskstats",
        "boot": 5,
        "base": {"read_ios": 1_000, "write_ios": 0, "read_ms": 500, "write_ms": 2**32 - 200, "in_flight": 0},
        "read_ios": reads,
        "write_ios": writes,
        "read_ms": read_ms,
        "write_ms": write_ms,
        "read_sectors": [8 * count for count in reads],
        "write_sectors": [8 * count for count in writes],
        "queue_ms": total,
        "in_flight": [rng.randint(0, 4) for _ in range(n)],
        "in_flight_rule": "accounted",
        "fine_ms": [100] * n,
        "slow": [],
        "read_hist": [[90, sum(reads)]],
        "write_hist": [[95, sum(writes)]],
    }
    if labelled:
        frame["slow"] = [
            {
                "term": TERM,
                "read_lo": [0] * n,
                "read_est": [0] * n,
                "read_hi": [0] * n,
                "write_lo": [min(late, 1) for late in high],
                "write_est": [min(late, 1) for late in high],
                "write_hi": high,
                "covered_est": [max(0, a + b - x) for a, b, x in zip(reads, writes, excess, strict=True)],
                "excess_lo": [min(x, 2) for x in excess],
                "excess_hi": excess,
                "pool_start": 2,
                "lost_ms": [0] * n,
            }
        ]
    return {**frame, **change}


def cut(frame: dict[str, Any], at: int) -> list[dict[str, Any]]:
    """The same minute as two frames, as an agent would have sent it."""
    parts = []
    base = dict(frame["base"])
    for first, last in ((0, at), (at, frame["n"])):
        part = {**frame, "start": frame["start"] + first, "n": last - first, "base": dict(base)}
        for name, values in frame.items():
            if isinstance(values, list) and len(values) == frame["n"] and name != "slow":
                part[name] = values[first:last]
        part["slow"] = [
            {
                **s,
                **{k: v[first:last] for k, v in s.items() if isinstance(v, list)},
                "pool_start": s["pool_start"] if not first else 3,
            }
            for s in frame["slow"]
        ]
        for side in ("read", "write"):
            part[f"{side}_hist"] = [[90, sum(part[f"{side}_ios"])]]
            base[f"{side}_ios"] += sum(part[f"{side}_ios"])
            base[f"{side}_ms"] = (base[f"{side}_ms"] + sum(part[f"{side}_ms"])) % 2**32
        base["in_flight"] = part["in_flight"][-1]
        parts.append(part)
    return parts


def evidence(*frames: dict[str, Any]) -> Evidence:
    return evidence_of(frames, TERM, [0] * len(frames))


def one(*frames: dict[str, Any], contract: Contract | None = CONTRACT, excluded: bool = False) -> dict[str, int]:
    return slots(*frames, contract=contract, excluded=excluded).row(0)


def slots(*frames: dict[str, Any], contract: Contract | None = CONTRACT, excluded: bool = False) -> Slots:
    return score(evidence(*frames), [contract], term_ids=[TERM], excluded=np.array([excluded]))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 59), st.integers(1, 59), st.booleans(), st.randoms(use_true_random=False))
def test_order_duplication_and_cuts_change_nothing(
    seed: int, first: int, second: int, labelled: bool, rng: random.Random
) -> None:
    frame = minute(seed, labelled=labelled)
    whole = one(frame)
    pieces = cut(frame, first)
    if second > first:
        pieces = [pieces[0], *cut(pieces[1], second - first)]
    pieces += rng.choices(pieces, k=2)
    rng.shuffle(pieces)
    again = one(*pieces)
    shown = {"p50_us", "p95_us", "p99_us"}  # the pieces' histograms are made up
    assert {k: v for k, v in again.items() if k not in shown} == {k: v for k, v in whole.items() if k not in shown}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.integers(0, 60))
def test_intervals_are_in_order_and_inside_the_ios(seed: int, labelled: bool, holes: int) -> None:
    frame = minute(seed, labelled=labelled)
    rng = random.Random(seed)
    for place in rng.sample(range(60), holes):
        for name in ("read_ios", "write_ios", "read_ms", "write_ms"):
            frame[name] = [None if i == place else v for i, v in enumerate(frame[name])]
    got = one(frame)
    ios = got["read_ios"] + got["write_ios"]
    assert 0 <= got["eligible_low"] <= got["eligible"] <= got["eligible_high"] <= ios
    assert 0 <= got["slow_low"] <= got["slow"] <= got["slow_high"]
    assert got["observed_s"] == 60 - holes


def test_e_low_and_e_high_are_the_sums_of_the_semantics() -> None:
    frame = minute(3)
    got, slow = one(frame), frame["slow"][0]
    ios = sum(frame["read_ios"]) + sum(frame["write_ios"])
    assert got["eligible_low"] == ios - 2 - sum(slow["excess_hi"])
    assert got["eligible_high"] == ios - max(0, sum(slow["excess_lo"]) - frame["in_flight"][-1])


def test_frames_that_follow_each_other_count_one_pool_and_a_hole_begins_anew() -> None:
    frame = minute(3)
    left, right = cut(frame, 30)
    assert one(left, right)["eligible_low"] == one(frame)["eligible_low"]
    rebooted = {**right, "boot": 6}
    assert one(left, rebooted)["eligible_low"] == one(frame)["eligible_low"] - 3


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 400), st.floats(0, 0.2), st.sampled_from([1, 2, 5, 10]))
def test_whole_second_bounds_contain_the_truth_for_any_latencies(seed: int, rate: int, slow: float, step: int) -> None:
    """An open load without queueing: every I/O is covered, and its latency is known."""
    rng = random.Random(seed)
    done: list[tuple[float, float]] = []
    at = 0.0
    while at < 60:
        at += rng.expovariate(rate)
        done.append((at, rng.uniform(0.015, 0.2) if rng.random() < slow else rng.expovariate(1 / 0.002)))
    finished = sorted((arrived + took, took) for arrived, took in done if arrived + took < 60)
    n = 60 // step
    ios, spent, levels = [0] * n, [0.0] * n, [0] * n
    for end, took in finished:
        ios[int(end // step)] += 1
        spent[int(end // step)] += 1000 * took
    for place in range(n):
        edge = (place + 1) * step
        levels[place] = sum(arrived <= edge < arrived + took for arrived, took in done)
    running = np.floor(np.cumsum(spent)).astype(int)
    frame = minute(
        labelled=False,
        step_s=step,
        n=n,
        read_ios=ios,
        write_ios=[0] * n,
        read_ms=[int(v) for v in np.diff(running, prepend=0)],
        write_ms=[0] * n,
        read_sectors=[0] * n,
        write_sectors=[0] * n,
        queue_ms=[0] * n,
        in_flight=levels,
        fine_ms=[step * 1000] * n,
    )
    got = one(frame, contract=parse_contract("99% < 15 ms at 100000 IOPS depth 100000"))
    truth = sum(took >= 0.015 for _, took in finished)
    assert got["slow_low"] <= truth <= got["slow_high"]
    assert got["eligible_high"] == len(finished)
    assert got["grade"] == Grade.C


def words(**change: Any) -> list[str]:
    ready = label(evidence(minute(**change)).in_order(), [CONTRACT.term(TERM)])
    return [Case(case).word for case in steps_of(ready).case[0]]


def labels(n: int = 60, **columns: list[int]) -> list[dict[str, Any]]:
    return [{"term": TERM, "pool_start": 0, **{name: [0] * n for name in (*LABELS, "lost_ms")}, **columns}]


def test_seconds_get_the_words_of_the_semantics() -> None:
    ios = [10, 10, 10, 10, 0, 0, 0, *[10] * 53]
    got = words(
        read_ios=ios,
        write_ios=[0] * 60,
        read_ms=[None if i == 7 else 1 for i in range(60)],
        write_ms=[0] * 60,
        in_flight=[0, 0, 0, 0, 0, 3, 3, *[0] * 53],
        slow=labels(covered_est=[10, 4, 0, 10, 0, 0, 0, *[10] * 53], lost_ms=[0, 0, 0, 50, 0, 900, 0, *[0] * 53]),
    )
    assert got[:9] == [
        "normal",
        "pro_rata",
        "excused",
        "under_delivery",
        "idle",
        "stalled",
        "normal",
        "unknown",
        "normal",
    ]


def flat(ios: int, **columns: Any) -> dict[str, Any]:
    quiet = {"read_ms": [ios] * 60, "write_ms": [0] * 60, "write_ios": [0] * 60, "in_flight": [0] * 60}
    return {"read_ios": [ios] * 60, **quiet, **columns}


def state(**change: Any) -> tuple[str, bool]:
    got = one(minute(**change))
    return State(got["state"]).word, bool(got["proved"])


def test_states_of_a_slot_first_that_fits() -> None:
    covered = {"covered_est": [100] * 60}
    assert state(**flat(100, slow=labels(**covered))) == ("met", True)
    assert state(**flat(100, slow=labels(**covered, read_hi=[2] * 60))) == ("met", False)
    bad = {"read_est": [2] * 60, "read_hi": [2] * 60}
    assert state(**flat(100, slow=labels(**covered, **bad))) == ("breached", False)
    assert state(**flat(100, slow=labels(**covered, **bad, read_lo=[2] * 60))) == ("breached", True)
    assert state(**flat(100, slow=labels(**covered, lost_ms=[11] * 60))) == ("breached", True)
    assert state(**flat(100, slow=labels(excess_hi=[100] * 60))) == ("excused", False)
    assert state(**flat(100, slow=labels(excess_hi=[100] * 60, excess_lo=[100] * 60))) == ("excused", True)
    assert state(**flat(0, read_ms=[0] * 60, slow=labels())) == ("idle", True)
    half = [None] * 31 + [1] * 29
    assert state(**flat(1, read_ios=half, slow=labels(covered_est=[1] * 60))) == ("no_data", True)
    held = one(minute(**flat(100, slow=labels(**covered, **bad))), excluded=True)
    assert State(held["state"]) is State.MAINTENANCE and held["slow"] == 120


def test_a_minute_that_stood_still_is_called_unavailable() -> None:
    got = one(minute(**flat(0, read_ms=[0] * 60, in_flight=[4] * 60, slow=labels(lost_ms=[1000] * 60))))
    assert (State(got["state"]), Reason(got["reason"])) == (State.BREACHED, Reason.UNAVAILABLE)


def test_idle_is_not_silence_and_has_no_latency() -> None:
    got = one(minute(**flat(0, read_ms=[0] * 60, slow=labels(), read_hist=[], write_hist=[])))
    assert (got["observed_s"], got["p50_us"]) == (60, UNKNOWN)


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("reads >= 30%", Reason.NONE),
        ("reads <= 30%", Reason.READS_OUTSIDE),
        ("blocks <= 4 KiB", Reason.NONE),
        ("blocks >= 8 KiB", Reason.BLOCKS_OUTSIDE),
        ("load >= 100 IOPS", Reason.NONE),
        ("load >= 101 IOPS", Reason.LOAD_OUTSIDE),
    ],
)
def test_a_slot_outside_its_conditions_is_excess_with_that_reason(condition: str, reason: Reason) -> None:
    frame = minute(
        **flat(
            100, read_sectors=[800] * 60, write_sectors=[0] * 60, slow=labels(covered_est=[100] * 60, read_hi=[9] * 60)
        )
    )
    got = one(frame, contract=parse_contract(f"{CONTRACT.text} when {condition}"))
    assert Reason(got["reason"]) is reason
    assert (got["eligible"], got["slow_high"]) == ((6_000, 540) if reason is Reason.NONE else (0, 0))
    assert State(got["state"]) is (State.MET if reason is Reason.NONE else State.EXCUSED)


def test_without_a_contract_everything_is_excess() -> None:
    got = one(minute(2), contract=None)
    assert (Reason(got["reason"]), got["eligible_high"], State(got["state"])) == (Reason.NO_CONTRACT, 0, State.EXCUSED)


def test_grades() -> None:
    exact = {"slow": labels(covered_est=[100] * 60)}
    assert one(minute(**flat(100, **exact)))["grade"] == Grade.B
    assert one(minute(**flat(100, **exact, source="ebpf")))["grade"] == Grade.A
    assert one(minute(**flat(100, **exact, fine_ms=[1000] * 60)))["grade"] == Grade.C
    assert one(minute(**flat(100, **exact, source="import")))["grade"] == Grade.C
    assert one(minute(labelled=False))["grade"] == Grade.C


def test_labels_of_another_term_are_not_taken_for_ours() -> None:
    frame = minute(2)
    frame["slow"][0]["term"] = 8
    assert (
        one(frame)["grade"] == Grade.C and one(frame)["eligible_low"] == one(minute(2, labelled=False))["eligible_low"]
    )


def test_what_foreign_agents_claim_is_cut_not_overflowed() -> None:
    got = one(minute(**flat(2**52, slow=labels(covered_est=[2**52] * 60))))
    assert got["read_ios"] == got["eligible"] == 2**31 - 1


def test_a_gap_survives_the_wrap_of_the_times_and_a_reset_has_none() -> None:
    def ints(*values: int) -> np.ndarray:
        return np.array(values, np.int64)

    ios, ms = gap(ints(100, 100, 100, UNKNOWN), ints(2**32 - 5, 7, 7, 7), ints(130, 90, 100, 5), ints(10, 0, 7, 7))
    assert ios.tolist() == [30, UNKNOWN, 0, UNKNOWN] and ms.tolist() == [15, UNKNOWN, 0, UNKNOWN]


def test_a_gap_between_frames_of_a_slot_is_counted_in_no_second() -> None:
    left, right = cut(minute(4), 30)
    right["base"]["read_ios"] += 77
    right["base"]["read_ms"] = (right["base"]["read_ms"] + 5) % 2**32
    got = one(left, right)
    assert (got["inner_gap_ios"], got["inner_gap_ms"]) == (77, 5)
    assert got["read_ios"] == one(minute(4))["read_ios"]
    assert one(left, {**right, "boot": 9})["inner_gap_ios"] == 0


rows = st.dictionaries(st.integers(-1, 280), st.integers(1, 10**6), max_size=30)


@settings(deadline=None)
@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 100))
def test_percentiles_are_those_of_the_core_and_histograms_are_merged(found: list[dict[int, int]], percent: int) -> None:
    cells = [(i, bucket, count) for i, row in enumerate(found) for bucket, count in row.items()]
    table = dense(np.array(cells, np.int64).reshape(-1, 3), len(found))
    for row, got in zip(found, percentiles_us(table, [percent])[:, 0].tolist(), strict=True):
        want = percentile_us(row, percent / 100)
        assert got == (UNKNOWN if want is None else want)
    for place, row in enumerate(found):
        assert sparse(table[place]) == row
        assert (unpack(pack(table[place])) == table[place]).all()
    assert table.shape == (len(found), BUCKETS)
