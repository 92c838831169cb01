"""What is the server told of the agent's own cost and troubles, and when: seldom, and when something is new."""

from __future__ import annotations

from .core.terms import PPM
from .state import SAMPLER, State, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Mapping

    Words = Dict[str, Any]

# A page that shows a cost of ten minutes ago is fresh enough; a new error is told with the next upload.
EVERY_S = 600
LEAST_S = 60
LONGEST_ERROR = 200


def words(state: State, uplink: Mapping[str, object], trouble: str) -> Words:
    """The keys of protocol.md's `agent` object; what is not known is left out.

    `uplink`: its notes, with what the last one left in the spool: what goes along now does not wait.
    """
    sampler = notes(state, SAMPLER)
    told: Words = {}
    if "cpu_ppm" in sampler:
        told["cpu_ratio"] = int(sampler["cpu_ppm"]) / PPM
    for name, source in (
        ("rss_bytes", "rss_bytes"),
        ("fine_ms", "cadence_ms"),
        ("canary_reads", "canary_reads"),
    ):
        if source in sampler:
            told[name] = int(sampler[source])
    for name in ("spool_frames", "spool_bytes"):
        if uplink.get(name) is not None:
            told[name] = int(str(uplink[name]))
    told["dropped_frames"] = int(str(uplink.get("dropped", 0))) + int(sampler.get("dropped", 0))
    told["last_error"] = (trouble or str(uplink.get("remarks") or "") or sampler.get("trouble", ""))[:LONGEST_ERROR]
    return told


def due(told: Words, uplink: Mapping[str, object], now: float) -> bool:
    """Is it time to tell? `uplink` holds what was told last."""
    since = now - float(str(uplink.get("told_at", 0)))
    if since >= EVERY_S or since < 0:
        return True
    news = str(uplink.get("told", "")) != _news(told)
    return news and since >= LEAST_S


def told_pairs(told: Words, now: float) -> dict[str, object]:
    """What to remember once the server has it."""
    return {"told_at": int(now), "told": _news(told)}


def _news(told: Words) -> str:
    # Its cost is known after two minutes: a newcomer says it then, and not ten minutes later.
    known = "cpu_ratio" in told
    return f"{known} {told.get('dropped_frames')} {told.get('fine_ms')} {told.get('last_error')}".replace("\n", " ")
