"""What an agent takes of its machine and what troubles it, as people read it."""

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from sla import figures
from sla.fleet.models import Agent

KIB = 1024
# So far off a clock puts I/Os into other minutes than the other side's; a good one is off by milliseconds.
OFF_S = 2.0


@dataclass(frozen=True, slots=True)
class Words:
    """Cells of the list of agents; empty where it has not said."""

    cost: str = ""
    spool: str = ""
    error: str = ""
    clock: str = ""
    clock_off: bool = False


def size(count: float) -> str:
    """ "3.5 GiB"."""
    unit = "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < KIB or unit == "TiB":
            break
        count /= KIB
    return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"


def words(agent: Agent | None) -> Words:
    """For a row."""
    told = agent.health if agent else {}
    cost = [_cpu(told["cpu_ratio"])] if "cpu_ratio" in told else []
    cost += [size(told["rss_bytes"])] if "rss_bytes" in told else []
    cost += [_canary(told)] if "canary_reads" in told else []
    return Words(" · ".join(cost), _spool(told), told.get("last_error", ""), clock(agent), is_off(agent))


def clock(agent: Agent | None) -> str:
    """Against the server's."""
    offset = agent.health.get("clock_offset_s") if agent else None
    if offset is None:
        return gettext("not known")
    told = {"seconds": figures.decimal(f"{abs(offset):.1f}")}
    if told["seconds"] == figures.decimal("0.0"):
        return gettext("right")
    return gettext("%(seconds)s s behind") % told if offset > 0 else gettext("%(seconds)s s ahead") % told


def is_off(agent: Agent | None) -> bool:
    """By so much that somebody should look; what is not known is not said to be off."""
    return abs((agent.health if agent else {}).get("clock_offset_s", 0.0)) >= OFF_S


def rows(agent: Agent | None) -> list[tuple[str, str]]:
    """For the machine's page, a name and a value each."""
    told = agent.health if agent else {}
    found = [
        (gettext("CPU, uploads included"), _cpu(told["cpu_ratio"]) if "cpu_ratio" in told else ""),
        (gettext("memory"), size(told["rss_bytes"]) if "rss_bytes" in told else ""),
        (gettext("reads the counters"), gettext("every %s ms") % told["fine_ms"] if "fine_ms" in told else ""),
        (gettext("asked of idle disks"), _canary(told) if "canary_reads" in told else ""),
        (gettext("clock, against the server’s"), clock(agent) if told else ""),
        (gettext("spool"), _spool(told)),
        (gettext("last trouble"), told.get("last_error", "")),
    ]
    return [(name, value) for name, value in found if value]


def _cpu(ratio: float) -> str:
    return gettext("%s %% of a CPU") % f"{100 * ratio:.2f}"


def _canary(told: dict[str, int]) -> str:
    count = told["canary_reads"]
    return ngettext("%s canary read", "%s canary reads", count) % count


def _spool(told: dict[str, int]) -> str:
    if "spool_frames" not in told:
        return ""
    count, dropped = told["spool_frames"], told.get("dropped_frames", 0)
    text = ngettext("%s frame waits", "%s frames wait", count) % count if count else gettext("empty")
    if count and "spool_bytes" in told:
        text += f", {size(told['spool_bytes'])}"
    return text + (gettext(", %s dropped") % dropped if dropped else "")
