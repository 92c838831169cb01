"""What does a notice say? Its subject, its plain and its HTML form, and a chart; rendered once, then kept."""

import json
from datetime import datetime, tzinfo
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from sla.accounts.language import language_of
from sla.domain.incidents.words import Kind
from sla.figures import decimal
from sla.notifications.blame import blame, what_to_do
from sla.notifications.chart import Point, draw
from sla.notifications.digest_letter import digest
from sla.notifications.facts import Facts, facts_of
from sla.notifications.foot import foot
from sla.notifications.mime import CHART_CID, one_line
from sla.notifications.models import Channel, Notice
from sla.notifications.moments import duration, headed, moment, span
from sla.notifications.payload import payload
from sla.notifications.recipients import zone_of
from sla.scoring.selectors import slots

Topic = Notice.Topic
SUBJECT_MAX = 200
# Whose words are about requests of a disk, which are proved or likely; the others are facts.
JUDGED = frozenset(Kind) - {Kind.SILENT, Kind.WATCHER}


def render(notice: Notice) -> dict[str, Any]:
    """The fields of the notice that hold what is sent, in the language of its reader."""
    with translation.override(language_of(notice.person)):
        return _rendered(notice)


def _rendered(notice: Notice) -> dict[str, Any]:
    if notice.topic == Topic.TEST:
        return _test(notice)
    if notice.topic == Topic.DIGEST:
        return digest(notice)
    facts = facts_of(notice.incident, notice.person)
    context = _context(notice, facts)
    if notice.channel and notice.channel.kind == Channel.Kind.WEBHOOK:
        return {
            "subject": context["subject"],
            "plain": json.dumps(payload(notice, facts, context["looks_like"]), ensure_ascii=False),
        }
    plain = render_to_string("mail/incident.txt", context)
    if notice.channel:
        return {"subject": context["subject"], "plain": plain}
    chart, alt = picture(facts, notice)
    context |= {"chart": chart is not None, "chart_cid": CHART_CID, "chart_alt": alt}
    html = render_to_string("mail/incident.html", context)
    return {"subject": context["subject"], "plain": plain, "html": html, "chart": chart, "chart_alt": alt[:300]}


def _context(notice: Notice, facts: Facts) -> dict[str, Any]:
    incident, zone, now = notice.incident, zone_of(notice.person), timezone.now()
    noc = notice.person is None or notice.person.is_noc
    # What is told is what has become of it: a mail that was held may open and close the matter at once.
    over = facts.resolved_at is not None
    looks_like = blame(incident, facts, noc=noc)
    heading = headed(facts.title)
    return {
        "subject": subject(notice, facts),
        "heading": heading,
        "topic": notice.topic,
        "status": status(notice, facts),
        "tone": "met" if over else {"page": "breached", "ticket": "at_risk"}.get(incident.severity, "idle"),
        "preheader": preheader(facts, noc=noc),
        "sure": how_sure(facts, now),
        "over": over,
        "facts": facts,
        "rows": rows(facts, zone, looks_like, noc=noc),
        "more": facts.ever - len(facts.worst) if over else facts.disks - len(facts.worst),
        "looks_like": looks_like,
        "what_to_do": what_to_do(incident, facts, noc=noc),
        "noc": noc,
        **foot(notice),
    }


def how_sure(facts: Facts, now: datetime) -> str:
    """The line below the heading."""
    if facts.resolved_at is not None:
        return _("Over again, after %(time)s.") % {"time": duration(facts.resolved_at - facts.opened_at)}
    if facts.kind in JUDGED:
        proved = _("Proved by the kernel's own counters.")
        return _("Likely: the estimate says so, it is not proved yet.") if facts.likely else proved
    return _("For %(time)s now.") % {"time": duration(now - facts.opened_at)}


