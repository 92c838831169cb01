"""The pages in Chromium: a silent console, nothing for axe, nothing that scrolls sideways; the mail is to be seen."""

from collections.abc import Callable

import pytest

from sla.notifications.models import Notice
from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
WIDTHS = (1440, 768, 360)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_the_console_is_silent_and_nothing_scrolls_sideways(
    theme: str, outbox: list[Notice], people: People, open_page: Callable[..., Page]
) -> None:
    found: dict[str, list[str]] = {}
    whole, held = outbox[0].pk, outbox[-1].pk
    for path in ("/outbox", f"/outbox/{whole}", f"/outbox/{held}?form=plain", "/notifications", "/notifications/off/x"):
        page = open_page(people.noc, path, theme=theme, width=WIDTHS[0])
        lines = [line for line in page.complaints if not (page.response.status == 404 and "404" in line)]
        lines += page.accessibility()
        lines += [f"{over} px too wide at {width}" for width in WIDTHS if (over := page.overflow(width)) > 0]
        lines += page.accessibility()
        if lines:
            found[path] = lines
    assert not found


def test_the_mail_is_to_be_seen_in_its_frame(
    outbox: list[Notice], people: People, open_page: Callable[..., Page]
) -> None:
    page = open_page(people.noc, f"/outbox/{outbox[0].pk}").page
    frame = page.frame_locator("iframe.letter")
    assert "slow" in frame.locator("h1").inner_text()
    assert frame.locator("img").evaluate("image => image.naturalWidth") == 800
