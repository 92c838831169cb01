"""The pages of incidents in real Chromium, with an evening of incidents behind them."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from sla.incidents import evaluate
from sla.incidents.models import Incident
from sla.incidents.services import acknowledge, add_note
from sla.incidents.signals import event_recorded
from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]


@pytest.fixture
def evening(seeded: dict[str, Disk], people: People, monkeypatch: pytest.MonkeyPatch) -> Incident:
    """What the rules find in the seeded fleet; somebody looks after one."""
    monkeypatch.setattr(event_recorded, "receivers", [])
    evaluate.evaluate_due()
    incident = Incident.objects.get(pool__name="hdd-1")
    acknowledge(incident=incident, actor=people.noc, note="the array rebuilds,\nthe vendor is called")
    add_note(incident=incident, actor=people.noc, note="done by eight")
    return incident


def test_nothing_is_to_say_against_them(
    evening: Incident, people: People, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    paths = ["/incidents", "/incidents?state=all&kind=burn", evening.get_absolute_url(), "/silences"]
    assert faults_of((people.noc, path) for path in [*paths, f"/silences/new?incident={evening.pk}"]) == {}


def test_somebody_acknowledges_silences_and_reads_it_in_the_history(
    evening: Incident, people: People, open_page: Open
) -> None:
    silent = Incident.objects.get(kind="silent")
    page: Any = open_page(people.noc, "/incidents").page
    page.click(f"#incident-{silent.pk}")
    page.fill("textarea[name=note]", "the machine is being moved")
    page.click("text=Acknowledge")
    page.wait_for_selector("#incident-history >> text=the machine is being moved")
    page.click("a:has-text('Silence')")
    page.fill("input[name=reason]", "until it is back")
    page.click("text=Show what it hides")
    assert "1 incident that is not over" in page.inner_text(".preview")
    page.click("text=Set the silence")
    page.wait_for_url("**/silences")
    assert "until it is back" in page.inner_text("main")


def test_the_list_follows_what_happens(evening: Incident, people: People, open_page: Open) -> None:
    page: Any = open_page(people.noc, "/incidents?state=acknowledged").page
    assert page.locator("#incident-rows tbody tr").count() == 1
    acknowledge(incident=Incident.objects.get(kind="silent"), actor=people.noc)
    page.evaluate("document.body.dispatchEvent(new CustomEvent('refresh'))")
    page.wait_for_selector("#incident-rows tbody tr >> nth=1")
