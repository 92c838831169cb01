"""The pages in Chromium: a silent console, nothing for axe, nothing that scrolls sideways; the mail is to be seen."""

from collections.abc import Callable

import pytest

from sla.notifications.models import Notice
from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]


def test_nothing_is_to_say_against_them(
    outbox: list[Notice], people: People, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    whole, held = outbox[0].pk, outbox[-1].pk
    paths = ("/outbox", f"/outbox/{whole}", f"/outbox/{held}?form=plain", "/notifications", "/notifications/off/x")
    assert faults_of((people.noc, path) for path in paths) == {}


def test_the_mail_is_to_be_seen_in_its_frame(
    outbox: list[Notice], people: People, open_page: Callable[..., Page]
) -> None:
    page = open_page(people.noc, f"/outbox/{outbox[0].pk}").page
    frame = page.frame_locator("iframe.letter")
    assert "slow" in frame.locator("h1").inner_text()
    assert frame.locator("img").evaluate("image => image.naturalWidth") == 800
