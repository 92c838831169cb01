"""An operator's morning in real Chromium: the worst disk, its worst minute, whose fault, acknowledged, maintained."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from sla.contracts.models import MaintenanceWindow
from sla.fleet.models import Disk, Pool
from sla.incidents.evaluate import evaluate_due
from sla.incidents.models import Incident
from tests.conftest import People
from tests.incidents.conftest import nobody_listens
from tests.web.browser import Page

__all__ = ["nobody_listens"]
pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]


def test_from_the_login_to_the_maintenance_of_the_pool(
    seeded: dict[str, Disk], people: People, open_page: Callable[..., Page]
) -> None:
    evaluate_due()
    opened = open_page(None, "/")
    page: Any = opened.page
    page.fill("input[name=login]", "noc")
    page.fill("input[name=password]", "a long password 1")
    page.click("form button.button-main")
    page.wait_for_selector(".burn-row")

    # The worst disk stands first; its page says how it stands and whether that is proved.
    worst = page.locator(".burn-row .who a").first
    name = worst.inner_text()
    worst.click()
    page.wait_for_url("**/disks/*/**")
    assert page.locator("h1").inner_text() == name
    assert "breached" in page.locator("#state").inner_text().lower()

    # Its worst minute, down to the seconds and the word of each.
    page.click("#month summary")
    page.locator("#month table a").first.click()
    page.wait_for_url("**minute=*")
    page.wait_for_selector("#minute canvas, #minute table")
    said = page.locator("#minute").inner_text()
    assert re.search(r"normal|pro rata|under.delivery|stalled|slow", said, re.IGNORECASE)

    # Whose fault and who looks after it: the incident, acknowledged by name.
    page.goto(opened.base + "/incidents")
    page.locator("main a[href^='/incidents/']").first.click()
    page.wait_for_url("**/incidents/*")
    page.fill("form[action$='/acknowledge'] [name=note]", "looking at the pool")
    page.click("form[action$='/acknowledge'] button[type=submit]")
    page.wait_for_load_state("networkidle")
    incident = Incident.objects.get(acknowledged_by=people.noc)
    assert incident.state == Incident.State.ACKNOWLEDGED
    assert "looking at the pool" in page.locator("main").inner_text()

    # Maintenance on its pool: what it touches is shown before it is planned.
    pool = Pool.objects.get(name="ssd-3")
    page.goto(f"{opened.base}/maintenance/new?pool={pool.pk}")
    page.wait_for_selector("#touches .figure")
    assert page.locator("#touches .figure").inner_text() == "1"
    page.fill("[name=reason]", "new controller")
    page.click("form.plan-form button[type=submit]")
    page.wait_for_url("**/maintenance")
    window = MaintenanceWindow.objects.get(reason="new controller")
    assert list(window.pools.all()) == [pool]
    assert window.starts_at > timezone.now()
    assert [line for line in opened.complaints if "404" not in line] == []
