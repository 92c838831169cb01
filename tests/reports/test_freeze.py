"""Freezing a month: numbers, corrections, odd months and disks, and who else is told."""

import io
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from bench import months
from sla.accounts.models import AuditEntry, Customer, Membership
from sla.contracts.maintenance import Places
from sla.contracts.models import MaintenanceApproval, MaintenanceWindow
from sla.contracts.services import add_version, assign
from sla.domain.period import PeriodError, period_of
from sla.domain.statement.canonical import canonical, digest
from sla.fleet.models import Machine, Pool
from sla.fleet.placement import place_disk
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.reports import due, keys, plimsoll_verify
from sla.reports.bundle import bundle
from sla.reports.models import Handover, SigningKey, Statement
from sla.reports.services import NotClosedYet, NothingToState, draft, freeze
from sla.reports.signals import statement_frozen
from sla.scoring.maintenance import approve, plan_window
from sla.scoring.models import Correction
from sla.scoring.score import score
from sla.scoring.services import settle_due
from tests.conftest import People
from tests.reports.conftest import BEGAN, END, PAST, START, Month, at, new_disk, put
from tests.scoring.conftest import keep
from tests.telemetry.machines import minute

pytestmark = pytest.mark.django_db


def of(statement: Statement, machine: str) -> dict[str, Any]:
    """A disk's section."""
    return next(one for one in statement.document["disks"] if one["machine"] == machine)


def test_a_statement_says_what_the_score_says(month: Month) -> None:
    got = month.freeze()
    for name, disk in month.disks.items():
        told, scored = of(got, name), score(disk.pk, month.period)
        assert told["state"] == scored["state"], name
        assert (told["proved"], told["reasons"]) == (scored["proved"], scored["reasons"])
        assert {end: None if v is None else v / 10**9 for end, v in told["sli_ppb"].items()} == scored["sli"]
        assert told["coverage"]["ppm"] / 10**6 == scored["coverage"]
        assert told["total"]["ios"] == scored["ios"]
        assert told["credit"]["proved_percent"] == scored["credit"]["proved_percent"]
        assert told["slots"]["met"] == scored["slots"]["met"]
    assert of(got, "broken")["state"] == "breached"
    assert of(got, "good")["state"] == "met"


def test_it_is_numbered_signed_and_written_down(month: Month) -> None:
    got = month.freeze(actor=month.people.noc)
    assert got.number == f"{month.period}-{month.people.customer_a.pk:05d}-1"
    assert got.digest == digest(bytes(got.canonical)) == digest(canonical(got.document))
    assert keys.signed_by(got.key, bytes(got.signature), bytes(got.canonical))
    assert not keys.signed_by(got.key, bytes(got.signature), bytes(got.canonical) + b" ")
    entry = AuditEntry.objects.get(verb="statement frozen")
    assert (entry.actor, entry.object_label) == (month.people.noc, got.number)
    assert Correction.objects.filter(disk__in=[d.pk for d in month.disks.values()], number=0).count() == 4


def test_days_are_the_zones_days(month: Month) -> None:
    told = of(month.freeze(), "good")
    got = told["days"]
    assert [day[0] for day in got] == [END - 2 * 86_400, END - 86_400]
    assert sum(day[1] for day in got) == told["total"]["ios"]
    assert sum(day[5] for day in got) == 2 * 86_400


def test_an_unchanged_month_is_not_stated_twice(month: Month) -> None:
    first = month.freeze()
    with pytest.raises(NothingToState, match=first.number):
        month.freeze()


