"""The disk's page as hands and eyes meet it: charts drawn, keys, zoom, a minute opened, figures refreshed in place."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from tests.conftest import People
from tests.scoring.conftest import disk, machine  # noqa: F401  (fixtures)
from tests.web.browser import Page
from tests.web.disk_seed import seed

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
CHARTS = ("latency", "load", "queue", "heat", "operations", "throughput", "budget")


@pytest.fixture
def told(disk: Disk) -> Disk:  # noqa: F811
    seed(disk, int(time.time()) // 60 * 60, 305)
    return disk


def ink(page: Any, chart: str) -> int:
    """How many different pixels a chart's canvas has: 1 is a blank one."""
    return int(
        page.evaluate(
            """chart => {
              const canvas = document.querySelector(`[data-chart=${chart}] canvas`);
              const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              return new Set(new Uint32Array(image.data.buffer)).size;
            }""",
            chart,
        )
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_chart_is_drawn_axe_is_content_and_nothing_complains(
    theme: str, told: Disk, people: People, open_page: Open
) -> None:
    opened = open_page(people.noc, f"/disks/{told.pk}/?range=6h", theme=theme)
    assert {chart: ink(opened.page, chart) > 5 for chart in CHARTS} == dict.fromkeys(CHARTS, True)
    for details in opened.page.locator("details.twin summary").all()[:3]:
        details.click()
    opened.page.locator("#month summary").click()
    opened.page.locator("#month table").wait_for()
    opened.page.locator(".bar-of-states").first.press("Enter")
    opened.page.locator("#minute [data-part=body]").wait_for(state="visible")
    assert opened.accessibility() + opened.complaints == []


@pytest.mark.parametrize("width", [1440, 768, 360])
def test_it_fits_the_screen_with_a_minute_and_a_table_open(
    width: int, told: Disk, people: People, open_page: Open
) -> None:
    opened = open_page(people.a, f"/disks/{told.pk}/?range=6h", width=width)
    opened.page.locator("[data-chart=latency] details.twin summary").click()
    opened.page.locator("#month summary").click()
    opened.page.locator("#month table").wait_for()
    opened.page.locator("[data-chart=state] [role=slider]").press("Enter")
    opened.page.locator("#minute [data-part=body]").wait_for(state="visible")
    assert opened.overflow(width) <= 0


def test_arrows_walk_the_state_bar_and_say_what_each_cell_was(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    bar = page.locator("[data-chart=state] [role=slider]")
    bar.focus()
    last = bar.get_attribute("aria-valuetext")
    assert "breached" in last and "UTC" in last
    bar.press("ArrowLeft")
    bar.press("Home")
    assert bar.get_attribute("aria-valuenow") == "0"
    assert bar.get_attribute("aria-valuetext") != last
    assert page.locator("[data-chart=state] .cell.here").count() == 1


def test_a_click_on_a_chart_opens_the_minute_and_the_address_keeps_it(
    told: Disk, people: People, open_page: Open
) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    canvas = page.locator("[data-chart=latency] canvas")
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 0.75, "y": box["height"] / 2})
    page.locator("#minute [data-part=body]").wait_for(state="visible")
    assert page.locator("#minute .bar-of-seconds .cell").count() == 60
    assert "minute=" in page.url
    shown = page.locator("#minute [data-part=when]").inner_text()
    page.reload()
    page.locator("#minute [data-part=body]").wait_for(state="visible")
    assert page.locator("#minute [data-part=when]").inner_text() == shown


def test_dragging_zooms_into_the_address(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    box = page.locator("[data-chart=load] canvas").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=4)
    page.mouse.up()
    page.wait_for_url("**to=*")
    page.wait_for_load_state("networkidle")
    assert "range=" in page.url and "range=6h" not in page.url
    assert ink(page, "latency") > 5


def test_the_cross_hair_is_read_out_on_every_chart(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    box = page.locator("[data-chart=load] canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    said = {name: page.locator(f"[data-chart={name}] [data-part=readout]").inner_text() for name in CHARTS[:4]}
    assert all("UTC" in text for text in said.values()), said
    assert "read" in said["latency"] and "IOPS" in said["load"]
    assert "MB/s" in page.locator("[data-chart=throughput] [data-part=readout]").inner_text()


def test_a_refresh_changes_figures_without_moving_anything(told: Disk, people: People, open_page: Open) -> None:
    opened = open_page(people.noc, f"/disks/{told.pk}/?range=1h")
    page = opened.page
    heights = "[...document.querySelectorAll('[data-chart], #tiles, #minute')].map(e => e.getBoundingClientRect().top)"
    before, figure = page.evaluate(heights), page.locator("[data-tile=objective] [data-part=line]").inner_text()
    told.now.eligible += 1_000_000
    told.now.save()
    with page.expect_response(lambda response: "/data?" in response.url, timeout=15_000):
        pass
    page.wait_for_timeout(200)
    assert page.locator("[data-tile=objective] [data-part=line]").inner_text() != figure
    assert page.evaluate(heights) == before
    assert not opened.complaints


def test_a_server_that_does_not_answer_is_said(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=1h").page
    assert page.locator("#stale").is_hidden()
    page.clock.install()
    page.reload()
    page.route("**/data?**", lambda route: route.abort())
    page.clock.run_for(40_000)
    assert "not live" in page.locator("#stale").inner_text()


def test_tables_hold_the_same_points_with_dashes_for_gaps(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    page.locator("[data-chart=load] details.twin summary").click()
    rows = page.locator("[data-chart=load] tbody tr")
    rows.first.wait_for()
    assert rows.count() == 360
    texts = rows.all_inner_texts()
    assert sum("–" in text for text in texts) >= 10
    assert any("UTC" in text for text in texts)


def test_a_worst_minute_of_the_month_leads_to_its_seconds(told: Disk, people: People, open_page: Open) -> None:
    page = open_page(people.noc, f"/disks/{told.pk}/?range=6h").page
    page.locator("#month summary").click()
    link = page.locator("#month tbody a").first
    said = link.inner_text()
    link.click()
    page.locator("#minute [data-part=body]").wait_for(state="visible")
    assert "range=1h" in page.url
    assert page.locator("#minute [data-part=when]").inner_text() == said
