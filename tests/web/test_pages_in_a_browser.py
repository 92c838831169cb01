"""Every page in real Chromium: no complaint on the console, no sideways scroll, nothing for axe to find."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]


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


def test_nothing_is_to_say_against_them(
    seeded: dict[str, Disk], people: People, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    assert faults_of((people.noc, path) for path in paths(seeded)) == {}


def test_axe_would_find_something(people: People, open_page: Open) -> None:
    page = open_page(people.noc, "/")
    page.page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert [line for line in page.accessibility() if line.startswith("image-alt")]


def test_the_theme_is_there_before_the_first_paint(people: People, open_page: Open) -> None:
    for theme in ("light", "dark"):
        page = open_page(people.noc, "/", theme=theme).page
        assert page.evaluate("document.documentElement.dataset.theme") == theme


def test_login_leads_to_the_page_that_was_asked_for(people: People, open_page: Open) -> None:
    opened = open_page(None, "/agents")
    page: Any = opened.page
    assert "/login" in page.url
    assert not opened.accessibility()
    page.fill("input[name=login]", "noc")
    page.fill("input[name=password]", "wrong")
    page.click("button[type=submit]")
    assert page.locator("[role=alert]:visible").inner_text()
    page.fill("input[name=login]", "noc")
    page.fill("input[name=password]", "a long password 1")
    page.click("button[type=submit]")
    page.wait_for_url("**/agents")


def test_the_pages_can_be_walked_by_keys(seeded: dict[str, Disk], people: People, open_page: Open) -> None:
    opened = open_page(people.noc, "/")
    page: Any = opened.page
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    assert not opened.accessibility()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("main .list .name a").first
    assert page.evaluate("document.activeElement.href") == first.evaluate("a => a.href")
    page.keyboard.press("Enter")
    page.wait_for_url("**/disks/*/")
    page.keyboard.press("[")
    page.wait_for_url("**to=*")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/agents")
    page.keyboard.press("/")
    page.keyboard.type("web-12")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=web-12*")
    assert page.locator("main .list tbody tr").count() == 1