def test_a_month_in_which_the_clock_changes_has_every_hour_once(month: Month) -> None:
    changed = PAST
    while (changed.end - changed.start).total_seconds() % 86_400 == 0:
        changed = changed.previous()
    start, end = int(changed.start.timestamp()), int(changed.end.timestamp())
    disk = new_disk(month.people, "clock")
    assign(disk=disk, version=month.version, at=None)
    put(disk, months.GOOD, month.version, start=end - 8 * 86_400, end=end)  # clocks change on a last Sunday
    got = month.freeze(period=changed.text)
    (told,) = got.document["disks"]
    assert (told["span"]["start"], told["span"]["end"]) == (start, end)
    assert told["total"]["observed_s"] == sum(day[5] for day in told["days"]) == 8 * 86_400
    assert told["coverage"]["ppm"] == 10**6
    odd = {day[5] for day in told["days"][1:]} - {86_400}  # the first may be cut
    assert odd in ({82_800}, {90_000})
    files = plimsoll_verify.from_zip(io.BytesIO(b"".join(bundle(got))))
    assert plimsoll_verify.verify(files).problems == []


def test_what_only_goes_on_or_is_renamed_is_no_correction(month: Month) -> None:
    window = NeighbourWindow.objects.create(
        disk=month.disks["good"],
        start=at(END - 4_000),
        severity=2.0,
        cause="disk",
        confidence=0.9,
        detected_at=at(END),
        updated_at=at(END),
    )
    first = month.freeze()
    assert of(first, "good")["contention"][0]["end"] is None
    NeighbourWindow.objects.filter(pk=window.pk).update(end=at(END + 86_400))
    Machine.objects.filter(pk=month.disks["good"].machine_id).update(hostname="renamed")
    with pytest.raises(NothingToState):
        month.freeze()
    NeighbourWindow.objects.filter(pk=window.pk).update(end=at(END - 600))
    assert month.freeze().supersedes == first


def test_later_data_makes_a_correction_that_names_the_old(month: Month) -> None:
    first = month.freeze()
    keep(month.disks["framed"], *(minute(END - 14_400 + 60 * i, term=month.version.pk) for i in range(30)))
    settle_due()
    second = month.freeze(reason="frames that came late")
    assert (second.issue, second.supersedes, second.reason) == (2, first, "frames that came late")
    assert second.document["supersedes"] == first.number
    assert of(second, "framed")["total"]["observed_s"] > of(first, "framed")["total"]["observed_s"]
    first.refresh_from_db()
    assert first.superseded_by == second
    assert Correction.objects.filter(disk=month.disks["framed"], number=1).exists()


def test_an_exclusion_agreed_later_makes_a_correction_that_names_the_old(month: Month) -> None:
    people, disk = month.people, month.disks["framed"]
    Membership.objects.filter(user=people.a).update(role=Membership.Role.MANAGER)
    first = month.freeze()
    window = plan_window(
        actor=people.noc,
        starts_at=at(END - 1_800),
        ends_at=at(END - 600),
        reason="outage",
        places=Places([disk]),
        excludes=True,
    )
    settle_due()
    # Only asked for, it is told and counts for nothing.
    asked = month.freeze()
    assert (asked.supersedes, of(asked, "framed")["coverage"]["excluded_s"]) == (first, 0)
    assert [one["excludes"] for one in asked.document["exclusions"]] == [False]
    approve(window=window, customer=people.customer_a, actor=people.a, note="agreed by phone")
    settle_due()
    agreed = month.freeze()
    assert (agreed.supersedes, agreed.document["supersedes"]) == (asked, asked.number)
    assert of(agreed, "framed")["coverage"]["excluded_s"] == 1_200
    (told,) = agreed.document["exclusions"]
    assert told["excludes"] and "agreed by phone" in told["approvals"][0]


def test_an_open_month_is_a_draft_only(month: Month) -> None:
    with pytest.raises(NotClosedYet, match="it closes at"):
        month.freeze(now=at(END + 3 * 86_400 - 1))
    document = draft(customer=month.people.customer_a, period=month.period, now=at(END + 60))
    assert (document["draft"], document["number"], document["period"]["closed"]) == (True, None, False)
    assert month.freeze(now=at(END + 3 * 86_400)).document["period"]["closed"] is True


