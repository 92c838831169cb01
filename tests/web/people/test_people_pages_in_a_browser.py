"""Portal and people's pages in real Chromium: axe finds nothing, the console is silent, nothing scrolls sideways."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from sla.accounts.invitations import invite
from sla.accounts.models import Membership, User
from sla.accounts.services import issue_api_token
from tests.conftest import People
from tests.web import fleet
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]


@pytest.fixture
def paths(people: People) -> list[tuple[User | None, str]]:
    fleet.build(3, fleet.FLEET[:2])
    Membership.objects.filter(user=people.a).update(role="manager")
    now = timezone.now()
    _, secret = invite(email="d@alder.example", by=people.a, now=now, customer=people.customer_a, role="viewer")
    issue_api_token(user=people.a, name="grafana", scopes=["read"], networks=["10.0.0.0/8"])
    own = f"/customers/{people.customer_a.pk}/"
    return [
        (people.a, own),
        (people.a, f"{own}people"),
        (people.a, "/account"),
        (people.a, "/account/mail"),
        (people.a, "/account/password"),
        (people.a, "/account/tokens"),
        (people.a, "/audit"),
        (people.a, "/agents/keys"),
        (people.noc, "/customers"),
        (people.noc, f"{own}settings"),
        (people.noc, "/people"),
        (people.noc, "/audit"),
        (people.stranger, "/home"),
        (None, "/login"),
        (None, "/password/forgotten"),
        (None, f"/invitations/{secret}"),
        (people.b, f"/invitations/{secret}"),
    ]


def test_nothing_is_to_say_against_them(
    paths: list[tuple[User | None, str]], faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    assert faults_of(paths) == {}


def test_what_does_this_mean_opens_without_leaving_the_screen(
    paths: list[tuple[User | None, str]], open_page: Open
) -> None:
    user, path = paths[0]
    for width in (1440, 360):
        opened = open_page(user, path, width=width)
        page: Any = opened.page
        for why in page.locator(".why summary").all():
            why.click()
            sheet = page.locator(".why[open] .why-sheet")
            box = sheet.bounding_box()
            assert sheet.inner_text() and box["x"] >= 0 and box["x"] + box["width"] <= width
            assert opened.overflow(width) <= 0
            why.click()


def test_the_theme_is_chosen_on_ones_account(people: People, open_page: Open) -> None:
    opened = open_page(people.a, "/account")
    page: Any = opened.page
    page.select_option("#theme", "dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert "dark" in page.get_attribute("#theme-switch", "aria-label")
    opened.go("/account")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.input_value("#theme") == "dark"
