"""kill -9 of whoever delivers, at any point: nothing is lost, and what comes twice carries the same Message-ID."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from sla.notifications.models import Notice
from tests.conftest import People
from tests.notifications.conftest import MakeDisks, opened
from tests.notifications.sink import Sink, kill

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
State = Notice.State
# A machine that has much else to do starts a program slowly.
PATIENCE_S = 240


def environment(sink: Sink) -> dict[str, str]:
    """Of a worker that uses the test's database and mail server."""
    name = connection.settings_dict["NAME"]
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()  # over a socket too
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_FILE")}
    mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(django_settings.EMAIL_PORT), "EMAIL_TIMEOUT": "5"}
    return {**kept, **mail, "DATABASE_URL": url, "SECRET_KEY": django_settings.SECRET_KEY, "TEST_DATABASE_NAME": ""}


@contextmanager
def worker(sink: Sink) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "manage.py", "deliver", "--seconds", "60"]
    process = subprocess.Popen(command, cwd=django_settings.BASE_DIR, env=environment(sink), stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def finish(sink: Sink) -> None:
    """A worker that nobody kills; it is through when nothing is due."""
    sink.after_data = lambda message: None
    with worker(sink) as process:
        assert process.wait(PATIENCE_S) == 0


def proved(sink: Sink) -> Counter[str]:
    """Nothing lost, nothing invented; how often each Message-ID came."""
    came = Counter(sink.ids)
    assert set(came) == set(Notice.objects.values_list("message_id", flat=True))
    assert set(Notice.objects.values_list("state", flat=True)) == {State.SENT}
    for message_id in came:
        assert len({mail.to for mail in sink.mails if mail.message_id == message_id}) == 1
        bodies = {mail.raw for mail in sink.mails if mail.message_id == message_id}
        assert len(bodies) == 1
    return came


def test_killed_between_the_servers_250_and_our_commit_it_comes_again_as_the_same_mail(
    readers: People, make_disks: MakeDisks, sink: Sink
) -> None:
    for disk in make_disks(3):
        opened([disk], timezone.now())
    for _ in range(3):
        with worker(sink) as process:
            sink.after_data = lambda message, pid=process.pid: kill(pid)
            process.wait(PATIENCE_S)
    finish(sink)
    came = proved(sink)
    assert sum(came.values()) == 6 + 3  # each kill repeats the one mail that was taken over and not yet written down


def test_killed_at_any_moment_nothing_is_lost(readers: People, make_disks: MakeDisks, sink: Sink) -> None:
    choose = random.Random(5)
    for disk in make_disks(15):
        opened([disk], timezone.now())
    kills = 0
    while kills < 4 and Notice.objects.exclude(state=State.SENT).exists():
        seen = sink.tried
        with worker(sink) as process:
            while process.poll() is None and sink.tried == seen:
                time.sleep(0.005)
            time.sleep(choose.uniform(0, 0.15))
            kill(process.pid)
            kills += 1
    finish(sink)
    came = proved(sink)
    assert kills == 4
    assert sum(came.values()) <= 30 + kills


def test_a_worker_that_is_alive_is_not_taken_for_dead(readers: People, make_disks: MakeDisks, sink: Any) -> None:
    opened(make_disks(1), timezone.now())
    sink.hang_s = 1.5
    with worker(sink) as first:
        patience = time.monotonic() + PATIENCE_S
        while not sink.tried:
            assert first.poll() is None and time.monotonic() < patience, "the worker tried nothing"
            time.sleep(0.01)
        with worker(sink) as second:  # it finds the lock held, and ends without a try
            assert second.wait(PATIENCE_S) == 0
        assert first.wait(PATIENCE_S) == 0
    assert max(proved(sink).values()) == 1
