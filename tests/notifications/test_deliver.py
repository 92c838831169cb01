"""Mail over a real SMTP server: taken, refused, greylisted, hanging, gone; every notice at least once."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from sla.accounts.models import User
from sla.notifications.deliver import deliver
from sla.notifications.models import Notice, Server
from sla.notifications.services import forget_letters, retry, send_test
from tests.conftest import People
from tests.notifications.conftest import Clock, MakeDisks, notices, opened, resolved
from tests.notifications.sink import Sink

pytestmark = pytest.mark.django_db
State = Notice.State


def states() -> list[str]:
    return [notice.state for notice in notices()]


def test_mail_is_taken_over_by_the_server_and_then_it_is_sent(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    opened(make_disks(1), clock.now)
    assert deliver().sent == 2
    assert {mail.to for mail in sink.mails} == {"noc@example.com", "a@example.com"}
    assert states() == [State.SENT, State.SENT]
    assert deliver().sent == 0
    assert len(sink.mails) == 2


def test_the_end_comes_in_the_thread_of_the_beginning(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    incident = opened(make_disks(1), clock.now)
    deliver()
    resolved(incident, clock.on(minutes=7))
    deliver()
    first, second = (mail.message for mail in sink.mails if mail.to == "noc@example.com")
    assert first["References"] == second["References"] == second["In-Reply-To"]
    assert second["Subject"] == f"Re: {first['Subject']}"
    assert first["Message-ID"] != second["Message-ID"]
    assert "Recovered" in second.get_body(("plain",)).get_content()


def test_who_is_greylisted_is_tried_again_later_with_the_same_mail(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    begun = clock.now
    sink.at_rcpt = lambda address: "450 4.2.0 Greylisted" if clock.now - begun < timedelta(minutes=5) else None
    opened(make_disks(1), clock.now)
    while clock.now - begun < timedelta(minutes=20) and set(states()) != {State.SENT}:
        deliver()
        clock.on(seconds=5)
    assert states() == [State.SENT, State.SENT]
    assert sink.tried <= 2 * 8
    assert len(set(sink.ids)) == len(sink.ids) == 2


def test_a_mailbox_that_does_not_exist_is_given_up_and_the_others_are_sent(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    sink.at_rcpt = lambda address: "550 5.1.1 No such user here" if address.startswith("noc@") else None
    opened(make_disks(1), clock.now)
    done = deliver()
    assert (done.sent, done.given_up) == (1, 1)
    (given_up,) = notices(readers.noc)
    assert (given_up.state, given_up.last_error) == (State.GIVEN_UP, "550 5.1.1 No such user here")
    assert "given up" in caplog.text


def test_a_message_refused_for_now_is_tried_again_and_the_connection_serves_the_rest(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    sink.at_data = lambda message: "451 4.3.0 later" if message["To"] == "noc@example.com" else None
    opened(make_disks(1), clock.now)
    deliver()
    assert states() == [State.FAILED, State.SENT]
    sink.at_data = lambda message: None
    clock.on(minutes=1)
    deliver()
    assert states() == [State.SENT, State.SENT]


def test_a_server_that_is_away_is_asked_once_in_a_while_and_nothing_is_lost(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    sink.server.stop()  # type: ignore[attr-defined]
    for _ in range(12):
        opened(make_disks(1), clock.now)
    for _ in range(60):
        deliver()
        clock.on(seconds=2)
    server = Server.objects.get(name="mail")
    assert 5 <= server.failures <= 9  # two minutes: 2, 4, 8, 16, 32, 60 s apart
    assert "ConnectionRefused" in server.last_error
    assert sum(notice.attempts for notice in notices()) <= server.failures
    sink.server.start()  # type: ignore[attr-defined]
    for _ in range(60):
        deliver()
        clock.on(seconds=2)
    assert states() == [State.SENT] * 24
    assert len(set(sink.ids)) == len(sink.ids) == 24
    assert Server.objects.get(name="mail").failures == 0


def test_a_server_that_hangs_costs_one_time_limit_a_run(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink, settings
) -> None:
    settings.EMAIL_TIMEOUT = 1
    sink.hang_s = 3
    for _ in range(5):
        opened(make_disks(1), clock.now)
    begun = time.monotonic()
    deliver()
    assert time.monotonic() - begun < 3.5
    assert states().count(State.FAILED) == 1
    assert states().count(State.QUEUED) == 9


def test_after_three_days_it_is_given_up_and_a_person_may_try_again(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    sink.at_rcpt = lambda address: "452 4.2.2 Mailbox full"
    opened(make_disks(1), clock.now)
    tries = 0
    while State.FAILED in states() or State.QUEUED in states():
        deliver()
        tries += 1
        clock.on(minutes=31)
    assert 140 <= tries <= 160
    assert states() == [State.GIVEN_UP, State.GIVEN_UP]
    sink.at_rcpt = lambda address: None
    assert retry(notice=notices(readers.noc)[0], by=readers.noc)
    deliver()
    assert states() == [State.SENT, State.GIVEN_UP]


def test_the_order_within_a_thread_is_kept(readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink) -> None:
    sink.at_rcpt = lambda address: "450 4.2.0 later"
    incident = opened(make_disks(1), clock.now)
    deliver()
    resolved(incident, clock.on(seconds=1))
    sink.at_rcpt = lambda address: None
    deliver()
    assert states() == [State.FAILED, State.FAILED, State.QUEUED, State.QUEUED]  # the end waits behind the beginning
    clock.on(minutes=1)
    deliver()
    deliver()
    assert states() == [State.SENT] * 4
    assert [mail.message["Subject"][:3] for mail in sink.mails if mail.to.startswith("noc")] == ["[Pl", "Re:"]


def test_pages_go_before_the_rest(readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink) -> None:
    opened(make_disks(1), clock.now, severity="ticket")
    opened(make_disks(1), clock.on(seconds=1), severity="page")
    deliver()
    listed = [str(mail.message["List-Id"]) for mail in sink.mails]
    assert [words.split()[1] for words in listed] == ["page", "page", "ticket", "ticket"]


def test_without_a_mail_server_it_is_written_out_and_kept(
    readers: People, make_disks: MakeDisks, clock: Clock, settings
) -> None:
    settings.EMAIL_HOST = ""
    opened(make_disks(1), clock.now)
    assert deliver().kept == 2
    (kept,) = notices(readers.noc)
    assert kept.state == State.KEPT
    assert "is slow" in kept.plain
    assert "EMAIL_URL" in kept.last_error


def test_one_that_cannot_be_rendered_holds_up_no_other(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sla.notifications import deliver as module  # the module, not its verb of the same name

    usual = module.render
    monkeypatch.setattr(module, "render", lambda one: 1 / 0 if one.person == readers.noc else usual(one))
    opened(make_disks(1), clock.now)
    deliver()
    assert states() == [State.FAILED, State.SENT]
    assert "ZeroDivisionError" in notices(readers.noc)[0].last_error


def test_a_test_mail_arrives_and_says_what_it_is(readers: People, clock: Clock, sink: Sink) -> None:
    send_test(person=readers.a)
    deliver()
    (mail,) = sink.mails
    assert mail.to == "a@example.com"
    assert "test you asked for" in mail.message.get_body(("plain",)).get_content()
    send_test(person=readers.a)  # pressed again at once: the same one
    clock.on(seconds=20)
    send_test(person=readers.a)
    deliver()
    assert len(sink.mails) == 2


@pytest.mark.django_db(transaction=True)
def test_two_at_once_send_each_notice_once(readers: People, make_disks: MakeDisks, sink: Sink) -> None:
    import threading

    from django.db import connection

    for _ in range(15):
        opened(make_disks(1), timezone.now())

    def run() -> None:
        deliver()
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    deliver()
    assert states() == [State.SENT] * 30
    assert len(sink.mails) == 30


def test_who_has_left_since_it_was_written_gets_nothing(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    opened(make_disks(1), clock.now)
    readers.a.memberships.all().delete()
    User.objects.filter(pk=readers.noc.pk).update(is_active=False)
    assert deliver().given_up == 2
    assert sink.mails == []
    assert "is gone" in notices()[0].last_error


def test_old_letters_lose_their_pages_and_keep_their_words(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    opened(make_disks(1), clock.now)
    deliver()
    opened(make_disks(1), clock.on(days=60))
    deliver()
    assert forget_letters(before=clock.now - timedelta(days=30)) == 2
    assert [bool(notice.html) for notice in notices()] == [False, False, True, True]
    assert all(notice.plain for notice in notices())
    assert forget_letters(before=clock.now - timedelta(days=30)) == 0
