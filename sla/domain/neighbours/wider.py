"""Did several pools slow down at the same moment? Then the trouble lies above them: network, controller, power.

Pools open windows now and then, each on its own, as a Poisson process does. `chance` is the probability that around one
window so many others begin within the minutes that count as the same moment, given how often pools opened such windows
in the days before. Where that is RARE, chance is no explanation (semantics §9).

A pool whose own load went up explains itself: nightly backups begin everywhere at two o'clock. It is counted neither
among the others nor in how often there are any. Only where more pools than have such an explanation show that the
trouble lies above, one that names no disk of its own is taken to share it.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import exp

DAY_S = 86_400
# A window begins with a slot, and a pool's first slow one may lie hidden in its noise.
TOGETHER_S = 180
# One window in a hundred may find such company by chance.
RARE = 0.01
# How often pools open windows is counted over so long a time before, and never taken for less a day than they may
# open by chance alone (semantics §9).
PAST_S, LEAST_A_DAY = 7 * DAY_S, 0.1


@dataclass(frozen=True, slots=True)
class Onset:
    """Where a window of a whole pool begins; `window` names it. explained: by the pool's own load; named: by one disk
    of it."""

    window: int
    pool: int | str
    start: int
    explained: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Company:
    """How many pools slowed down with a window, itself among them, and how probable that is by chance."""

    pools: int
    chance: float

    @property
    def confidence(self) -> float:
        """That it is no coincidence."""
        return 1.0 - self.chance


def together(onsets: Iterable[Onset], pools: int, step_s: int, since: int) -> dict[int, Company]:
    """Windows with company that chance does not explain, of a fleet of so many pools. `onsets`: those of PAST_S before
    as well, for how often there are any; since: from when on the pools have been watched at all."""
    listed = sorted(onsets, key=lambda one: one.start)
    starts = [one.start for one in listed]
    by_themselves = [one.start for one in listed if not one.explained]
    reach = max(TOGETHER_S, step_s)
    found: dict[int, Company] = {}
    for first, start in enumerate(starts):
        near = listed[first : bisect_left(starts, start + reach + 1)]
        showing = {one.pool for one in near if not one.explained}
        if len(showing) < 2:
            continue
        before = bisect_left(by_themselves, start) - bisect_left(by_themselves, start - PAST_S)
        watched = max(min(start - since, PAST_S), step_s)
        a_day = max(before * DAY_S / watched, LEAST_A_DAY * pools)
        rare = chance(len(showing) - 1, a_day * (2 * reach + step_s) / DAY_S)
        if rare > RARE:
            continue
        around = listed[bisect_left(starts, start - reach) : bisect_left(starts, start + reach + 1)]
        few = len({one.pool for one in around if one.explained}) < len(showing)
        sharing = [one for one in near if not one.explained or (few and not one.named)]
        count = len({one.pool for one in sharing})
        for one in sharing:
            if one.window not in found or found[one.window].pools < count:
                found[one.window] = Company(count, rare)
    return found


def chance(least: int, expected: float) -> float:
    """That a Poisson variable of that mean is `least` or more. Its terms are added, so that small chances are exact."""
    term = exp(-expected)
    for number in range(1, least + 1):
        term *= expected / number
    total, number = 0.0, least
    while term > 1e-18 and total + term > total:
        total += term
        number += 1
        term *= expected / number
    return min(total, 1.0)
