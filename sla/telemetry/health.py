"""What does an agent say of its own cost and troubles, and how far is its clock off? Kept beside its machine, at most
once a minute.

An agent says it with one upload in ten, so nine take no more than before; what is odd in it is left out, for the frames
beside it must not suffer.
"""

from datetime import timedelta
from math import inf
from typing import Any

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from sla.fleet.models import Agent
from sla.telemetry.wire import AgentWords

# Name -> the largest figure that can be meant: 1,024 CPUs, 2^50 bytes, and so many frames in a spool or reads.
NUMBERS = {
    "cpu_ratio": 1024,
    "rss_bytes": 1 << 50,
    "spool_frames": 1 << 31,
    "spool_bytes": 1 << 50,
    "dropped_frames": 1 << 53,
    "fine_ms": 60_000,
    "canary_reads": 1 << 53,
}
LONGEST_ERROR = 200
SELDOM = timedelta(seconds=50)
# The least of so many uploads, twice: with one a minute what is known is 10 to 20 minutes old, and a clock that was set
# right is right again after that.
UPLOADS = 10
# What a process remembers of clocks: 200 bytes each.
REMEMBER_CLOCKS = 50_000
# Beyond a day a clock is not off but another one's: no agent could send frames by it.
MOST_OFF_S = 86_400
_clocks: dict[int, tuple[int, float, float]] = {}


def clock_offset(agent: int, sent_at: float | None, received: float) -> float | None:
    """By how many seconds the agent's clock is behind ours, at most: received - sent, the least of its last uploads,
    since the way here only adds. Below 0 it is ahead by at least as much. None where it did not say when it sent."""
    if sent_at is None or not abs(received - sent_at) <= MOST_OFF_S:
        return None
    count, least, before = _clocks.get(agent, (0, inf, inf))
    if count == UPLOADS:
        count, least, before = 0, inf, least
    if agent not in _clocks and len(_clocks) >= REMEMBER_CLOCKS:
        _clocks.clear()
    least = min(least, received - sent_at)
    _clocks[agent] = (count + 1, least, before)
    return min(least, before)


def health_of(said: AgentWords, agent: int, received: float) -> dict[str, Any]:
    """The figures that make sense; empty where nothing was said, as in most uploads."""
    offset = clock_offset(agent, said.sent_at, received)
    found: dict[str, Any] = {}
    for name, most in NUMBERS.items():
        value = getattr(said, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            found[name] = value
    if isinstance(said.last_error, str):
        found["last_error"] = said.last_error[:LONGEST_ERROR].replace("\0", "")
    if found and offset is not None:
        found["clock_offset_s"] = round(offset, 3)
    return found


def keep(agent: int, health: dict[str, Any]) -> bool:
    """False where the last word is under a minute old."""
    old = Q(health_at=None) | Q(health_at__lt=timezone.now() - SELDOM)
    return bool(Agent.objects.filter(old, pk=agent).update(health=health, health_at=Now()))
