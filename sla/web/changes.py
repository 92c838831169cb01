"""What changed in the last hour? From incidents, how disks stand, inventory, and (for the NOC) the audit trail."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count, OuterRef, Q, Subquery, Window
from django.db.models.functions import Greatest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from sla.accounts.models import AuditEntry, User
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.fleet.selectors import machines_visible_to
from sla.incidents.models import IncidentDisk, IncidentEvent
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
FIGURES = ("now__acute_at", "now__seen_at", "now__slot_state", "now__slot_start")
MOST = 8  # lines: as many as stand beside the list without pushing what is below


@dataclass(frozen=True, slots=True)
class Change:
    """One line: when, the icon of which state, what happened, to what by its name, and where it leads."""

    at: datetime
    state: str
    what: str
    name: str = ""
    address: str = ""


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
    news = (
        incidents_visible_to(user)
        .select_related(None)
        .annotate(last_kind=Subquery(told.values("kind")[:1]), last_at=Subquery(told.values("at")[:1]))
    )
    listed = list(news.filter(updated_at__gte=since, last_at__isnull=False).order_by("-last_at")[:most])
    mine = {} if user.is_noc else shares(listed, user)
    for incident in listed:
        icon, word = TOLD[incident.last_kind]
        title = title_for(incident, user, mine.get(incident.pk))
        yield Change(incident.last_at, icon, f"{word}: {title}", address=incident.get_absolute_url())


def _judged(user: User, since: datetime, now: datetime, most: int) -> Iterator[Change]:
    """Disks whose acute rule held (half of the covered requests slow, or half of a minute lost), and silent ones."""
    late = now - timedelta(seconds=SILENT_S)
    news = Q(now__acute_at__gte=since) | Q(now__seen_at__gte=since, now__seen_at__lt=late)
    latest = Greatest("now__acute_at", "now__seen_at")
    disks = every(user).select_related(None).filter(news, removed_at=None)
    # What is in an incident is told by it.
    disks = disks.exclude(pk__in=IncidentDisk.objects.filter(Q(until=None) | Q(until__gte=since)).values("disk"))
    told = disks.order_by(latest.desc()).values_list("pk", "machine__hostname", "device", *FIGURES)
    for pk, hostname, device, acute_at, seen_at, slot_state, slot_start in told[: 2 * most]:
        name, address = f"{hostname} / {device}", reverse("disk", args=[pk])
        if acute_at is not None and acute_at >= since:
            slow = slot_state == State.BREACHED and slot_start and acute_at >= slot_start
            what = gettext("most requests slow, still") if slow else gettext("most requests slow until then")
            yield Change(acute_at, "breached" if slow else "met", what, name, address)
        if since <= seen_at < late:
            yield Change(seen_at, "no_data", gettext("nothing received since"), name, address)


def _enrolled(user: User, since: datetime) -> Iterator[Change]:
    """Many at once are one line: a fleet that moves in should not push out what goes wrong."""
    new = machines_visible_to(user).select_related(None).filter(enrolled_at__gte=since).order_by("-enrolled_at")
    latest = list(new.annotate(together=Window(Count("id"))).values_list("hostname", "enrolled_at", "together")[:3])
    if len(latest) > 2:
        what = gettext("%(count)d machines enrolled") % {"count": latest[0][2]}
        yield Change(latest[0][1], "idle", what)
        return
    for hostname, enrolled_at, _ in latest:
        address = f"{reverse('fleet')}?{urlencode({'q': hostname})}"
        yield Change(enrolled_at, "idle", gettext("enrolled"), hostname, address)


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
