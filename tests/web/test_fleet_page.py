"""The fleet page: what its address asks for is what it shows, in pages that neither skip nor repeat."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from sla.api.paging import encode_cursor
from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Disk, Machine
from sla.scoring.models import DiskNow
from sla.web import fleet_page, fleet_query
from tests.conftest import People

pytestmark = pytest.mark.django_db
STATES = (State.MET, State.BREACHED, State.IDLE, State.AT_RISK, State.NO_DATA)


def made(people: People, count: int) -> list[Disk]:
    """Disks in every state, some with equal figures, every seventh without any."""
    now = datetime.now(UTC)
    machines = Machine.objects.bulk_create(
        Machine(customer=people.customer_a, machine_id=f"m{i}", hostname=f"vm-{i % 5}") for i in range(count)
    )
    disks = Disk.objects.bulk_create(
        Disk(machine=machine, identity="path:vda", device="vda", serial=f"sn{i:04d}")
        for i, machine in enumerate(machines)
    )
    DiskNow.objects.bulk_create(
        DiskNow(
            disk=disk,
            state=STATES[i % 5],
            rank=WORST_FIRST.index(STATES[i % 5]),
            sli_low=None if i % 3 else 0.99 - i % 4 / 1000,
            budget_left_estimate=None if i % 4 == 0 else 1 - i % 6 / 5,
            seen_at=now - timedelta(seconds=i),
            updated_at=now,
        )
        for i, disk in enumerate(disks)
        if i % 7
    )
    return disks


def listed(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'id="disk-(\d+)"', page)]


def walk(client: Client, address: str) -> list[int]:
    """Every disk of the list, page after page."""
    found: list[int] = []
    for _ in range(40):
        page = client.get(address).content.decode()
        found += listed(page)
        following = re.search(r'<a href="([^"]+)" rel="next"', page)
        if following is None:
            return found
        address = "/" + html.unescape(following[1])
    raise AssertionError(f"{address} has no end")


@pytest.mark.parametrize("sort", ["", "-worst", "disk", "-disk", "attained", "-attained", "left", "-left"])
def test_pages_in_any_order_neither_skip_nor_repeat(
    sort: str, people: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (fleet_query, fleet_page):
        monkeypatch.setattr(module, "PAGE", 7)
    disks = made(people, 100)
    client.force_login(people.noc)
    found = walk(client, f"/?sort={sort}")
    assert sorted(found) == sorted(disk.pk for disk in disks)
    if sort in ("disk", "left", "attained"):
        assert walk(client, f"/?sort=-{sort}") == found[::-1]


def test_the_worst_come_first_and_the_unknown_last(people: People, client: Client) -> None:
    made(people, 20)
    client.force_login(people.noc)
    page = client.get("/").content.decode()
    table = page[page.index('id="rows"') :]
    states = re.findall(r'class="state state-(\w+)"', table)
    assert states == sorted(states, key=lambda word: WORST_FIRST.index(State[word.upper()]))
    assert states[0] == "breached"
    assert states[-1] == "no_data"


def test_a_tile_counts_what_it_leads_to(people: People, client: Client) -> None:
    made(people, 30)
    client.force_login(people.noc)
    page = client.get("/").content.decode()
    for word, address, count in re.findall(
        r'id="tile-(\w+)" href="(\?[^"]*)".*?<span class="figure[^"]*">([\d,]+)</span>', page, re.DOTALL
    ):
        assert len(walk(client, "/" + html.unescape(address))) == int(count), word


def test_search_looks_at_serials_and_names(people: People, client: Client) -> None:
    disks = made(people, 12)
    client.force_login(people.noc)
    assert listed(client.get("/?q=sn0007").content.decode()) == [disks[7].pk]
    assert len(listed(client.get("/?q=VM-3 vda").content.decode())) == 2
    assert "No disk fits" in client.get("/?q=nothing").content.decode()


@pytest.mark.parametrize(
    "address",
    [
        "/?after=rubbish",
        f"/?after={encode_cursor(1, 2)}",
        f"/?after={encode_cursor('x', 'y', 'z')}",
        f"/?after={encode_cursor(10**30, -1e300, -(10**30))}",
        f"/?sort=disk&after={encode_cursor('a', chr(0), 1)}",
        f"/?sort=disk&after={encode_cursor(1, None, 1)}",
        "/?sort=-",
        "/?state=worse",
        "/?q=%00a",
    ],
)
def test_an_old_or_odd_address_shows_the_list_and_no_error(address: str, people: People, client: Client) -> None:
    made(people, 3)
    client.force_login(people.noc)
    assert client.get(address).status_code == 200


def test_a_customer_cannot_ask_by_pool_or_customer(people: People, client: Client) -> None:
    made(people, 3)
    client.force_login(people.a)
    assert len(listed(client.get("/?customer=Birch&pool=x").content.decode())) == 3


def test_a_refresh_gets_the_parts_that_change_and_no_page(people: People, client: Client) -> None:
    made(people, 3)
    client.force_login(people.noc)
    part = client.get("/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert [name for name in ("top", "total", "rows") if f'id="{name}"' not in part] == []


def test_what_is_typed_into_the_address_comes_back_as_text(people: People, client: Client) -> None:
    client.force_login(people.noc)
    page = client.get('/?q="><script>alert(1)</script>').content.decode()
    assert "<script>alert" not in page


def test_without_disks_the_page_teaches_the_line_to_run(people: People, client: Client) -> None:
    for user, form in ((people.noc, True), (people.stranger, False)):
        client.force_login(user)
        page = client.get("/").content.decode()
        assert "curl -fsS http://testserver/agent/install.sh | sudo PLIMSOLL_KEY=" in page
        assert ('action="/agents/key"' in page) is form
