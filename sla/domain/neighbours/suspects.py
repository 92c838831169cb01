"""Whose load slowed the pool down, and how sure is that? Or is there no single culprit?

A conditional logit (McFadden 1974): each disk has a figure from its features, "nobody alone" has a fixed one, and the
probabilities of all of them make 1. So it may always say that nobody did it.
"""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.features import features, rise_places
from sla.domain.neighbours.fitted import ACCUSE, ACCUSE_WHEN_UP, NOBODY, WEIGHTS
from sla.domain.neighbours.slots import Floats
from sla.domain.neighbours.work import Scene

# The pool's load is up from here on: a quarter more than the hour before, and three times what it moves by itself.
LOAD_UP, MOVEMENTS_UP = 0.25, 3.0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A disk by place; score: probability that it did it; share: of the pool's load in the window; grew: its share of
    the additional load; lag_s: from the rise of its load to the rise of the latency, None where it did not rise."""

    disk: int
    score: float
    share: float
    grew: float
    lag_s: int | None


@dataclass(frozen=True, slots=True)
class Suspicion:
    """All disks of a pool, (D,) each: probability, share of the load, share of the additional load; and nobody's.

    rise: the pool's work in the window over its work before, minus 1; movement: how far it goes from that by itself.
    """

    score: Floats
    share: Floats
    grew: Floats
    rise_at: Floats
    nobody: float
    rise: float
    movement: float

    @property
    def accused(self) -> int | None:
        """The one whom it names; None: no single culprit."""
        if not len(self.score):
            return None
        first = int(np.argmax(self.score))
        enough = ACCUSE_WHEN_UP if self.load_up else ACCUSE
        return first if self.score[first] >= enough else None

    @property
    def load_up(self) -> bool:
        """Did the pool ask for much more than before, and than it does by itself?"""
        return self.rise >= max(LOAD_UP, MOVEMENTS_UP * self.movement)

    def named(self, step_s: int, least: float = 0.05, most: int = 5) -> list[Suspect]:
        """Those worth looking at, most likely first."""
        order = [int(place) for place in np.argsort(-self.score)[:most] if self.score[place] >= least]
        return [
            Suspect(
                disk,
                float(self.score[disk]),
                float(self.share[disk]),
                float(self.grew[disk]),
                None if np.isnan(self.rise_at[disk]) else int(-self.rise_at[disk] * step_s),
            )
            for disk in order
        ]


def probabilities(table: Floats) -> tuple[Floats, float]:
    """(D,) and nobody's, from features (D, F)."""
    figure = table @ np.array(WEIGHTS)
    top = max(float(figure.max(initial=NOBODY)), NOBODY)
    odds, none = np.exp(figure - top), float(np.exp(NOBODY - top))
    total = float(odds.sum()) + none
    return odds / total, none / total


def suspicion(scene: Scene) -> Suspicion:
    """Every disk's part in the window."""
    usual, during = scene.usual, scene.during
    more = np.maximum(during - usual, 0.0)
    score, nobody = probabilities(features(scene))
    place = rise_places(scene, usual, more).astype(np.float64)
    inside = int(scene.inside.sum())
    return Suspicion(
        score=score,
        share=during / max(float(during.sum()), 1e-9),
        grew=more / max(float(more.sum()), 1e-9),
        rise_at=np.where((more > 0) & (place < inside), place, np.nan),
        nobody=nobody,
        rise=float(during.sum()) / max(float(usual.sum()), 1e-9) - 1.0,
        movement=_movement(scene),
    )


def _movement(scene: Scene) -> float:
    """Deviation of the pool's work over the calm slots before, as a share of it."""
    total = scene.work[:, scene.before].sum(axis=0)
    middle = float(np.median(total))
    return 1.4826 * float(np.median(np.abs(total - middle))) / max(middle, 1e-9)