@pytest.mark.parametrize("period", ["2026-13", "october", "2026-1", "1969-12", ""])
def test_an_unknown_period_is_said_so(people: People, period: str) -> None:
    with pytest.raises(PeriodError):
        freeze(customer=people.customer_a, period=period)


def test_a_month_before_the_first_frame_or_after_today_gets_a_clear_word(month: Month) -> None:
    with pytest.raises(NothingToState, match="had no disk in 2019-05"):
        month.freeze(period="2019-05")
    with pytest.raises(NotClosedYet, match="2099-01 of Alder is open"):
        month.freeze(period="2099-01")


def test_a_customer_without_disks_gets_a_clear_word(people: People) -> None:
    with pytest.raises(NothingToState, match="had no disk in"):
        freeze(customer=people.customer_b, period=PAST.text)
    assert draft(customer=people.customer_b, period=PAST.text)["summary"]["disks"] == 0


def test_a_disk_whose_agent_never_spoke_is_no_data_or_not_there_yet(month: Month) -> None:
    disk = new_disk(month.people, "mute")
    assert "mute" not in [one["machine"] for one in month.freeze().document["disks"]]
    type(disk).objects.filter(pk=disk.pk).update(first_seen_at=at(START))
    told = of(month.freeze(), "mute")
    assert (told["state"], told["sums"], told["coverage"]["from"]) == ("excused", [], None)


def test_a_contract_that_changed_in_the_middle_judges_each_part(month: Month) -> None:
    disk, noon = month.disks["good"], END - 86_400
    strict = add_version(
        contract=month.version.contract, text="99.9% < 5 ms at 3000 IOPS over calendar month in Europe/Berlin"
    )
    assign(disk=disk, version=strict, at=at(noon))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE scoring_slot SET term = %s WHERE disk_id = %s AND start >= %s", [strict.pk, disk.pk, at(noon)]
        )
    months.roll_up([disk.pk])
    told = of(month.freeze(), "good")
    assert [one["term"] for one in told["assigned"]] == [month.version.pk, strict.pk]
    assert {one["term"]: one["slow_ppm"] for one in told["sums"]} == {month.version.pk: 10_000, strict.pk: 1_000}
    assert told["term"] == strict.pk


def test_a_disk_that_changed_hands_is_told_to_each_for_its_own_time(month: Month) -> None:
    machine, noon = month.disks["good"].machine, END - 86_400
    Machine.objects.filter(pk=machine.pk).update(customer=month.people.customer_b)
    assert Handover.objects.count() == 1
    Handover.objects.update(at=at(noon))
    mine, theirs = of(month.freeze(), "good"), of(month.freeze(customer=month.people.customer_b), "good")
    assert (mine["span"]["end"], mine["held"]["until"]) == (noon, noon)
    assert (theirs["span"]["start"], theirs["held"]["from"]) == (noon, noon)
    assert mine["total"]["observed_s"] == theirs["total"]["observed_s"] == 86_400
    assert mine["coverage"]["ppm"] == theirs["coverage"]["ppm"] == 10**6


def test_a_machine_that_went_and_came_back_has_two_sections(month: Month) -> None:
    machine = month.disks["good"].machine
    for customer in (month.people.customer_b, month.people.customer_a):
        Machine.objects.filter(pk=machine.pk).update(customer=customer)
    gone, back = Handover.objects.order_by("pk")
    Handover.objects.filter(pk=gone.pk).update(at=at(END - 86_400))
    Handover.objects.filter(pk=back.pk).update(at=at(END - 43_200))
    spans = [one["span"] for one in month.freeze().document["disks"] if one["machine"] == "good"]
    assert [(one["start"], one["end"]) for one in spans] == [(START, END - 86_400), (END - 43_200, END)]


