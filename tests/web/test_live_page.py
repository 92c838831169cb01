"""The fleet page in Chromium, left open: it refreshes, says how old it is, and says when nobody answers."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow
from tests.conftest import People
from tests.web import fleet
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
ONE = tuple(part for part in fleet.FLEET if part.machine == "erp-1")
BREACHED = "document.querySelector('#tile-breached .figure').textContent"


@pytest.fixture
def calm(people: People) -> Disk:
    """One disk that keeps its contract."""
    return fleet.build(5, ONE)["erp-1/vda"]


def refresh(page: Any) -> None:
    """As the timer does it."""
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true"):
        page.evaluate("document.body.dispatchEvent(new CustomEvent('refresh'))")
    page.wait_for_timeout(200)


def test_a_breach_reaches_tiles_title_and_icon_without_a_reload(calm: Disk, people: People, open_page: Open) -> None:
    opened = open_page(people.noc, "/")
    page = opened.page
    assert (page.title(), page.evaluate(BREACHED)) == ("Fleet · Plimsoll", "0")
    page.evaluate("window.kept = true")
    DiskNow.objects.filter(disk=calm).update(state=State.BREACHED, rank=WORST_FIRST.index(State.BREACHED))
    refresh(page)
    assert page.evaluate(BREACHED) == "1"
    assert page.title().startswith("▲ 1 breached")
    assert "breached" in page.get_attribute("link[rel=icon]", "href")
    assert page.locator(".burn-row").count() == 1
    assert page.evaluate("window.kept")
    refresh(page)  # what came in by a refresh refreshes in turn
    assert opened.complaints == []


def test_it_asks_by_itself_every_ten_seconds(calm: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, "/").page
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true", timeout=13_000):
        pass


def test_nobody_answers_and_the_page_says_so(calm: Disk, people: People, open_page: Open) -> None:
    page = open_page(None, "/login").page
    page.clock.install()
    page.fill("input[name=login]", "noc")
    page.fill("input[name=password]", "a long password 1")
    page.click("button[type=submit]")
    page.wait_for_url("**/")
    page.route("**/*", lambda route: route.abort())
    assert not page.locator("#stale").is_visible()
    page.clock.run_for(50_000)
    assert page.locator("#stale").is_visible()
    assert "ago" in page.locator(".freshness").first.inner_text()


def test_the_first_disk_turns_the_lesson_into_the_list(people: People, open_page: Open) -> None:
    page = open_page(people.noc, "/").page
    assert page.locator("#rows").count() == 0
    fleet.build(5, ONE)
    page.evaluate("document.body.dispatchEvent(new CustomEvent('refresh'))")
    page.locator("#rows").wait_for()


def test_a_slash_goes_to_the_search_and_the_theme_stays_chosen(calm: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, "/").page
    page.keyboard.press("/")
    page.keyboard.type("erp-1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=erp-1")
    page.click("#theme-switch")
    page.click("#theme-switch")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.get_attribute("#theme-switch", "aria-label") == "Theme: dark"


def test_the_zone_is_said_beside_the_clock_and_changes_with_a_click(people: People, open_page: Open) -> None:
    page = open_page(people.noc, "/").page
    assert page.locator("#clock").inner_text().endswith(" UTC")
    page.click("#zone-switch")
    assert page.evaluate("localStorage.getItem('zone')") == "mine"
