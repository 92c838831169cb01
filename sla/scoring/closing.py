"""When is a month over? It closes 72 h after its end and then changes only by a numbered correction (semantics §5)."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from sla.domain.period import Period, parse_period, period_of
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.scoring import store
from sla.scoring.models import Correction
from sla.scoring.score import compute_score
from sla.scoring.selectors import current_term, vantage_of
from sla.scoring.terms import assigned_to, contract_of, term_at

# Disks closed in one call: each costs some milliseconds, the beat comes again.
LIMIT = 500
# A month is closed within days of its moment: what was closed longer ago is another month.
FORGET = timedelta(days=40)


class NotClosedYet(ValueError):
    """The period is open; the message says until when."""


def last_closed(zone: str, now: datetime) -> Period:
    """The latest month that closed before `now` in a zone."""
    period = period_of(now, zone).previous()
    return period if now >= period.closes_at else period.previous()


def close_periods(*, now: datetime | None = None, limit: int = LIMIT) -> int:
    """Write down the score of the last closed month for every disk that has none yet; how many were written."""
    now = now or timezone.now()
    closed = set(
        Correction.objects.filter(number=0, made_at__gte=now - FORGET).values_list("disk_id", "vantage", "period")
    )
    begun = dict(Disk.objects.filter(now__first_at__isnull=False).values_list("pk", "now__first_at"))
    with store.reading() as cursor:
        assigned = assigned_to(cursor, begun)
    done = 0
    for disk_id, first_at in begun.items():
        listed = assigned.get(disk_id, [])
        term = term_at(listed, now.timestamp()) or (listed[-1].term if listed else 0)
        contract = contract_of(term) if term else None
        period = last_closed(contract.zone if contract else "UTC", now)
        side = int(Vantage.of(contract.vantage)) if contract else int(Vantage.GUEST)
        if first_at >= period.end or (disk_id, side, period.text) in closed:
            continue
        _, made = Correction.objects.get_or_create(
            disk_id=disk_id,
            vantage=side,
            period=period.text,
            number=0,
            defaults={"score": compute_score(disk_id, period.text, now=now), "made_at": now},
        )
        done += made
        if done >= limit:
            break
    return done


@transaction.atomic
def correct(*, disk: Disk, period: str, reason: str, now: datetime | None = None) -> Correction | None:
    """Score a closed period again and number what changed; None where nothing did. NotClosedYet, PeriodError."""
    now = now or timezone.now()
    side = vantage_of(disk.pk)
    # The lock makes the numbers a sequence when two people correct at once.
    Disk.objects.select_for_update(of=("self",)).get(pk=disk.pk)
    last = Correction.objects.filter(disk=disk, vantage=side, period=period).order_by("-number").first()
    if last is None:
        closes = parse_period(period, _zone(disk.pk)).closes_at
        raise NotClosedYet(f"{period} of {disk} has not been closed: it closes at {closes:%F %H:%M} UTC")
    score = compute_score(disk.pk, period, now=now)
    if comparable(score) == comparable(last.score):
        return None
    return Correction.objects.create(
        disk=disk,
        vantage=side,
        period=period,
        number=last.number + 1,
        score=score,
        reason=reason,
        made_at=now,
    )


def comparable(score: dict[str, Any]) -> dict[str, Any]:
    """A score without what is said about its writing down."""
    return {name: value for name, value in score.items() if name not in ("correction", "closed")}


def _zone(disk_id: int) -> str:
    term = current_term(disk_id)
    return contract_of(term).zone if term else "UTC"


def history(disk: Disk, period: str) -> list[dict[str, Any]]:
    """The closing and the corrections of a period, oldest first."""
    rows = Correction.objects.filter(disk=disk, period=period).order_by("vantage", "number")
    return [
        {
            "number": row.number,
            "vantage": Vantage(row.vantage).label,
            "reason": row.reason,
            "made_at": int(row.made_at.timestamp()),
            "state": row.score["state"],
            "sli": row.score["sli"],
        }
        for row in rows
    ]
