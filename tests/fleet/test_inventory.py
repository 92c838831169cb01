"""An inventory file: read line by line, shown before it is done, done once, with its history kept."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from sla.accounts.models import AuditEntry
from sla.fleet.inventory_csv import Row, Wrong, read_inventory
from sla.fleet.inventory_plan import plan
from sla.fleet.models import Disk, Machine, Pool, PoolMembership
from sla.fleet.placement import carry_out, place_disk
from tests.conftest import Api, People

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def disks(people: People) -> dict[str, Disk]:
    made = {}
    for number, (name, device, customer) in enumerate(
        [("web-1", "vda", people.customer_a), ("web-1", "vdb", people.customer_a), ("db-1", "vda", people.customer_b)]
    ):
        machine, _ = Machine.objects.get_or_create(
            hostname=name, defaults={"machine_id": f"id-of-{name}", "customer": customer}
        )
        made[f"{name}/{device}"] = Disk.objects.create(
            machine=machine, identity=f"path:{device}", device=device, serial=f"S{number}"
        )
    return made


def test_a_wrong_line_stops_no_other() -> None:
    rows, wrong = read_inventory(
        "machine;disk;pool;since\nweb-1;vda;ssd-1;2026-11-01T00:00Z\n;vda;ssd-1;\nweb-1;vdb;ssd-1;yesterday\n"
        "web-1;vdb;ssd-1;2026-11-01T00:00\n\nweb-1;vdb\nweb-1;vdb;;\n"
    )
    assert rows == [Row(2, "web-1", "vda", "ssd-1", "", datetime(2026, 11, 1, tzinfo=UTC))]
    assert [(one.line, one.message.split(": ")[0]) for one in wrong] == [
        (3, "machine is empty"),
        (4, "'yesterday' is no moment"),
        (5, "'2026-11-01T00:00' names no zone"),
        (7, "2 cells where the first line names 4 columns"),
        (8, "neither pool nor host is said"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("machine,colour\n", "no column 'colour'"),
        ("disk,pool\n", "machine is missing"),
        ("machine,disk\n", "nothing to import"),
        ("machine,pool,pool\n", "twice"),
        ('machine,pool\n"' + "x" * 200_000, "no CSV"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_reason(text: str, said: str) -> None:
    rows, wrong = read_inventory(text)
    assert not rows
    assert said in wrong[0].message


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    rows, wrong = read_inventory(text)
    assert all(isinstance(row, Row) for row in rows)
    assert all(isinstance(one, Wrong) for one in wrong)


@pytest.mark.django_db
def test_what_it_would_change_is_what_it_changes_and_the_second_time_nothing(
    people: People, disks: dict[str, Disk]
) -> None:
    text = "machine,disk,pool,host\nweb-1,,ssd-1,hv-1\nid-of-db-1,S2,ssd-1,\nweb-9,,x,\nweb-1,sdz,x,\n"
    rows, wrong = read_inventory(text)
    found = plan(rows, wrong, people.noc, NOW)
    assert (len(found.moves), len(found.housings), found.unchanged) == (3, 1, 0)
    assert [one.line for one in found.wrong] == [4, 5]
    assert not Pool.objects.exists()
    assert carry_out(found, actor=people.noc) == 4
    again = plan(rows, wrong, people.noc, NOW + timedelta(hours=1))
    assert (again.changes, again.unchanged) == (0, 4)
    assert AuditEntry.objects.filter(verb="disk placed", actor=people.noc).count() == 3
    assert Disk.objects.get(pk=disks["web-1/vda"].pk).pool == Pool.objects.get(name="ssd-1")


@pytest.mark.django_db
def test_a_disk_that_migrates_keeps_where_it_lay(people: People, disks: dict[str, Disk]) -> None:
    disk = disks["web-1/vda"]
    first, second = (Pool.objects.create(name=name) for name in ("ssd-1", "ssd-2"))
    place_disk(disk=disk, pool=first, at=NOW - timedelta(days=2))
    place_disk(disk=disk, pool=second, at=NOW - timedelta(days=1))
    lay = PoolMembership.objects.filter(disk=disk).order_by("valid_from").values_list("pool__name", "valid_to")
    assert list(lay) == [("ssd-1", NOW - timedelta(days=1)), ("ssd-2", None)]
    with pytest.raises(ValueError, match="lies in ssd-2 since"):
        place_disk(disk=disk, pool=first, at=NOW - timedelta(days=1))
    rows, wrong = read_inventory("machine,disk,pool,since\nweb-1,vda,ssd-1,2026-11-19T00:00Z\n")
    assert "give a later moment" in plan(rows, wrong, people.noc, NOW).wrong[0].message


@pytest.mark.django_db
def test_the_api_does_the_same_for_operators_only(people: People, disks: dict[str, Disk], api_of: object) -> None:
    body = "machine,disk,pool\nweb-1,vda,ssd-1\nnobody,vda,ssd-1\n"
    noc: Api = api_of(people.noc)  # type: ignore[operator]
    dry = noc.call("POST", "/api/v1/inventory?dry_run=true", body).json()
    assert (dry["would_change"], dry["changed"], len(dry["rejected"])) == (1, 0, 1)
    assert noc.call("POST", "/api/v1/inventory", body).json()["changed"] == 1
    history = noc.get(f"/api/v1/inventory/pools?disk={disks['web-1/vda'].pk}").json()["items"]
    assert [one["pool"] for one in history] == ["ssd-1"]
    for user in (people.a, people.b, people.stranger):
        other: Api = api_of(user)  # type: ignore[operator]
        assert other.call("POST", "/api/v1/inventory", body).status_code == 403
        assert other.get(f"/api/v1/inventory/pools?disk={disks['web-1/vda'].pk}").status_code == 404


@pytest.mark.django_db
def test_the_page_does_what_was_agreed_to_and_nothing_else(
    people: People, disks: dict[str, Disk], client: Client
) -> None:
    client.force_login(people.noc)
    text = "machine,disk,pool\nweb-1,vda,ssd-1\n"
    shown = client.post("/inventory", {"text": text})
    assert not PoolMembership.objects.exists()
    digest = shown.context["digest"]
    other = client.post("/inventory", {"text": text.replace("ssd-1", "ssd-2"), "agreed": digest})
    assert b"Something changed since you looked" in other.content
    assert not PoolMembership.objects.exists()
    assert client.post("/inventory", {"text": text, "agreed": digest}).status_code == 302
    assert PoolMembership.objects.get().pool.name == "ssd-1"
    client.force_login(people.a)
    assert client.get("/inventory").status_code == 403