def rows(facts: Facts, zone: tzinfo, looks_like: str, *, noc: bool) -> list[tuple[str, str]]:
    """The head of the letter: when, how many, what is left, whose fault."""
    over, worst = facts.resolved_at, facts.worst[0] if facts.worst else None
    when = span(facts.opened_at, over, zone) if over else moment(facts.opened_at, zone)
    listed = [(_("When") if over else _("Since"), when)]
    if facts.ever > 1:
        count = {"now": facts.disks, "ever": facts.ever, "customers": facts.customers}
        said = _("%(ever)d disks") if over or facts.disks == facts.ever else _("%(now)d disks now, %(ever)d in all")
        if noc and facts.customers > 1:
            said += _(", of %(customers)d customers")
        listed.append((_("Out of contract"), said % count))
    if worst and worst.budget and facts.kind in JUDGED:
        label = _("Budget left") if facts.ever == 1 else _("Budget left, worst disk")
        listed.append((label, worst.budget))
    if looks_like:
        listed.append((_("Looks like"), looks_like))
    return listed


def subject(notice: Notice, facts: Facts) -> str:
    """The same for a whole thread, so that mail programs keep it together whatever they look at."""
    thread = Notice.objects.filter(
        incident=notice.incident_id, person=notice.person_id, channel=notice.channel_id, rendered_at__isnull=False
    )
    first = thread.order_by("id").values_list("subject", flat=True).first()
    if first is None:
        return one_line(f"[Plimsoll #{notice.incident_id}] {facts.title}")[:SUBJECT_MAX]
    return f"Re: {first.removeprefix('Re: ')}"


def status(notice: Notice, facts: Facts) -> str:
    """The word at the top."""
    if facts.resolved_at is not None:
        return _("Recovered")
    words = {Topic.ESCALATED: _("More urgent now"), Topic.REOPENED: _("It came back"), Topic.REMINDED: _("Still open")}
    urgency = {"page": _("Page"), "ticket": _("Ticket"), "info": _("For information")}[notice.incident.severity]
    return " · ".join(part for part in (words.get(notice.topic, ""), urgency) if part)


def preheader(facts: Facts, *, noc: bool) -> str:
    """What a phone shows under the subject."""
    if facts.resolved_at is not None:
        return _("Recovered after %(time)s.") % {"time": duration(facts.resolved_at - facts.opened_at)}
    worst = facts.worst[0] if facts.worst else None
    return (worst.figures or worst.promise) if worst else ""


def picture(facts: Facts, notice: Notice) -> tuple[bytes | None, str]:
    """The worst disk's latency over the last hour, and the same in words."""
    worst = facts.worst[0] if facts.worst else None
    if worst is None:
        return None, ""
    end = int((facts.resolved_at or timezone.now()).timestamp()) // 60 * 60 + 60
    rows = slots(worst.disk, end - 3600, end, "guest" if worst.vantage == 1 else "host")
    points = tuple(Point(row["start"], row["await_ms"], row["p99_ms"]) for row in rows)
    image = draw(points, worst.threshold_ms, end, zone_of(notice.person))
    means = [point.await_ms for point in points if point.await_ms is not None]
    if image is None or not means:
        return None, ""
    low, high, last = (decimal(f"{mean:.3g}") for mean in (min(means), max(means), means[-1]))
    said = {"name": worst.name, "low": low, "high": high, "last": last}
    alt = _("Latency of %(name)s over the last hour: %(low)s to %(high)s ms on average, last %(last)s ms") % said
    if worst.threshold_ms:
        alt += _("; %(ms)s ms promised") % {"ms": decimal(f"{worst.threshold_ms:g}")}
    return image, alt


def _test(notice: Notice) -> dict[str, Any]:
    title = _("Plimsoll can reach you")
    if notice.channel and notice.channel.kind == Channel.Kind.WEBHOOK:
        body = {"type": "test", "delivery": notice.message_id.strip("<>")}
        return {"subject": title, "plain": json.dumps(body)}
    context = {"subject": title, "heading": title, "url": settings.BASE_URL, **foot(notice)}
    parts = {"subject": title, "plain": render_to_string("mail/test.txt", context)}
    return parts if notice.channel else {**parts, "html": render_to_string("mail/test.html", context)}
