"""From which signal on is a pool contended? Thresholds for so many of the last few slots."""

from dataclasses import dataclass
from math import log

# A slowdown under 1.2x is nobody's business, however sure it is.
LEAST_SLOWDOWN = log(1.2)
# Slots without contention after which a window is over.
CALM_SLOTS = 5
CALM_S = 300
# A slot of so many seconds is no hiccup: it may open a window alone. A single slow minute may not.
LONG_STEP_S = 180


@dataclass(frozen=True, slots=True)
class Rule:
    """`count` of the last `among` slots exceed a level. The level is at least `deviations` of the calm signal, and what
    the figure reached in the past; of that no more than `most`, however wild it was: slots that far out are an event.
    `lasting`: the newest slot is at least this share of the largest of them (as logarithms)."""

    count: int
    among: int
    deviations: float
    most: float
    lasting: float = 0.0


# A hiccup that runs over the turn of a minute leaves a large slot and a small one: that is not two of them.
LASTING = 1 / 3


# Four in a row are asked for less: a pool that overloads itself every day has two or three such minutes now and then,
# and its other levels stand as high as they may; a lasting slowdown of it must not hide below them.
SHORT = (
    Rule(2, 2, 5.0, log(2.0), LASTING),
    Rule(2, 4, 5.5, log(2.2), LASTING),
    Rule(3, 5, 4.0, log(1.8)),
    Rule(4, 4, 5.0, log(1.55)),
)
LONG = (Rule(1, 1, 6.0, log(2.2)), Rule(2, 3, 4.5, log(2.0)), Rule(3, 5, 4.0, log(1.8)))
LONGEST = max(rule.among for rule in SHORT + LONG)


def rules(step_s: int) -> tuple[Rule, ...]:
    """Three of five, shorter ways for what is far out, and a longer one for what is not."""
    return LONG if step_s >= LONG_STEP_S else SHORT


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Logarithms: a window opens when `rules[k]` finds its slots at `opens[k]`; a slot at or above `hot` belongs to a
    window once there is one."""

    rules: tuple[Rule, ...]
    opens: tuple[float, ...]
    hot: float

    @property
    def least(self) -> float:
        """The least slowdown that opens a window if it lasts: what a calm pool can say it would have seen."""
        return min(self.opens)


def calm_slots(step_s: int) -> int:
    """Five minutes, at least two slots."""
    return max(2, min(CALM_SLOTS, -(-CALM_S // step_s)))
