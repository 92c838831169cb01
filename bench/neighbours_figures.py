"""Which figures come of many pools? Recall, precision, delays, accusations; intervals by drawing pools again."""

from collections.abc import Callable, Sequence

import numpy as np

from bench.neighbours_judge import Heard, Told

DRAWS = 300
# A slowdown that was meant to be twofold; the simulator's come out where its queues take them.
TWICE = (1.7, 2.4)
# A minute's frames are sent and scored within five seconds of its end, and pools are looked at every fifteen.
STORE_S = 20
X2_LENGTHS_S = {"5": 300, "10": 600, "30": 1_800}
Figure = Callable[[Sequence[Told]], float | None]


def heard(told: Sequence[Told]) -> list[Heard]:
    return [one for pool in told for one in pool.heard if one.fair]


def recall_x2(length_s: int) -> Figure:
    def figure(told: Sequence[Told]) -> float | None:
        mine = [one for one in heard(told) if one.length_s == length_s and TWICE[0] <= one.factor <= TWICE[1]]
        return sum(one.found for one in mine) / len(mine) if mine else None

    return figure


def precision(told: Sequence[Told]) -> float | None:
    windows = sum(pool.windows for pool in told)
    return 1 - sum(pool.false for pool in told) / windows if windows else None


def delay_min(quantile: float) -> Figure:
    """From the onset to the window in the store, where slots are minutes as they are live; a ramp has no onset."""

    def figure(told: Sequence[Told]) -> float | None:
        mine = [one for one in heard(told) if one.step_s == 60 and one.kind not in ("ramp", "spikes")]
        late = [one.delay_s + STORE_S for one in mine if one.delay_s is not None]
        return float(np.quantile(late, quantile)) / 60 if late else None

    return figure


def false_a_day(told: Sequence[Told]) -> float | None:
    clean = [pool for pool in told if pool.clean]
    days = sum(pool.days for pool in clean)
    return sum(pool.false for pool in clean) / days if days else None


def overload_a_day(told: Sequence[Told]) -> float | None:
    """Windows of pools without events that overload themselves now and then: true, and nobody's event."""
    clean = [pool for pool in told if pool.clean]
    days = sum(pool.days for pool in clean)
    return sum(pool.overload for pool in clean) / days if days else None


def top1(told: Sequence[Told]) -> float | None:
    mine = [one for one in heard(told) if one.found and one.culprit is not None]
    return sum(one.top == one.culprit for one in mine) / len(mine) if mine else None


def precision_at_recall(told: Sequence[Told]) -> float | None:
    """At the score from which four of five culprits are named."""
    return precision_of(
        [(one.score, one.top == one.culprit, one.culprit is not None) for one in heard(told) if one.found]
    )


def precision_of(scored: Sequence[tuple[float, bool, bool]], recall: float = 0.8) -> float | None:
    """From (score, right, somebody did it); None where the recall is never reached."""
    order = sorted(scored, key=lambda one: -one[0])
    wanted = recall * sum(one[2] for one in order)
    right = 0
    for place, (_, is_right, somebody) in enumerate(order, 1):
        right += is_right and somebody
        if right >= wanted and wanted:
            return right / place
    return None


def false_accusations(told: Sequence[Told]) -> float | None:
    """Of the events that no single disk did: how many got a name."""
    mine = [one for one in heard(told) if one.found and one.culprit is None]
    return sum(one.accused is not None for one in mine) / len(mine) if mine else None


def wrong_names(told: Sequence[Told]) -> float | None:
    mine = [one for one in heard(told) if one.accused is not None]
    return sum(one.accused != one.culprit for one in mine) / len(mine) if mine else None


def named(told: Sequence[Told]) -> float | None:
    """Of the culprits' events that were found: how many got the right name."""
    mine = [one for one in heard(told) if one.found and one.culprit is not None]
    return sum(one.accused == one.culprit for one in mine) / len(mine) if mine else None


def brier(told: Sequence[Told]) -> float | None:
    mine = [one for one in heard(told) if one.found]
    return (
        float(np.mean([(one.score - (one.culprit is not None and one.top == one.culprit)) ** 2 for one in mine]))
        if mine
        else None
    )


def cause_right(told: Sequence[Told]) -> float | None:
    mine = [one for one in heard(told) if one.found]
    return sum(one.said == one.cause for one in mine) / len(mine) if mine else None


FIGURES: dict[str, Figure] = {
    "precision": precision,
    "delay_median_min": delay_min(0.5),
    "delay_p90_min": delay_min(0.9),
    "false_windows_per_pool_day": false_a_day,
    "overload_windows_per_clean_pool_day": overload_a_day,
    "top1": top1,
    "precision_at_recall_0_8": precision_at_recall,
    "false_accusation_ratio": false_accusations,
    "wrong_name_ratio": wrong_names,
    "named_right_ratio": named,
    "brier": brier,
    "cause_right_ratio": cause_right,
}


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def interval(figure: Figure, told: Sequence[Told], seed: int = 1) -> list[float | None]:
    """95 % of the figure over pools drawn again with replacement."""
    rng = np.random.default_rng(seed)
    draws = [figure([told[place] for place in rng.integers(0, len(told), len(told))]) for _ in range(DRAWS)]
    known = [value for value in draws if value is not None]
    return [rounded(float(np.quantile(known, share))) for share in (0.025, 0.975)] if known else [None, None]


def by_kind(told: Sequence[Told]) -> list[dict[str, object]]:
    """One row a generator and scenario class."""
    every = heard(told)
    rows = []
    for source, kind in sorted({(one.source, one.kind) for one in every}):
        mine = [one for one in every if (one.source, one.kind) == (source, kind)]
        late = [one.delay_s for one in mine if one.delay_s is not None]
        culprits = [one for one in mine if one.found and one.culprit is not None]
        rows.append(
            {
                "generator": source,
                "class": kind,
                "events": len(mine),
                "recall": rounded(sum(one.found for one in mine) / len(mine)),
                "delay_median_min": rounded(float(np.median(late)) / 60) if late else None,
                "cause_right_ratio": rounded(cause_right([_only(mine)])),
                "top1": rounded(sum(one.top == one.culprit for one in culprits) / len(culprits)) if culprits else None,
                "named_falsely": sum(one.accused is not None and one.accused != one.culprit for one in mine),
            }
        )
    return rows


def _only(mine: list[Heard]) -> Told:
    return Told("", "", mine, 0, 0, 0, 0.0, False, 0, 0, 0)
