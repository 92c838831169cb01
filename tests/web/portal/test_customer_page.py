"""A customer's own page: contract words, what is theirs and nothing of anybody else, within fifteen queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sla.accounts.models import AuditEntry, Customer, Membership, User
from sla.contracts.models import ContractVersion
from sla.domain.states import State
from sla.fleet.models import Disk, Machine, Pool
from sla.incidents.models import Incident, IncidentDisk
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.notifications.models import Preference
from sla.reports.models import Handover
from sla.scoring.models import Correction, DiskNow
from tests.conftest import People
from tests.web import fleet
from tests.web.test_cost_of_a_page import MOST_QUERIES, queries

__all__ = ["queries"]
pytestmark = pytest.mark.django_db
WANTED = {("web-12", "vda"), ("erp-1", "vda"), ("mail-4", "vda")}
PARTS = tuple(part for part in fleet.FLEET if (part.machine, part.device) in WANTED)


@pytest.fixture
def disks(people: People) -> dict[str, Disk]:
    """Two of Alder, one of Birch, five minutes each."""
    return fleet.build(5, PARTS)


def page(user: User, customer: Customer) -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(f"/customers/{customer.pk}/")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode().partition("<main")[2]).split())


def test_after_login_a_customer_lands_here_and_the_noc_on_the_fleet(people: People, disks: dict[str, Disk]) -> None:
    for user, wanted in ((people.a, f"/customers/{people.customer_a.pk}/"), (people.noc, "/")):
        client = Client()
        client.force_login(user)
        assert client.get("/home")["Location"] == wanted
    client.force_login(people.stranger)
    assert "belong to no customer yet" in client.get("/home").content.decode()


def test_a_disk_is_told_in_contract_words(people: People, disks: dict[str, Disk]) -> None:
    stands = {"sli_low": 0.99317, "sli_estimate": 0.9935, "sli_high": 0.99317, "proved": True, "rank": 5}
    DiskNow.objects.filter(disk=disks["erp-1/vda"]).update(state=State.MET, **stands)
    text = page(people.a, people.customer_a)
    assert "erp-1 / vda 99 % of your requests answered within 15 ms, up to 1,000 a second 99.31 % kept proved" in text
    assert "Of your 2 disks" in text and "1 keeps it" in text


def test_reads_and_writes_that_differ_are_both_said(people: People, disks: dict[str, Disk]) -> None:
    term = disks["erp-1/vda"].now.term
    ContractVersion.objects.filter(pk=term).update(read_threshold_us=5_000, write_threshold_us=12_500)
    from sla.web import fleet_rows  # read once a process: this test wants it read again

    fleet_rows._versions.pop(term, None)
    text = page(people.a, people.customer_a)
    fleet_rows._versions.pop(term, None)
    assert "of your reads answered within 5 ms and of your writes within 12.5 ms" in text


def test_nothing_of_anybody_else_is_on_it(people: People, disks: dict[str, Disk]) -> None:
    """A pool's incident and window that touch both customers, seen by one of them."""
    now = timezone.now()
    mine, theirs = disks["web-12/vda"], disks["mail-4/vda"]
    incident = Incident.objects.create(
        kind="contention", key="x", severity="page", title="2 disks of pool ssd-3 are slow: mail-4 of Birch",
        opened_at=now, updated_at=now, joined_at=now, pool=mine.pool, figures={"pool": "ssd-3"},
    )  # fmt: skip
    window = NeighbourWindow.objects.create(
        pool=mine.pool, start=now - timedelta(minutes=20), end=now, severity=2.31, cause="neighbour", confidence=0.95,
        evidence={"suspect": "mail-4"}, detected_at=now, updated_at=now,
    )  # fmt: skip
    for disk, role, share in ((mine, "victim", 0.03), (theirs, "suspect", 0.9)):
        IncidentDisk.objects.create(incident=incident, disk=disk, since=now)
        WindowDisk.objects.create(window=window, disk=disk, role=role, share=share)
    text = page(people.a, people.customer_a)
    assert "load of others on the shared storage" in text
    assert "1 of your disks 2.3× slower, your share of the load 3 %" in text
    assert "web-12 / vda" in text
    for word in ("Birch", "mail-4", "ssd-3", "nvme-2", "hv-07", "hv-11", "suspect", "NOC"):
        assert word not in text, word
    assert "web-12" not in page(people.b, people.customer_b)


def test_windows_of_last_month_and_of_others_alone_are_not_shown(people: People, disks: dict[str, Disk]) -> None:
    now = timezone.now()
    for disk, days in ((disks["web-12/vda"], 62), (disks["mail-4/vda"], 0)):
        at = now - timedelta(days=days)
        window = NeighbourWindow.objects.create(
            pool=disk.pool, start=at - timedelta(minutes=20), end=at, severity=2, cause="backend", confidence=0.9,
            detected_at=now, updated_at=now,
        )  # fmt: skip
        WindowDisk.objects.create(window=window, disk=disk, role="victim")
    assert "Not this month." in page(people.a, people.customer_a)


def closed(disk: Disk, period: str, state: str, number: int = 0) -> None:
    made = timezone.now()
    Correction.objects.create(disk=disk, vantage=1, period=period, number=number, score={"state": state}, made_at=made)


