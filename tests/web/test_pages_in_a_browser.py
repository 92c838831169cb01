"""Every page in real Chromium: no complaint on the console, no sideways scroll, nothing for axe to find."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
WIDTHS = (1440, 768, 360)


def paths(disks: dict[str, Disk]) -> list[str]:
    worst, silent, over = (disks[name].pk for name in ("web-12/vda", "old-2/xvda", "build-2/vda"))
    return [
        "/",
        "/?state=breached",
        "/?q=nothing-has-this-name",
        f"/disks/{worst}/?range=1h",
        f"/disks/{over}/?range=24h",
        f"/disks/{silent}/?range=7d",
        "/agents",
        "/no-such-page",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_the_console_is_silent(
    theme: str, seeded: dict[str, Disk], people: People, open_page: Open
) -> None:
    found: dict[str, list[str]] = {}
    for path in paths(seeded):
        page = open_page(people.noc, path, theme=theme)
        expected = [line for line in page.complaints if page.response.status == 404 and "404" in line]
        complaints = [line for line in page.complaints if line not in expected]
        if lines := complaints + page.accessibility():
            found[path] = lines
    assert not found


def test_the_theme_is_there_before_the_first_paint(people: People, open_page: Open) -> None:
    for theme in ("light", "dark"):
        page = open_page(people.noc, "/", theme=theme).page
        assert page.evaluate("document.documentElement.dataset.theme") == theme


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(width: int, seeded: dict[str, Disk], people: People, open_page: Open) -> None:
    wide = {path: over for path in paths(seeded) if (over := open_page(people.noc, path, width=width).overflow()) > 0}
    assert not wide


def test_login_leads_to_the_page_that_was_asked_for(people: People, open_page: Open) -> None:
    opened = open_page(None, "/agents")
    page: Any = opened.page
    assert "/login" in page.url
    assert not opened.accessibility()
    page.fill("input[name=username]", "noc")
    page.fill("input[name=password]", "wrong")
    page.click("button[type=submit]")
    assert page.locator("[role=alert]").inner_text()
    page.fill("input[name=username]", "noc")
    page.fill("input[name=password]", "a long password 1")
    page.click("button[type=submit]")
    page.wait_for_url("**/agents")
