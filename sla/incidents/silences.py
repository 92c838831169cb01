"""Keep quiet about something for a while: who, why, until when, and what that hides."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.accounts.services import record
from sla.domain.incidents.silence import hides
from sla.domain.incidents.words import Happened, Kind
from sla.fleet.models import Disk, Machine, Pool
from sla.incidents.history import record_event
from sla.incidents.models import Incident, Silence
from sla.incidents.muting import hush_of, parts_of_all

# Longer than a shift of holidays nobody remembers why: it can be set again.
LONGEST = timedelta(days=30)
# What the preview reads of the past, and how many incidents at most.
LOOKS_BACK = timedelta(days=7)
PREVIEWED = 1_000


class OddSilence(ValueError):
    """A silence that cannot be; `field` names what is wrong, the message why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Preview:
    """What a silence would hide: incidents that are open now, and how many of the last seven days."""

    open_now: list[Incident]
    last_week: int
    of_last_week: int


def draft(
    *,
    author: User,
    reason: str,
    ends_at: datetime,
    starts_at: datetime | None = None,
    kinds: Collection[str] = (),
    incident: Incident | None = None,
    pool: Pool | None = None,
    machine: Machine | None = None,
    customer: Customer | None = None,
    disk: Disk | None = None,
    now: datetime | None = None,
) -> Silence:
    """A silence that could be set, not stored. OddSilence."""
    now = now or timezone.now()
    starts_at = starts_at or now
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= 300:
        raise OddSilence("reason", f"a reason of {len(reason)} characters: write 1 to 300")
    if ends_at <= max(starts_at, now):
        raise OddSilence("ends_at", f"it ends at {ends_at:%F %H:%M} UTC: that is over, or before it begins")
    if ends_at - starts_at > LONGEST:
        raise OddSilence("ends_at", f"{(ends_at - starts_at).days} days: {LONGEST.days} at most, set it again then")
    if odd := set(kinds) - set(Kind):
        raise OddSilence("kinds", f"{sorted(odd)[0][:40]!r} is no kind: {', '.join(Kind)}")
    silence = Silence(
        author=author,
        author_label=author.get_username(),
        reason=reason,
        starts_at=starts_at,
        ends_at=ends_at,
        kinds=sorted(set(kinds)),
        incident=incident,
        pool=pool,
        machine=machine,
        customer=customer,
        disk=disk,
    )
    if hush_of(silence).names_nothing:
        raise OddSilence("incident", "it names nothing and would hide everything: name what is to be quiet")
    return silence


def preview(silence: Silence, now: datetime | None = None) -> Preview:
    """What it alone would hide."""
    now = now or timezone.now()
    hush = [hush_of(silence)]
    found = Incident.objects.filter(opened_at__gte=now - LOOKS_BACK) | Incident.objects.exclude(
        state=Incident.State.RESOLVED
    )
    listed = list(found.order_by("-opened_at")[:PREVIEWED])
    parts = parts_of_all(listed)
    hidden = [one for one in listed if hides(hush, one.pk, one.kind, parts[one.pk])]
    recent = [one for one in listed if one.opened_at >= now - LOOKS_BACK]
    return Preview(
        open_now=[one for one in hidden if one.state != Incident.State.RESOLVED],
        last_week=sum(one in hidden for one in recent),
        of_last_week=len(recent),
    )


@transaction.atomic
def silence(*, wanted: Silence, now: datetime | None = None) -> Silence:
    """Set it. Each open incident that it hides has it in its history."""
    now = now or timezone.now()
    wanted.save()
    record(
        verb="silence set",
        object_label=_label(wanted),
        actor=wanted.author,
        customer=wanted.customer,
        after={"reason": wanted.reason, "ends_at": wanted.ends_at.isoformat(), "names": named(wanted)},
    )
    if wanted.starts_at <= now:
        hidden = {one.pk for one in preview(wanted, now).open_now}
        for incident in _locked(hidden):
            data = {"silence": wanted.pk, "ends_at": wanted.ends_at.isoformat(), "by": wanted.author_label}
            record_event(incident, Happened.SILENCED, now, actor=wanted.author, note=wanted.reason, data=data)
    return wanted


@transaction.atomic
def end_silence(*, silence: Silence, actor: User, now: datetime | None = None) -> Silence:
    """Loud again. Ending it twice changes nothing."""
    now = now or timezone.now()
    kept = Silence.objects.select_for_update(of=("self",)).get(pk=silence.pk)
    if kept.cancelled_at is None and kept.ends_at > now:
        kept.cancelled_at = now
        kept.save(update_fields=["cancelled_at"])
        record(
            verb="silence ended",
            object_label=_label(kept),
            actor=actor,
            customer=kept.customer,
            before={"ends_at": kept.ends_at.isoformat()},
        )
    return kept


def named(silence: Silence) -> dict[str, object]:
    """What it names, for people and for the audit trail."""
    places = {name: getattr(silence, name) for name in ("incident", "pool", "machine", "customer", "disk")}
    found: dict[str, object] = {name: str(value) for name, value in places.items() if value is not None}
    return found | ({"kinds": silence.kinds} if silence.kinds else {})


def _label(silence: Silence) -> str:
    return ", ".join(f"{name} {value}" for name, value in named(silence).items())[:200]


def _locked(pks: Collection[int]) -> list[Incident]:
    return list(
        Incident.objects.select_for_update(of=("self",))
        .select_related("pool", "machine", "customer")
        .filter(pk__in=pks)
        .order_by("pk")
    )


__all__ = ["LONGEST", "OddSilence", "Preview", "draft", "end_silence", "named", "preview", "silence"]