def test_past_months_count_by_the_newest_correction(people: People, disks: dict[str, Disk]) -> None:
    closed(disks["web-12/vda"], "2026-09", "breached")
    closed(disks["web-12/vda"], "2026-09", "met", number=1)
    closed(disks["erp-1/vda"], "2026-09", "met")
    closed(disks["erp-1/vda"], "2026-08", "breached")
    closed(disks["mail-4/vda"], "2026-07", "breached")
    text = page(people.a, people.customer_a)
    assert text.index("September 2026 2 met") < text.index("August 2026 1 breached")
    assert "July 2026" not in text


def test_a_month_before_a_machine_came_here_is_not_told(people: People, disks: dict[str, Disk]) -> None:
    disk = disks["web-12/vda"]
    closed(disk, "2026-08", "breached")
    closed(disk, "2026-10", "met")
    Handover.objects.create(
        machine=disk.machine, before=people.customer_b, after=people.customer_a, at="2026-09-10T00:00:00Z"
    )
    text = page(people.a, people.customer_a)
    assert "October 2026 1 met" in text and "August 2026" not in text


def test_credit_is_said_where_the_contract_names_a_fee(people: People, disks: dict[str, Disk]) -> None:
    term = disks["web-12/vda"].now.term
    assert "Credit so far" not in page(people.a, people.customer_a)
    ContractVersion.objects.filter(pk=term).update(fee_cents=1250, currency="EUR", credit_tiers=[[990_000, 10]])
    DiskNow.objects.filter(disk=disks["web-12/vda"]).update(
        period_state=State.BREACHED, sli_low=0.97, sli_estimate=0.975, sli_high=0.98
    )
    text = page(people.a, people.customer_a)
    assert "€1.25 proved" in text and "up to" in text  # the explanation says what that would mean


def test_who_gets_alert_mail(people: People, disks: dict[str, Disk]) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example")
    for name, page_way in (("quiet", "off"), ("daily", "digest")):
        user = User.objects.create_user(name, email=f"{name}@alder.example")
        Membership.objects.create(user=user, customer=people.customer_a)
        Preference.objects.create(user=user, page=page_way)
    text = page(people.a, people.customer_a).partition("Who gets alert mail")[2]
    assert "a a@alder.example at once when it is urgent" in text
    assert "daily daily@alder.example in a daily digest" in text and "quiet quiet@alder.example wants none" in text
    assert "b@" not in text


def test_a_manager_chooses_for_the_own_people_only(people: People) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    own = User.objects.create_user("own", email="own@alder.example")
    both = User.objects.create_user("both", email="both@alder.example")
    of_own = Membership.objects.create(user=own, customer=people.customer_a)
    of_both = Membership.objects.create(user=both, customer=people.customer_a)
    Membership.objects.create(user=both, customer=people.customer_b)
    client = Client()
    client.force_login(people.a)
    base = f"/customers/{people.customer_a.pk}/people"
    assert client.post(f"{base}/{of_own.pk}/alerts", {"way": "off"}).status_code == 302
    assert client.post(f"{base}/{of_own.pk}/alerts", {"way": "loudly"}).status_code == 400
    kept = Preference.objects.get(user=own)
    assert (kept.page, kept.ticket, kept.info) == ("off", "off", "off")
    entry = AuditEntry.objects.get(verb="alert mail chosen")
    assert entry.before["page"] == "now" and entry.after["page"] == "off" and entry.customer == people.customer_a
    told = client.post(f"{base}/{of_both.pk}/alerts", {"way": "off"}, follow=True).content.decode()
    assert "chooses alone" in told and not Preference.objects.filter(user=both).exists()
    client.force_login(people.b)
    assert client.post(f"{base}/{of_own.pk}/alerts", {"way": "now"}).status_code == 404
    Membership.objects.filter(user=people.a).update(role="viewer")
    client.force_login(people.a)
    assert client.post(f"{base}/{of_own.pk}/alerts", {"way": "now"}).status_code == 403


def test_only_a_manager_gets_a_key_here(people: People, disks: dict[str, Disk]) -> None:
    client = Client()
    client.force_login(people.a)
    path = f"/customers/{people.customer_a.pk}/"
    assert 'action="/agents/key"' not in client.get(path).content.decode()
    Membership.objects.filter(user=people.a).update(role="manager")
    assert 'action="/agents/key"' in client.get(path).content.decode()


def test_a_customer_without_disks_is_told_how_to_begin(people: People) -> None:
    assert "Put the agent on a machine" in page(people.a, people.customer_a)


def test_the_page_stays_cheap_however_many_disks(
    people: People, disks: dict[str, Disk], queries: Any, client: Client
) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    client.force_login(people.a)
    path = f"/customers/{people.customer_a.pk}/"
    client.get(path)
    few = len(queries(path))
    machine = Machine.objects.create(customer=people.customer_a, machine_id="many", hostname="many")
    pool = Pool.objects.create(name="wide")
    now = timezone.now()
    for number in range(60):
        disk = Disk.objects.create(machine=machine, identity=f"path:{number}", device=f"vd{number}", pool=pool)
        DiskNow.objects.create(
            disk=disk, state=State.MET, term=disks["erp-1/vda"].now.term, updated_at=now, eligible=10
        )
    asked = queries(path)
    assert few <= MOST_QUERIES and len(asked) <= MOST_QUERIES, asked
    text = page(people.a, people.customer_a)
    assert "Of your 62 disks" in text and "All 62 disks" in text
