"""How near does the meter come to the truth, and is it ever wrong where it claims proof?

python bench/accuracy.py --lab DIR prints progress on stderr and one JSON object as its last line.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from fractions import Fraction
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import accuracy_fit, accuracy_reference, lab
from bench.accuracy_run import Outcome, measure

CADENCES_MS = (10, 20, 100, 1000)
FITTED_AT_MS = (10, 20)
# Beside the checkout, where the recordings lie that every clone shares; LAB=DIR or --lab DIR names another folder.
DEFAULT_LAB = Path(__file__).resolve().parents[2] / "shared" / "data" / "lab"
REFERENCE_MS = 15  # the threshold at which widths are set against those of the plain rules
OBJECTIVES = (Fraction(99, 100), Fraction(999, 1000))
_runs: list[lab.Run] = []


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lab", type=Path, default=Path(os.environ.get("LAB") or DEFAULT_LAB), help="recorded runs")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--no-fit", action="store_true", help="leave out the fitted / held-out comparison")
    args = options.parse_args()
    _runs.extend(lab.load(args.lab))
    say(f"{len(_runs)} runs from {args.lab}")
    with Pool(args.jobs) as pool:
        tasks = [(place, cadence, accuracy_fit.PRODUCT) for cadence in CADENCES_MS for place in range(len(_runs))]
        outcomes = [one for many in pool.imap(_measure, tasks, chunksize=2) for one in many]
        say(f"{len(outcomes)} outcomes")
        places = [(place, cadence) for cadence in CADENCES_MS for place in range(len(_runs))]
        plain = list(pool.imap(_plain_width, places, chunksize=2))
        fitted = [] if args.no_fit else _fit(pool)
    report = summary(outcomes)
    report["width_reference_ratio_15ms"] = {
        str(c): round(sum(w for (_, at), w in zip(places, plain, strict=True) if at == c) / len(_runs), 4)
        for c in CADENCES_MS
    }
    say(f"width_reference_ratio_15ms: {report['width_reference_ratio_15ms']}")
    report["held_out"] = fitted
    print(json.dumps(report))


def _measure(task: tuple[int, int, tuple[float, float, float, float]]) -> list[Outcome]:
    place, cadence_ms, settings = task
    accuracy_fit.use(settings)
    return measure(_runs[place], cadence_ms)


def _plain_width(task: tuple[int, int]) -> float:
    place, cadence_ms = task
    return accuracy_reference.width(_runs[place], cadence_ms, REFERENCE_MS)


def _fit(pool: Pool) -> list[dict[str, object]]:  # type: ignore[valid-type]
    scenarios = {run.name: run.scenario for run in _runs}
    results: dict[int, list[list[Outcome]]] = {}
    for cadence in FITTED_AT_MS:
        results[cadence] = []
        for candidate in accuracy_fit.CANDIDATES:
            tasks = [(place, cadence, candidate) for place in range(len(_runs))]
            results[cadence].append([one for many in pool.imap(_measure, tasks) for one in many])  # type: ignore[attr-defined]
    report = accuracy_fit.held_out(results, scenarios.__getitem__, error_ratio, right_ratio)
    for half in report:
        say(f"held out: {half}")
    return report


def summary(outcomes: list[Outcome]) -> dict[str, object]:
    """The JSON of the benchmark: one row per run, cadence, threshold and objective, and what they come to."""
    rows = [row(outcome, objective) for outcome in outcomes for objective in OBJECTIVES]
    proved = [r for r in rows if r["proved_verdict"] != "unknown"]
    windows = sum(o.windows for o in outcomes)
    missed = sum(o.missed_windows for o in outcomes) + sum(not o.low <= o.truth <= o.high for o in outcomes)
    at = {str(c): [o for o in outcomes if o.cadence_ms == c] for c in CADENCES_MS}
    finest = [r for r in rows if r["cadence_ms"] == CADENCES_MS[0]]
    report: dict[str, object] = {
        "rows": rows,
        "contained_ratio": 1 - missed / (windows + len(outcomes)),
        "windows": windows,
        "proved_wrong": sum(r["proved_verdict"] != r["truth_verdict"] for r in proved),
        "proved_ratio": {
            c: _share([r["proved_verdict"] != "unknown" for r in rows if str(r["cadence_ms"]) == c]) for c in at
        },
        "estimate_right_ratio": {c: round(right_ratio(many), 4) for c, many in at.items()},
        "estimate_error_ratio": {c: round(error_ratio(many), 5) for c, many in at.items()},
        "width_ratio": {c: round(width_ratio(many), 4) for c, many in at.items()},
        "width_ratio_15ms": {
            c: round(width_ratio([o for o in many if o.threshold_ms == REFERENCE_MS]), 4) for c, many in at.items()
        },
        "minute_mean_right_ratio": _share([r["minute_mean_verdict"] == r["truth_verdict"] for r in finest]),
    }
    for name, value in report.items():
        if name != "rows":
            say(f"{name}: {value}")
    return report


def row(outcome: Outcome, objective: Fraction) -> dict[str, object]:
    """One line of the report; truth, low, estimate, high are shares of all I/Os."""
    allowed = (1 - objective) * outcome.ios
    proved = "breached" if outcome.low > allowed else "met" if outcome.high <= allowed else "unknown"
    return {
        "run": outcome.run,
        "cadence_ms": outcome.cadence_ms,
        "threshold_ms": outcome.threshold_ms,
        "objective": float(objective),
        "ios": outcome.ios,
        "truth": outcome.truth / outcome.ios,
        "low": outcome.low / outcome.ios,
        "estimate": outcome.estimate / outcome.ios,
        "high": outcome.high / outcome.ios,
        "truth_verdict": _verdict(outcome.truth, allowed),
        "proved_verdict": proved,
        "estimate_verdict": _verdict(outcome.estimate, allowed),
        "minute_mean_verdict": _verdict(outcome.slow_minute_ios, allowed),
    }


def right_ratio(outcomes: list[Outcome]) -> float:
    """How often does the estimate's verdict agree with the true one?"""
    return _share(
        [
            (o.truth > (1 - objective) * o.ios) == (o.estimate > (1 - objective) * o.ios)
            for o in outcomes
            for objective in OBJECTIVES
        ]
    )


def error_ratio(outcomes: list[Outcome]) -> float:
    """The mean distance of estimate and truth, in I/Os of all I/Os."""
    return sum(abs(o.estimate - o.truth) / o.ios for o in outcomes) / len(outcomes)


def width_ratio(outcomes: list[Outcome]) -> float:
    """The mean width of [low, high], in I/Os of all I/Os."""
    return sum((o.high - o.low) / o.ios for o in outcomes) / len(outcomes)


def _verdict(slow: int, allowed: Fraction) -> str:
    return "breached" if slow > allowed else "met"


def _share(truths: list[bool]) -> float:
    return sum(truths) / len(truths)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
