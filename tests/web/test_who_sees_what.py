"""Four people before every page: the NOC, two customers, a stranger. What is not theirs does not exist."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import Customer, Membership, User
from sla.fleet.models import Disk
from tests.conftest import People
from tests.web import fleet

pytestmark = pytest.mark.django_db
PARTS = tuple(part for part in fleet.FLEET if (part.machine, part.device) in {("web-12", "vda"), ("mail-4", "vda")})


@pytest.fixture
def two(people: People) -> dict[str, Disk]:
    """One disk of Alder, one of Birch, five minutes each."""
    return fleet.build(5, PARTS)


@pytest.fixture
def as_user() -> Callable[[User | None], Client]:
    def logged_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return logged_in


def below(disk: Disk) -> list[str]:
    """Every address below a disk's page."""
    base = f"/disks/{disk.pk}/"
    start = fleet.whole_minute() - 120
    return [base, f"{base}data", f"{base}minute?from={start}", f"{base}latency.csv"]


def test_nobody_in_particular_is_asked_to_log_in(two: dict[str, Disk]) -> None:
    for path in ["/", "/agents", f"/disks/{two['web-12/vda'].pk}/"]:
        answer = Client().get(path)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login")


def test_the_fleet_shows_ones_own_disks_only(two: dict[str, Disk], people: People, as_user: Any) -> None:
    for user, seen, unseen in (
        (people.noc, ["web-12", "mail-4"], []),
        (people.a, ["web-12"], ["mail-4", "Birch", "nvme-2"]),
        (people.b, ["mail-4"], ["web-12", "Alder", "ssd-3"]),
        (people.stranger, [], ["web-12", "mail-4", "Alder", "Birch"]),
    ):
        for path in ("/", "/agents"):
            page = as_user(user).get(path)
            assert page.status_code == 200
            text = page.content.decode()
            assert [name for name in seen if name not in text] == [], (user, path)
            assert [name for name in unseen if name in text] == [], (user, path)


def test_anothers_disk_is_not_found_whatever_is_asked_of_it(two: dict[str, Disk], people: People, as_user: Any) -> None:
    for path in below(two["mail-4/vda"]):
        codes = [as_user(user).get(path).status_code for user in (people.noc, people.a, people.b, people.stranger)]
        assert codes == [200, 404, 200, 404], path


def test_a_customer_reads_nothing_of_the_providers_inside(two: dict[str, Disk], people: People, as_user: Any) -> None:
    disk = two["web-12/vda"]
    page = as_user(people.a).get(f"/disks/{disk.pk}/").content.decode()
    assert "web-12" in page
    assert [word for word in ("ssd-3", "hv-07") if word in page] == []


def test_who_leaves_a_customer_sees_nothing_any_more(two: dict[str, Disk], people: People, as_user: Any) -> None:
    client = as_user(people.a)
    path = f"/disks/{two['web-12/vda'].pk}/"
    assert client.get(path).status_code == 200
    Membership.objects.filter(user=people.a, customer=Customer.objects.get(name="Alder")).delete()
    assert client.get(path).status_code == 404
