"""Is the mail server there? One that is away rests a little longer after each try, a minute at most."""

import random
from datetime import datetime, timedelta

from django.db.models import F
from django.db.models.functions import Coalesce

from sla.domain.notices.patience import server_wait_s
from sla.notifications.models import Server


def rests(name: str, now: datetime) -> bool:
    return Server.objects.filter(name=name, resting_until__gt=now).exists()


def failed(name: str, why: str, now: datetime) -> None:
    """Only who holds the delivery's lock says so, so that two cannot say it at once."""
    server, _ = Server.objects.get_or_create(name=name)
    wait = timedelta(seconds=server_wait_s(server.failures + 1, random.random()))  # noqa: S311
    Server.objects.filter(name=name).update(
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", now),
        resting_until=now + wait,
        last_error=why[:500],
    )


def works(name: str, now: datetime) -> None:
    Server.objects.update_or_create(
        name=name,
        defaults={"failures": 0, "failing_since": None, "resting_until": None, "ok_at": now, "last_error": ""},
    )
