"""Is any honest disk called a breaker, does any breaker get away? Simulated disks through the meter and the judge.

python bench/fairness.py [--cases N] prints progress on stderr and one JSON object as its last line.
"""

from __future__ import annotations

import argparse
import json
import sys
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import exact
from bench.fairness_cases import Case, faulty, honest, table
from bench.fairness_judge import SLOW_PPM, Verdict, judge
from bench.simcounters import samples
from bench.simdisk import run
from plimsoll_agent.core.terms import Term

CADENCES_MS = (10, 20, 100, 1000)
RULES = (("accounted", 0), ("driver", 300))
TERM = Term(1, 15_000, 15_000, 1000, 13, 100_000, 262_144)
CASES = 500
NS_PER_US = 1000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=CASES, help="random cases of each kind")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--first", type=int, default=0, help="seed of the first random case")
    args = options.parse_args()
    tasks: list[tuple[str, int]] = [("table", place) for place in range(len(table()))]
    tasks += [(kind, args.first + n) for n in range(args.cases) for kind in ("honest", "faulty")]
    rows: list[dict[str, object]] = []
    with Pool(args.jobs) as pool:
        for done, many in enumerate(pool.imap(rows_of, tasks, chunksize=4)):
            rows += many
            if done % 100 == 99:
                say(f"{done + 1} of {len(tasks)} cases")
    print(json.dumps(summary(rows)))


def rows_of(task: tuple[str, int]) -> list[dict[str, object]]:
    """All cadences and rules of one case."""
    kind, number = task
    case = table()[number] if kind == "table" else honest(number) if kind == "honest" else faulty(number)
    trace = run(case.disk, case.load, case.seconds, case.seed)
    observer = exact.Observer(trace, TERM)
    out = []
    for cadence in CADENCES_MS:
        for rule, hidden_us in RULES:
            taken = samples(trace, cadence, case.seconds, case.seed + cadence, hidden_us)
            verdict = judge(taken, TERM, rule)
            truth = observer.between(taken[0].before_ns // NS_PER_US, verdict.ends_ns // NS_PER_US)
            out.append(row(case, kind, cadence, rule, verdict, truth))
    return out


def row(case: Case, kind: str, cadence: int, rule: str, verdict: Verdict, truth: exact.Exact) -> dict[str, object]:
    """One line of the report. `honest` is decided by the exact ideal disk, not by how the case was built."""
    covered, slow, ios = truth.covered, truth.covered_slow, truth.ios
    sums = verdict.sums
    # Completions near the first and last sample fall in or out by the microsecond: allow for them.
    edge = 2
    return {
        "case": case.name,
        "kind": kind,
        "faulty": case.faulty,
        "tricky": case.tricky,
        "cadence_ms": cadence,
        "rule": rule,
        "raw_ratio": 1 - truth.slow / ios if ios else None,
        "exact_ratio": 1 - slow / covered if covered else None,
        "exact_honest": slow * 1_000_000 <= SLOW_PPM * covered,
        "sli": verdict.sli,
        "covered_ratio": round(verdict.covered_ratio, 4),
        "exact_covered_ratio": round(covered / ios, 4) if ios else None,
        "lost_s": sums.lost_ms / 1000,
        "state": verdict.state,
        "proved": verdict.proved,
        "bounds_hold": sums.eligible_low <= covered + edge
        and sums.eligible_high >= covered - edge
        and sums.slow_low <= slow + edge
        and sums.slow_high >= slow - edge,
    }


def summary(rows: list[dict[str, object]]) -> dict[str, object]:
    """What the rows come to; per-rule figures stand beside those of both rules."""
    honest_rows = [r for r in rows if not r["faulty"] and r["exact_honest"]]
    faulty_rows = [r for r in rows if r["faulty"]]
    report: dict[str, object] = {
        "rows": [r for r in rows if r["kind"] == "table" or not _fair(r)],
        "random_cases": len({(r["kind"], r["case"]) for r in rows if r["kind"] != "table"}),
        "honest_proved_breached": sum(r["proved"] == "breached" for r in honest_rows),
        "faulty_proved_met": sum(r["proved"] == "met" for r in faulty_rows),
        "bounds_missed": sum(not r["bounds_hold"] for r in rows),
        "honest_likely_breached_ratio": _by_cadence(honest_rows, "state", "breached", "accounted"),
        "faulty_proved_ratio": _by_cadence(faulty_rows, "proved", "breached", "accounted"),
        "faulty_likely_met_ratio": _by_cadence(_plain(faulty_rows), "state", "met", "accounted"),
        "faulty_excused_ratio": _by_cadence(_plain(faulty_rows), "state", "excused", "accounted"),
        "driver": {
            "honest_likely_breached_ratio": _by_cadence(honest_rows, "state", "breached", "driver"),
            "faulty_proved_ratio": _by_cadence(faulty_rows, "proved", "breached", "driver"),
            "faulty_likely_met_ratio": _by_cadence(_plain(faulty_rows), "state", "met", "driver"),
        },
    }
    for name, value in report.items():
        if name != "rows":
            say(f"{name}: {value}")
    return report


def _fair(r: dict[str, object]) -> bool:
    """Is the bounds' claim true, and the verdict what the disk deserves? Random cases are listed where not."""
    deserved = "breached" if r["faulty"] or not r["exact_honest"] else "met"
    return bool(r["bounds_hold"]) and (r["state"] == deserved or (r["state"] == "excused" and deserved == "met"))


def _plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Without tricks of order, which counters cannot show."""
    return [r for r in rows if not r["tricky"]]


def _by_cadence(rows: list[dict[str, object]], key: str, value: str, rule: str) -> dict[str, float]:
    out = {}
    for cadence in CADENCES_MS:
        here = [r for r in rows if r["cadence_ms"] == cadence and r["rule"] == rule]
        out[str(cadence)] = round(sum(r[key] == value for r in here) / len(here), 4) if here else 0.0
    return out


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
