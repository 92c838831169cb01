"""Is too much time lost, too fast? The burn-rate rules of semantics §6 on lost time instead of slow I/Os."""

from collections.abc import Mapping

from sla.domain.burn import RULES, fires

# A disk that lost less than this within the short window wakes nobody: a single hiccup is no trend.
MIN_LOST_MS = 5_000
# Only rules whose windows are minutes and hours: days are summed in slots of which there would be thousands.
LOST_RULES = tuple(rule for rule in RULES if rule.long_s <= 21_600)
LOST_WINDOWS_S = tuple(sorted({length for rule in LOST_RULES for length in (rule.long_s, rule.short_s)}))


def firing_lost(
    windows: Mapping[int, tuple[int, int]], objective_ppm: int, before: frozenset[str] = frozenset()
) -> frozenset[str]:
    """Names of the rules that hold. `windows`: length in s -> (lost ms, observed ms); `before`: those that held."""
    return frozenset(
        rule.name
        for rule in LOST_RULES
        if (rule.name in before or windows[rule.short_s][0] >= MIN_LOST_MS)
        and fires(rule, windows, objective_ppm, firing=rule.name in before)
    )
