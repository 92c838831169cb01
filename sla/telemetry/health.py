"""What does an agent say of its own cost and troubles? Kept beside its machine, at most once a minute.

An agent says it with one upload in ten, so nine take no more than before; what is odd in it is left out, for the frames
beside it must not suffer.
"""

from datetime import timedelta
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


def health_of(said: AgentWords) -> dict[str, Any]:
    """The figures that make sense; empty where nothing was said, as in most uploads."""
    found: dict[str, Any] = {}
    for name, most in NUMBERS.items():
        value = getattr(said, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            found[name] = value
    if isinstance(said.last_error, str):
        found["last_error"] = said.last_error[:LONGEST_ERROR].replace("\0", "")
    return found


def keep(agent: int, health: dict[str, Any]) -> bool:
    """False where the last word is under a minute old."""
    old = Q(health_at=None) | Q(health_at__lt=timezone.now() - SELDOM)
    return bool(Agent.objects.filter(old, pk=agent).update(health=health, health_at=Now()))
