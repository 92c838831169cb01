"""The commands: scores again, judges a log without a database, prices other terms; what is wrong is said."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sla.domain.period import period_of
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow, Slot
from sla.scoring.services import settle_due
from sla.scoring.terms import moment
from tests.scoring.conftest import NOW

Sent = Callable[..., dict[str, Any]]
LOG = Path(__file__).parents[1] / "fixtures" / "logs" / "iostat-12.6-xkt.txt"


def said(*words: object) -> str:
    out = StringIO()
    call_command(*map(str, words), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_score_log_needs_no_database() -> None:
    answer = json.loads(said("score_log", LOG, "--contract", "99% < 15 ms at 1000 IOPS", "--json"))
    assert answer.keys() >= {"rows", "verdict", "grade", "sli", "needs"}
    assert answer["sli"].keys() == {"low", "estimate", "high"}
    assert all(row.keys() >= {"device", "case", "verdict"} for row in answer["rows"])
    assert "likely met, evidence C" in said("score_log", LOG)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("score_log", LOG, "--contract", "99% < 15 lightyears at 1 IOPS"), "lightyears"),
        (("score_log", "/nowhere/at/all"), "No such file"),
        (("score_log", Path(__file__)), "Device"),
        (("score", "--from", "yesterday", "--to", "5"), "yesterday"),
        (("score", "--from", "9", "--to", "5"), "9 is not before"),
        (("what_if", "2026-13", "--contract", "99% < 15 ms at 1000 IOPS"), "2026-13"),
    ],
)
def test_what_is_wrong_is_said_with_its_value(words: tuple[object, ...], hint: str) -> None:
    with pytest.raises(CommandError, match=hint):
        said(*words)


@pytest.mark.django_db
def test_score_and_what_if_run_over_stored_minutes(sent: Sent, disk: Disk) -> None:
    sent(5)
    settle_due()
    Slot.objects.all().delete()
    assert said("score", "--from", NOW - 600, "--to", NOW, "--disk", disk.pk) == "scored 1 slots\n"
    assert Slot.objects.count() == 1
    with pytest.raises(CommandError, match="no disk 987654"):
        said("score", "--from", 1, "--to", 2, "--disk", 987654)
    month = period_of(moment(NOW - 300)).text
    terms = ("--contract", "99% < 15 ms at 1000 IOPS", "--json")
    answer = json.loads(said("what_if", month, *terms, "--from-frames", "--disk", disk.pk))
    assert [item["disk"] for item in answer["items"]] == [disk.pk]
    assert answer["items"][0]["ios"] == sum(slot.read_ios + slot.write_ios for slot in Slot.objects.all())


@pytest.mark.django_db
def test_a_disk_that_never_did_anything_is_idle_from_the_start(sent: Sent, disk: Disk) -> None:
    nothing: dict[str, Any] = {name: [0] * 60 for name in ("read_ios", "write_ios", "read_ms", "write_ms")}
    sent(2, **nothing, slow=[])
    settle_due()
    assert State(DiskNow.objects.get().state) is State.IDLE
    sent(1)
    settle_due()
    assert State(DiskNow.objects.get().state) is State.MET