def test_contention_is_told_without_names(month: Month) -> None:
    pool = Pool.objects.create(name="ssd-secret")
    window = NeighbourWindow.objects.create(
        pool=pool,
        start=at(END - 4_000),
        end=at(END - 2_000),
        severity=2.31,
        cause="neighbour",
        confidence=0.9,
        detected_at=at(END),
        updated_at=at(END),
    )
    WindowDisk.objects.create(window=window, disk=month.disks["good"], role="victim", share=0.031)
    WindowDisk.objects.create(
        window=window, disk=new_disk(month.people, "loud", month.people.customer_b), role="suspect"
    )
    got = month.freeze()
    (told,) = of(got, "good")["contention"]
    assert (told["severity_milli"], told["share_ppm"], told["cause"]) == (2310, 31_000, "neighbour")
    assert b"ssd-secret" not in bytes(got.canonical)
    assert b"loud" not in bytes(got.canonical)


def test_maintenance_that_excludes_is_told_with_its_approval(month: Month) -> None:
    window = MaintenanceWindow.objects.create(
        starts_at=at(END - 7_200), ends_at=at(END - 3_600), reason="firmware", excludes=True, approvals=["by mail"]
    )
    window.disks.add(month.disks["good"])
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE scoring_slot SET excluded = true, state = 1, proved = true "
            "WHERE disk_id = %s AND start >= %s AND start < %s",
            [month.disks["good"].pk, at(END - 7_200), at(END - 3_600)],
        )
    months.roll_up([month.disks["good"].pk])
    got = month.freeze()
    (told,) = got.document["exclusions"]
    assert (told["approvals"], told["disks"], told["retroactive"]) == (["by mail"], [month.disks["good"].pk], True)
    good = of(got, "good")
    assert good["coverage"]["excluded_s"] == 3_600
    assert good["coverage"]["ppm"] == 10**6
    assert good["excluded_ios"] > 0


def test_a_disk_that_changed_pool_has_the_maintenance_of_where_it_lay(month: Month) -> None:
    disk = month.disks["good"]
    old, new = Pool.objects.create(name="old"), Pool.objects.create(name="new")
    place_disk(disk=disk, pool=old, at=at(BEGAN))
    place_disk(disk=disk, pool=new, at=at(END - 7_200))
    for pool in (old, new):
        window = MaintenanceWindow.objects.create(
            starts_at=at(END - 9_000), ends_at=at(END - 3_600), reason=pool.name, excludes=True, approvals=["by mail"]
        )
        window.pools.add(pool)
    elsewhere = MaintenanceWindow.objects.create(
        starts_at=at(END - 1_800), ends_at=at(END - 600), reason="after it had left", excludes=True
    )
    elsewhere.pools.add(old)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE scoring_slot SET excluded = true, state = 1, proved = true "
            "WHERE disk_id = %s AND start >= %s AND start < %s",
            [disk.pk, at(END - 9_000), at(END - 3_600)],
        )
    months.roll_up([disk.pk])
    got = month.freeze()
    told = {one["reason"]: (one["start"], one["end"], one["disks"]) for one in got.document["exclusions"]}
    assert told == {"old": (END - 9_000, END - 7_200, [disk.pk]), "new": (END - 7_200, END - 3_600, [disk.pk])}
    good = of(got, "good")
    assert good["coverage"]["excluded_s"] == 5_400
    assert good["coverage"]["ppm"] == 10**6
    assert score(disk.pk, month.period)["coverage"] == 1.0


def test_only_ones_own_word_stands_beside_an_exclusion(month: Month) -> None:
    window = MaintenanceWindow.objects.create(
        starts_at=at(END - 7_200), ends_at=at(END - 3_600), reason="firmware", asks_exclusion=True
    )
    window.customers.add(month.people.customer_a, month.people.customer_b)
    for customer, label in ((month.people.customer_a, "Ada"), (month.people.customer_b, "Bob")):
        MaintenanceApproval.objects.create(window=window, customer=customer, by_label=label, note="agreed", at=at(END))
    (told,) = month.freeze().document["exclusions"]
    assert told["approvals"] == [f"Ada, {at(END):%Y-%m-%d %H:%M} UTC: agreed"]
    assert len(told["disks"]) == 4


