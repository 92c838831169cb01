"""Are slow pools found, soon, and the right neighbour named? `make bench-neighbours`; the last line on stdout is JSON.

Pools of the product's own simulator, of a plain noise model and of recorded traces with injected slowdowns; the
constants were fitted on other seeds (`--fit SEEDS` prints them). Learning sees only what lies before the events.
`--seeds 9701,9702 --pools 6 --clean 24 --no-cost` for other sizes.
"""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Sequence

from bench import neighbours_figures as figures
from bench.neighbours_case import Case
from bench.neighbours_judge import POOL_WIDE, Told, tell
from bench.neighbours_rivals import CULPRITS, RIVALS, accusations, windows
from bench.neighbours_sim import clean_cases
from bench.neighbours_wider import wider
from bench.neighbours_world import worlds
from bench.perseus import FOLDER, mcc
from sla.domain.neighbours.fitted import ACCUSE, ACCUSE_WHEN_UP, FIT_SEEDS, RULE_SEEDS

# With six, one pool of three disks that is hard to see moves a figure by a hundredth.
SEEDS = ",".join(str(seed) for seed in range(9_701, 9_713))


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


class Rival:
    """What the simple detectors made of the same pools, added up."""

    def __init__(self) -> None:
        self.found = dict.fromkeys(RIVALS, 0)
        self.events, self.clean_days = 0, 0.0
        self.false = dict.fromkeys(RIVALS, 0)
        self.accused: list[tuple[str, float, bool, bool]] = []

    def add(self, case: Case) -> None:
        twice = [one for one in case.events if one.cause in POOL_WIDE and 1.7 <= one.factor <= 2.4 and one.fair]
        self.events += len(twice)
        self.accused += accusations(case)
        self.clean_days += 0.0 if case.events else case.days
        for name, rival in RIVALS.items():
            spans = windows(case, rival)
            self.found[name] += sum(
                any(span.start < one.end + 300 and one.start < span.end for span in spans) for one in twice
            )
            self.false[name] += 0 if case.events else len(spans)

    def answer(self) -> dict[str, dict[str, float | None]]:
        rows: dict[str, dict[str, float | None]] = {
            name: {
                "recall_x2": figures.rounded(self.found[name] / max(self.events, 1)),
                "false_windows_per_pool_day": figures.rounded(self.false[name] / max(self.clean_days, 1e-9)),
            }
            for name in RIVALS
        }
        for name in CULPRITS:
            mine = [(score, right, somebody) for rival, score, right, somebody in self.accused if rival == name]
            by_somebody = [right for _, right, somebody in mine if somebody]
            rows[name] = {
                "top1": figures.rounded(sum(by_somebody) / max(len(by_somebody), 1)),
                "precision_at_recall_0_8": figures.rounded(figures.precision_of(mine)),
            }
        return rows


def everything(seeds: Sequence[int], pools: int, clean: int) -> tuple[list[Told], Rival]:
    told, rival = [], Rival()
    for seed in seeds:
        for case in worlds(seed, pools):
            if (one := tell(case)) is not None:
                told.append(one)
                rival.add(case)
        say(f"seed {seed}: {len(told)} pools, {sum(len(one.heard) for one in told)} events so far")
    for seed in seeds if clean else ():
        for case in clean_cases(seed + 500_000, clean):
            if (one := tell(case)) is not None:
                told.append(one)
                rival.add(case)
    say(f"clean pools: {sum(one.days for one in told if one.clean):.0f} pool-days")
    return told, rival


def main() -> None:
    warnings.simplefilter("ignore", RuntimeWarning)
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default=SEEDS)
    parser.add_argument("--pools", type=int, default=6, help="of each generator and seed")
    parser.add_argument("--clean", type=int, default=24, help="of each seed, pools to which nothing happens")
    parser.add_argument("--no-cost", action="store_true", help="without the database")
    parser.add_argument("--fit", help="seeds to fit the constants on; prints them and ends")
    given = parser.parse_args()
    if given.fit:
        from bench.neighbours_fit import print_fit  # only this needs it

        print_fit([int(seed) for seed in given.fit.split(",")])
        return
    seeds = [int(seed) for seed in given.seeds.split(",")]
    if known := sorted(set(seeds) & {*FIT_SEEDS, *RULE_SEEDS}):
        sys.exit(f"seeds {known} were fitted on: take others")
    told, rival = everything(seeds, given.pools, given.clean)
    lengths = {name: figures.recall_x2(length) for name, length in figures.X2_LENGTHS_S.items()}
    answer: dict[str, object] = {
        "recall_x2": {name: figures.rounded(figure(told)) for name, figure in lengths.items()},
        **{name: figures.rounded(figure(told)) for name, figure in figures.FIGURES.items()},
        "intervals_95": {
            "recall_x2": {name: figures.interval(figure, told) for name, figure in lengths.items()},
            **{name: figures.interval(figure, told) for name, figure in figures.FIGURES.items()},
        },
        "classes": figures.by_kind(told),
        "pools": len(told),
        "clean_pool_days": round(sum(one.days for one in told if one.clean), 1),
        "own_windows": {
            "events": sum(one.own_events for one in told),
            "found": sum(one.own_found for one in told),
        },
        "baselines": rival.answer(),
        "seeds": {"fit": [*FIT_SEEDS, *RULE_SEEDS], "held_out": seeds},
        "accuse_at": {"load_flat": ACCUSE, "load_up": ACCUSE_WHEN_UP},
        "wider": wider(seeds),
        "perseus_mcc": mcc(),
    }
    if not FOLDER.is_dir():
        say(f"no recorded clusters in {FOLDER.name}: perseus_mcc is null and no recorded trace was used")
    if given.no_cost or "SECRET_KEY" not in os.environ:
        say("without a database: cpu_s_per_minute_10000_disks is null")
        answer["cpu_s_per_minute_10000_disks"] = None
    else:
        from bench.neighbours_cost import cost  # sets Django up and needs its database

        answer |= {"cost": (spent := cost()), "cpu_s_per_minute_10000_disks": spent["cpu_s_per_minute_10000_disks"]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
