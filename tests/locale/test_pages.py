"""In which language does a page come, and is every word of a customer's pages marked for translation?"""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.dates import MONTHS

from sla.accounts.models import Customer, User
from tests.conftest import People
from tests.doors import world
from tests.locale.pseudo import outside

pytestmark = pytest.mark.django_db
# Where a customer's people come, and what stands there that is no word of ours: names, figures, file names.
PAGES = (
    "/customers/<customer_id>/",
    "/customers/<customer_id>/people",
    "/disks/<disk_id>/2026-10",
    "/incidents",
    "/windows",
    "/reports",
    "/reports/<report>",
    "/verify",
    "/notifications",
    "/account",
    "/account/tokens",
)
DATA = re.compile(
    r"""Plimsoll | UTC | Alder(\ disks\ v\d)? | web-12 | vda | old-one | (PDF|CSV|JSON|ZIP)\b | IOPS
    | [\w.-]+@[\w.-]+ | 20\d\d | [0-9a-f.:]+/\d+ | XXXX(-XXXX)+ | 9\d% | English | Français
    | plimsoll-verify\.py | \S+\.csv\ SHA-256 | /api/v1/docs
    | ⟦[^⟧]*$ | ^[^⟦]*⟧  # a sentence with an element in it comes in parts""",
    re.VERBOSE,
)


def test_every_word_of_a_customers_pages_is_marked(people: People, brackets: str) -> None:
    values = world.build(people)
    client = Client(headers={"accept-language": brackets})
    client.force_login(people.a)
    wrong = {}
    for route in PAGES:
        page = client.get(world.filled(values, route))
        assert page.status_code == 200, route
        left = [said for said in outside(page.content.decode()) if unmarked(said)]
        if left:
            wrong[route] = left
    assert not wrong


def unmarked(said: str) -> bool:
    """Has it letters when names, figures and months are taken out?"""
    left = DATA.sub("", said)
    with translation.override("eo"):
        for month in MONTHS.values():
            left = re.sub(f"(?i){month}|{str(month)[:3]}\\b", "", left)
    return bool(re.search(r"[A-Za-z]{3,}", left))


def test_a_page_comes_as_the_browser_asks_until_its_reader_chooses(people: People) -> None:
    client = Client(headers={"accept-language": "fr-CA,fr;q=0.9"})
    assert '<html lang="fr"' in client.get("/login").content.decode()
    client.force_login(people.a)
    assert "Votre compte" in client.get("/account").content.decode()
    kept = client.post("/account", {"zone": "UTC", "language": "ru"}, follow=True).content.decode()
    assert '<html lang="ru"' in kept and "Сохранено." in kept
    client.post("/account", {"zone": "UTC", "language": ""})
    assert '<html lang="fr"' in client.get("/account").content.decode()
    assert client.post("/account", {"zone": "UTC", "language": "tlh"}).status_code == 422


def test_a_language_that_is_no_longer_spoken_breaks_no_page(people: People, client: Client) -> None:
    User.objects.filter(pk=people.a.pk).update(language="tlh")
    client.force_login(people.a)
    assert '<html lang="en"' in client.get("/account").content.decode()


def test_the_noc_says_in_which_language_a_customer_reads(people: People, client: Client) -> None:
    client.force_login(people.noc)
    told = {"name": "Alder", "zone": "UTC", "language": "ja"}
    assert client.post(f"/customers/{people.customer_a.pk}/settings", told).status_code == 302
    assert Customer.objects.get(pk=people.customer_a.pk).language == "ja"
    refused = client.post(f"/customers/{people.customer_a.pk}/settings", {**told, "language": "xx"})
    assert refused.status_code == 422


@pytest.mark.parametrize("language", ["fr", "ja", "ru"])
def test_words_of_scripts_come_as_a_script_of_their_own(language: str) -> None:
    answer = Client().get(f"/jsi18n/{language}.js")
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/javascript")
    assert "max-age=3600" in answer["Cache-Control"] and "gettext" in answer.content.decode()


def test_there_is_no_script_of_a_language_that_is_not_ours() -> None:
    assert Client().get("/jsi18n/xx.js").status_code == 404


@pytest.mark.parametrize(("language", "may"), [("fr", "mai"), ("ja", "5月"), ("ru", "Май")])
def test_no_word_of_ours_takes_the_place_of_a_month(language: str, may: str, settings: Any) -> None:
    with translation.override(language):
        assert str(MONTHS[5]) == may
