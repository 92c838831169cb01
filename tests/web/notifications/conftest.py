"""An outbox with every state in it: real incidents of the seeded fleet, told to real people."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from sla.fleet.models import Disk
from sla.notifications.deliver import deliver
from sla.notifications.models import Notice
from tests.conftest import People
from tests.notifications.conftest import opened, resolved
from tests.notifications.sink import Server, Sink

STATES = ("failed", "given_up", "queued", "sending", "kept")


@pytest.fixture
def sink(settings: Any) -> Iterator[Sink]:
    made = Sink()
    server = Server(made)
    server.start()
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", server.port, False
    yield made
    server.stop()


@pytest.fixture
def outbox(people: People, seeded: dict[str, Disk], sink: Sink) -> list[Notice]:
    """Ten notices, half of them sent, the others each as they may be."""
    for user in (people.noc, people.a):
        user.email = f"{user.username}@example.com"
        user.save()
    now = timezone.now()
    incident = opened([seeded["web-12/vda"], seeded["db-3/vdb"]], now - timedelta(minutes=9), pool=None)
    deliver()
    resolved(incident, now)
    deliver()
    for number, name in enumerate(("ci-22/vdb", "build-2/vda", "erp-1/vda")):
        opened([seeded[name]], now, severity=("page", "ticket", "ticket")[number])
    deliver()
    made = list(Notice.objects.order_by("id"))
    for notice, state in zip(made[-len(STATES) :], STATES, strict=True):
        error = "451 4.3.0 later" if state == "failed" else ("550 no such user" if state == "given_up" else "")
        Notice.objects.filter(pk=notice.pk).update(state=state, last_error=error)
    return list(Notice.objects.order_by("id"))