def test_who_listens_is_told_in_the_same_transaction(month: Month) -> None:
    heard: list[tuple[str, bool]] = []

    def listen(sender: Any, statement: Statement, **_: Any) -> None:
        heard.append((statement.number, connection.in_atomic_block))

    statement_frozen.connect(listen)
    try:
        got = month.freeze()
    finally:
        statement_frozen.disconnect(listen)
    assert heard == [(got.number, True)]


def test_keys_rotate_and_old_statements_stay_verifiable(month: Month) -> None:
    first = month.freeze()
    new = keys.rotate(actor=month.people.noc)
    put(month.disks["edge"], months.EDGE, month.version, start=BEGAN - 86_400, end=BEGAN)
    second = month.freeze()
    assert (second.key, first.key.retired_at) != (first.key, None)
    assert second.key == new
    for one in (first, second):
        assert keys.signed_by(SigningKey.objects.get(pk=one.key_id), bytes(one.signature), bytes(one.canonical))
    assert not keys.signed_by(new, bytes(first.signature), bytes(first.canonical))


def test_a_key_file_signs_where_one_is_named(month: Month, settings: Any, tmp_path: Any) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "key.pem").write_bytes(private.private_bytes(*form))
    settings.STATEMENT_KEY_FILE = str(tmp_path / "key.pem")
    got = month.freeze()
    assert got.key.sealed is None
    assert bytes(got.key.public) == keys.raw(private.public_key())
    with pytest.raises(keys.NoKey, match="put a new key into the file"):
        keys.rotate()
    settings.STATEMENT_KEY_FILE = str(tmp_path / "none.pem")
    with pytest.raises(keys.NoKey, match="openssl genpkey"):
        keys.signer()


def test_a_private_key_lies_encrypted_and_another_secret_does_not_open_it(people: People, settings: Any) -> None:
    key, private = keys.signer()
    assert private.private_bytes_raw() not in bytes(key.sealed)
    settings.SECRET_KEY = "quite another secret, fifty characters of it, no less"
    with pytest.raises(keys.NoKey, match="--rotate"):
        keys.signer()


def test_what_is_due_is_stated_once(month: Month) -> None:
    last = period_of(timezone.now(), "UTC").previous()
    closed = last if timezone.now() >= last.closes_at else last.previous()
    assert due.freeze_due() == 1
    got = Statement.objects.get()
    assert (got.customer, got.period) == (month.people.customer_a, closed.text)
    assert due.freeze_due() == 0


def test_a_numbered_correction_makes_a_new_statement_due(month: Month) -> None:
    first = month.freeze()
    due.freeze_due()
    put(month.disks["edge"], months.EDGE, month.version, start=BEGAN - 86_400, end=BEGAN)
    assert due.recheck(now=first.frozen_at + timedelta(minutes=1)) == 1
    assert Statement.objects.get(supersedes=first).reason == due.LATE
    assert due.recheck() == 0


def test_the_command_states_everybody_and_says_who_could_not_be(month: Month, capsys: Any) -> None:
    call_command("statements", period=month.period)
    said = capsys.readouterr().out
    assert f"{month.people.customer_b.name}: {month.people.customer_b} had no disk in {month.period}" in said
    assert f"{month.period}: 1 statements made for {Customer.objects.count()} customers" in said
    with pytest.raises(CommandError, match="no customer 'Nobody'"):
        call_command("statements", period=month.period, customer=["Nobody"])
    with pytest.raises(CommandError, match="month 13"):
        call_command("statements", period="2026-13")


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_state_one_month_make_one_statement(month: Month) -> None:
    said: list[str] = []

    def state() -> None:
        try:
            said.append(month.freeze().number)
        except NothingToState:
            said.append("nothing")
        finally:
            connection.close()

    workers = [threading.Thread(target=state) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(said) == [Statement.objects.get().number, "nothing", "nothing"]
