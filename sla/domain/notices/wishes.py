"""Does this person want to know of this, and now? One person's wishes against one matter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, tzinfo
from enum import StrEnum

from sla.domain.incidents.words import Severity
from sla.domain.notices.moments import Quiet, next_time, quiet_until


class Way(StrEnum):
    """How a class of notices reaches somebody. Stored: written out, never changed."""

    NOW = "now"
    DIGEST = "digest"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What one person wants. Empty `pools` and `customers`: all that they may see."""

    zone: tzinfo
    ways: Mapping[Severity, Way]
    pools: frozenset[int] = frozenset()
    customers: frozenset[int] = frozenset()
    quiet: Quiet | None = None
    quiet_for_pages: bool = False
    digest_at: time = time(8)


@dataclass(frozen=True, slots=True)
class Matter:
    """What there is to tell, as far as this person may know of it."""

    severity: Severity
    pools: frozenset[int] = field(default_factory=frozenset)
    customers: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class When:
    """Not before `at`; `gathered`: together with what else has come until then."""

    at: datetime
    gathered: bool


def concerns(wishes: Wishes, matter: Matter) -> bool:
    """Is it about a pool or customer that was chosen? What is about none of either (the product itself) is for all."""
    for chosen, hit in ((wishes.pools, matter.pools), (wishes.customers, matter.customers)):
        if chosen and hit and not chosen & hit:
            return False
    return True


def when_to_tell(wishes: Wishes, matter: Matter, now: datetime) -> When | None:
    """When it may go out; None: not at all. Quiet hours hold everything but pages, and those too where so chosen."""
    way = wishes.ways[matter.severity]
    if way is Way.OFF or not concerns(wishes, matter):
        return None
    at = next_time(now, wishes.digest_at, wishes.zone) if way is Way.DIGEST else now
    if matter.severity is not Severity.PAGE or wishes.quiet_for_pages:
        held = quiet_until(at, wishes.quiet, wishes.zone)
        if held is not None:
            return When(held, True)
    return When(at, way is Way.DIGEST)
