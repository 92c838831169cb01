"""What changed in the last hour? From incidents, how disks stand, inventory, and (for the NOC) the audit trail."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, OuterRef, Q, Subquery, Window
from django.db.models.functions import Greatest
from django.utils.translation import gettext, gettext_lazy

from sla.accounts.models import AuditEntry, User
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.fleet.models import Disk, Machine
from sla.fleet.selectors import machines_visible_to
from sla.incidents.models import Incident, IncidentDisk, IncidentEvent
from sla.incidents.selectors import incidents_visible_to
from sla.incidents.words import shares, title_for
from sla.scoring.listing import every

SPAN = timedelta(hours=1)
TOLD = {
    "opened": ("breached", gettext_lazy("opened")),
    "reopened": ("breached", gettext_lazy("came back")),
    "escalated": ("breached", gettext_lazy("escalated")),
    "acknowledged": ("excused", gettext_lazy("acknowledged")),
    "resolved": ("met", gettext_lazy("over")),
}
MOST = 8  # lines: as many as stand beside the list without pushing what is below


@dataclass(frozen=True, slots=True)
class Change:
    """One line: when, the icon of which state, what happened, to which disk, machine or incident where it is one."""

    at: datetime
    state: str
    what: str
    disk: Disk | None = None
    machine: Machine | None = None
    incident: Incident | None = None


def last_hour(user: User, now: datetime, most: int = MOST) -> list[Change]:
    """Newest first, at most so many; only about what this person may see."""
    since = now - SPAN
    found = [*_incidents(user, since, most), *_judged(user, since, now, most), *_enrolled(user, since)]
    if user.is_noc:
        found += _decided(since)
    return sorted(found, key=lambda change: change.at, reverse=True)[:most]


def _incidents(user: User, since: datetime, most: int) -> Iterator[Change]:
    """What opened, came back, was looked after or ended; of each incident the last of it."""
    told = IncidentEvent.objects.filter(at__gte=since, kind__in=list(TOLD), incident=OuterRef("pk")).order_by("-id")
    news = incidents_visible_to(user).annotate(
        last_kind=Subquery(told.values("kind")[:1]), last_at=Subquery(told.values("at")[:1])
    )
    listed = list(news.filter(updated_at__gte=since, last_at__isnull=False).order_by("-last_at")[:most])
    mine = {} if user.is_noc else shares(listed, user)
    for incident in listed:
        icon, word = TOLD[incident.last_kind]
        title = title_for(incident, user, mine.get(incident.pk))
        yield Change(incident.last_at, icon, f"{word}: {title}", incident=incident)


def _judged(user: User, since: datetime, now: datetime, most: int) -> Iterator[Change]:
    """Disks whose acute rule held (half of the covered requests slow, or half of a minute lost), and silent ones."""
    late = now - timedelta(seconds=SILENT_S)
    news = Q(now__acute_at__gte=since) | Q(now__seen_at__gte=since, now__seen_at__lt=late)
    latest = Greatest("now__acute_at", "now__seen_at")
    disks = every(user).select_related(None).select_related("machine", "now").filter(news, removed_at=None)
    # What is in an incident is told by it.
    disks = disks.exclude(pk__in=IncidentDisk.objects.filter(Q(until=None) | Q(until__gte=since)).values("disk"))
    for disk in disks.order_by(latest.desc())[: 2 * most]:
        stands = disk.now
        if stands.acute_at is not None and stands.acute_at >= since:
            slow = stands.slot_state == State.BREACHED and stands.slot_start and stands.acute_at >= stands.slot_start
            what = gettext("most requests slow, still") if slow else gettext("most requests slow until then")
            yield Change(stands.acute_at, "breached" if slow else "met", what, disk=disk)
        if since <= stands.seen_at < late:
            yield Change(stands.seen_at, "no_data", gettext("nothing received since"), disk=disk)


def _enrolled(user: User, since: datetime) -> Iterator[Change]:
    """Many at once are one line: a fleet that moves in should not push out what goes wrong."""
    new = machines_visible_to(user).filter(enrolled_at__gte=since).order_by("-enrolled_at")
    latest = list(new.annotate(together=Window(Count("id")))[:3])
    if len(latest) > 2:
        what = gettext("%(count)d machines enrolled") % {"count": latest[0].together}
        yield Change(latest[0].enrolled_at, "idle", what)
        return
    for machine in latest:
        yield Change(machine.enrolled_at, "idle", gettext("enrolled"), machine=machine)


def _decided(since: datetime) -> Iterator[Change]:
    """What people did to contracts, many of a kind as one line; what enrolment did by itself is not news."""
    done = AuditEntry.objects.filter(at__gte=since, actor__isnull=False, verb__startswith="contract")
    rows = list(done.order_by("at").values_list("verb", "actor_label", "at", "object_label")[:1000])
    counted = Counter((verb, who) for verb, who, _, _ in rows)
    latest = {(verb, who): (at, label) for verb, who, at, label in rows}
    for (verb, who), count in counted.items():
        at, label = latest[verb, who]
        what = label if count == 1 else gettext("%(count)d times") % {"count": count}
        yield Change(at, "excused", gettext("%(verb)s by %(who)s: %(what)s") % {"verb": verb, "who": who, "what": what})
