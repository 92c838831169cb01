"""The whole line: frames as agents send them, scored as usual, looked at by the rules."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from sla.fleet.models import Disk
from sla.incidents import evaluate, marks
from sla.incidents.models import Incident, IncidentDisk, Mark
from sla.scoring import services
from sla.scoring.services import settle_due
from tests.incidents.conftest import history
from tests.scoring.conftest import NOW, disk, half_a_minute_after_now, keep, machine, sent, term
from tests.telemetry.machines import minute

__all__ = ["disk", "half_a_minute_after_now", "machine", "sent", "term"]
Send = Callable[..., dict[str, Any]]
N = 60


def labelled(term: int, **change: list[int]) -> list[dict[str, Any]]:
    """The labels of a minute, with these lines."""
    (label,) = minute(NOW, term=term)["slow"]
    return [{**label, **change}]


def bad(term: int, *, proved: bool, from_second: int = 0) -> dict[str, Any]:
    """Nine of ten requests slow, with a mean over the threshold, from some second on."""
    ios = [100] * N
    slow = [0] * from_second + [90] * (N - from_second)
    low = slow if proved else [0] * N
    labels = labelled(term, write_est=slow, write_lo=low, write_hi=slow, covered_est=ios)
    wait = [100 if not count else 4_000 for count in slow]
    return {"read_ios": [0] * N, "write_ios": ios, "read_ms": [0] * N, "write_ms": wait, "slow": labels}


def held(term: int, ios: int) -> dict[str, Any]:
    """All requests wait, a second of each second is lost, and so many come through."""
    done = [ios] * N
    labels = labelled(term, write_est=done, write_lo=[0] * N, write_hi=done, covered_est=done, lost_ms=[1_000] * N)
    queue = {"in_flight": [64] * N, "queue_ms": [64_000] * N, "read_sectors": [0] * N, "write_sectors": [8 * ios] * N}
    return {"read_ios": [0] * N, "write_ios": done, "read_ms": [0] * N, "write_ms": [800] * N, "slow": labels, **queue}


def look() -> Incident:
    """Score what is due, then apply the rules."""
    settle_due()
    evaluate.evaluate_due()
    return Incident.objects.get()


def test_a_disk_that_goes_bad_within_a_minute_is_an_incident_before_the_minute_is_over(
    disk: Disk, term: int, sent: Send
) -> None:
    sent(2)
    whole = minute(NOW - 60, term=term, **bad(term, proved=False, from_second=10))
    cut = {name: value[:50] if isinstance(value, list) and len(value) == N else value for name, value in whole.items()}
    label = {name: value[:50] if isinstance(value, list) else value for name, value in whole["slow"][0].items()}
    keep(disk, {**cut, "n": 50, "slow": [label]})
    incident = look()
    assert (incident.kind, incident.severity, incident.suspected) == ("acute", "page", True)
    figures = IncidentDisk.objects.get().figures
    assert figures["slow"] == 40 * 90 + sum(minute(NOW - 120, term=term)["slow"][0]["write_est"])


def test_a_disk_that_falls_silent_keeps_the_figures_that_were_seen_last(
    disk: Disk, term: int, sent: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(1, **bad(term, proved=True))
    look()
    before = IncidentDisk.objects.get().figures
    later = datetime.fromtimestamp(NOW + 3_600, UTC)
    monkeypatch.setattr(timezone, "now", lambda: later)
    services.refresh_stale()
    evaluate.sweep()
    after = IncidentDisk.objects.get(incident__kind="acute").figures
    assert {name: after[name] for name in ("slow", "eligible")} == {name: before[name] for name in ("slow", "eligible")}


def test_what_the_counters_prove_is_not_called_suspected(disk: Disk, term: int, sent: Send) -> None:
    sent(1, **bad(term, proved=True))
    assert look().suspected is False


@pytest.mark.parametrize(("ios", "kind"), [(0, "stall"), (20, "stall"), (410, "under_delivery")])
def test_lost_time_is_a_stall_or_under_delivery(disk: Disk, term: int, sent: Send, ios: int, kind: str) -> None:
    sent(1, **held(term, ios))
    incident = look()
    assert (incident.kind, incident.suspected) == (kind, False)
    figures = IncidentDisk.objects.get().figures
    assert figures["delivered_ratio"] == ios / 1_000
    assert figures["unavailable"] is (ios == 0), "nothing completed for a whole minute"


def test_a_calm_disk_is_not_looked_at(disk: Disk, sent: Send) -> None:
    for ago in (3, 2, 1):
        sent(ago, **{name: [0] * N for name in ("write_ms", "read_ms")})
    settle_due()
    assert not Mark.objects.exists()


def test_marks_stand_in_the_transaction_that_scored(
    disk: Disk, term: int, sent: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(1, **bad(term, proved=True))

    class Dies(Exception):
        pass

    def dies(*_: Any, **__: Any) -> None:
        raise Dies

    with monkeypatch.context() as patch, pytest.raises(Dies), transaction.atomic():
        patch.setattr(services, "_settle_batch", _then(services._settle_batch, dies))
        settle_due()
    assert not Mark.objects.exists()
    assert history(look()) == ["opened"]


def _then(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    def both(*args: Any) -> Any:
        first(*args)
        return second()

    return both


def test_a_broker_that_is_away_loses_nothing(
    disk: Disk, term: int, sent: Send, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    asked: list[str] = []

    def away(name: str, **_: Any) -> None:
        asked.append(name)
        raise ConnectionRefusedError("no broker")

    monkeypatch.setattr(marks.current_app, "send_task", away)
    sent(1, **bad(term, proved=True))
    with django_capture_on_commit_callbacks(execute=True):
        settle_due()
    assert asked == [marks.EVALUATE]
    assert Mark.objects.count() == 1
    assert history(look()) == ["opened"]
