"""Mail of a new statement: to its customer's people who want it, ready in the outbox when the statement is there."""

import pytest

from sla.accounts.models import Membership, User
from sla.notifications.deliver import deliver
from sla.notifications.mime import message
from sla.notifications.models import Notice, Preference
from tests.reports.conftest import Month

pytestmark = pytest.mark.django_db


@pytest.fixture
def addressed(month: Month) -> Month:
    for user in User.objects.all():
        user.email = f"{user.username}@example.org"
        user.save()
    return month


def test_the_customers_people_are_told_and_nobody_else(addressed: Month) -> None:
    statement = addressed.freeze()
    notice = Notice.objects.get(topic="statement")
    assert notice.person == addressed.people.a
    assert "1 of 4 disks was out of contract" in notice.subject
    assert f"/reports/{statement.pk}" in notice.plain and statement.code in notice.plain
    assert f"/reports/{statement.pk}" in notice.html and "/notifications/off/" in notice.plain
    assert message(notice)["Subject"] == notice.subject


def test_who_turned_news_off_or_left_gets_none(addressed: Month) -> None:
    Preference.objects.create(user=addressed.people.a, info="off")
    Membership.objects.create(user=addressed.people.stranger, customer=addressed.people.customer_a)
    User.objects.filter(pk=addressed.people.stranger.pk).update(is_active=False)
    addressed.freeze()
    assert not Notice.objects.filter(topic="statement").exists()


def test_the_outbox_sends_it_as_it_was_written(addressed: Month) -> None:
    addressed.freeze()
    before = Notice.objects.get(topic="statement").plain
    deliver()
    notice = Notice.objects.get(topic="statement")
    assert notice.plain == before
    assert notice.state == Notice.State.KEPT  # no mail server is named here: it can be read on the page
