"""A customer's pages in French, Japanese and Russian, in real Chromium: longer words make nothing too wide."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.accounts.models import User
from tests.conftest import People
from tests.doors import world
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
WIDTHS = (1440, 768, 360)
ROUTES = (
    "/customers/<customer_id>/",
    "/disks/<disk_id>/",
    "/reports",
    "/reports/<report>",
    "/notifications",
    "/account",
)


@pytest.mark.parametrize("language", ["fr", "ja", "ru"])
def test_nothing_is_too_wide_and_nothing_complains(language: str, people: People, open_page: Open) -> None:
    values: dict[str, Any] = world.build(people)
    User.objects.filter(pk=people.a.pk).update(language=language)
    found: dict[str, list[str]] = {}
    page = open_page(people.a, world.filled(values, ROUTES[0]))
    for route in ROUTES:
        page.go_on(world.filled(values, route))
        lines = [*page.complaints, *page.accessibility()]
        lines += [f"{over} px too wide at {width}" for width in WIDTHS if (over := page.overflow(width)) > 0]
        if lines:
            found[route] = lines
    assert not found
