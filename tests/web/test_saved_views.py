"""Views that somebody keeps: their own, tidy, so many and no more."""

from collections.abc import Callable

import pytest
from django.test import Client

from sla.fleet.models import Disk
from sla.web import views_page
from sla.web.models import SavedView
from tests.conftest import People
from tests.web.browser import Page


@pytest.mark.django_db
def test_a_view_is_kept_found_again_and_dropped_by_its_owner_only(people: People, client: Client) -> None:
    client.force_login(people.noc)
    query = "?state=breached&pool=ssd-3&next=//evil.example&after=zzz"
    kept = client.post("/views", {"name": " bad  in ssd-3 ", "query": query})
    assert kept["Location"] == "/?state=breached&pool=ssd-3"
    view = SavedView.objects.get()
    assert (view.name, view.query) == ("bad in ssd-3", "?state=breached&pool=ssd-3")
    assert "bad in ssd-3" in client.get("/views").content.decode()
    client.force_login(people.a)
    assert "bad in ssd-3" not in client.get("/views").content.decode()
    client.post(f"/views/{view.pk}/drop")
    assert SavedView.objects.exists()
    client.force_login(people.noc)
    client.post(f"/views/{view.pk}/drop")
    assert not SavedView.objects.exists()


@pytest.mark.django_db
def test_so_many_and_no_more(people: People, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views_page, "MOST", 2)
    client.force_login(people.noc)
    for name in ("a", "b", "c", "a"):
        client.post("/views", {"name": name, "query": "?q=x"})
    assert sorted(SavedView.objects.values_list("name", flat=True)) == ["a", "b"]


@pytest.mark.page
@pytest.mark.django_db(transaction=True)
def test_kept_in_a_browser(seeded: dict[str, Disk], people: People, open_page: Callable[..., Page]) -> None:
    opened = open_page(people.noc, "/?pool=ssd-1")
    opened.page.fill("#views [name=name]", "first pool")
    opened.page.click("#views .keep button")
    opened.page.wait_for_selector("#views .view a[aria-current]")
    assert opened.page.inner_text("#views .view a") == "first pool"
    assert opened.faults() == []
