"""Whose fault does it look like, and what is to be done? One sentence each; a customer is never told another's name."""

from datetime import timedelta

from django.utils.translation import gettext as _

from sla.domain.incidents.words import Kind
from sla.incidents.models import Incident
from sla.neighbours.models import Cause, NeighbourWindow, Role
from sla.neighbours.selectors import windows_touching
from sla.neighbours.words import several_pools
from sla.notifications.facts import Facts

# The window of shared storage may have opened a little before the disk broke its contract.
BEFORE = timedelta(minutes=10)
# Who is named by a score under this is wrong more often than is fair.
NAMED_FROM = 0.5


def window_of(incident: Incident, facts: Facts) -> NeighbourWindow | None:
    """The latest window of contention that the incident's worst disk took part in while it lasted."""
    if facts.lead is None:
        return None
    end = incident.resolved_at or incident.updated_at
    span = (incident.opened_at - BEFORE, end + timedelta(seconds=1))
    return windows_touching(facts.lead.disk, *span).select_related("pool").last()


def blame(incident: Incident, facts: Facts, *, noc: bool) -> str:
    """Empty where there is nobody to look for."""
    if facts.kind in (Kind.SILENT, Kind.WATCHER, Kind.PERIOD):
        return _("Not known: nobody is looking at the disk.") if facts.kind is Kind.SILENT else ""
    window = window_of(incident, facts)
    cause = Cause(window.cause) if window else _cause_of(incident)
    return _to_noc(incident, facts, window, cause) if noc else _to_customer(incident, cause)


def _cause_of(incident: Incident) -> Cause | None:
    return Cause.BACKEND if incident.kind == Kind.BACKEND else None


def _to_noc(incident: Incident, facts: Facts, window: NeighbourWindow | None, cause: Cause | None) -> str:
    pool = incident.pool or (facts.lead.disk.pool if facts.lead else None)
    names = {"pool": pool or _("its pool")}
    if cause is Cause.NEIGHBOUR:
        suspect = _suspect(window)
        if suspect:
            return _("A neighbour in pool %(pool)s: %(suspect)s") % {**names, "suspect": suspect}
        return _("Neighbours in pool %(pool)s: more load than usual, no single culprit") % names
    if cause is Cause.BACKEND:
        return _("The storage behind pool %(pool)s: slower than usual at the same load") % names
    if cause is Cause.WIDER:
        return several_pools()
    if cause is Cause.DISK:
        return _("This disk alone: the others of pool %(pool)s are well") % names
    if cause is Cause.SELF:
        return _("Its own load, so far as can be seen")
    if facts.ever > 1 and incident.pool:
        return _("Shared storage: %(count)d disks of pool %(pool)s at once") % {**names, "count": facts.ever}
    return _("Not known yet: no sign of contention in pool %(pool)s") % names if pool else _("Not known yet")


def _suspect(window: NeighbourWindow | None) -> str:
    if window is None:
        return ""
    found = window.disks.filter(role=Role.SUSPECT, score__gte=NAMED_FROM).select_related("disk__machine__customer")
    first = found.order_by("-score").first()
    if first is None:
        return ""
    return f"{first.disk}, {first.disk.machine.customer} ({first.score:.2f})"


def _to_customer(incident: Incident, cause: Cause | None) -> str:
    if cause is Cause.SELF:
        return _("Your own load, so far as can be seen")
    if cause is Cause.NEIGHBOUR:
        return _("Storage that is shared with others: not your load")
    if cause is Cause.BACKEND:
        return _("Your provider's storage: not your load")
    if cause is Cause.WIDER:
        return several_pools()
    if cause is Cause.DISK:
        return _("This disk alone, on your provider's side")
    if incident.pool_id and incident.disks.count() > 1:
        return _("Storage that is shared with others: more than one disk is slow")
    return _("Not known yet")


def what_to_do(incident: Incident, facts: Facts, *, noc: bool) -> str:
    """The next step."""
    if incident.resolved_at:
        return _("Nothing. What happened, minute by minute, stays on its page.")
    if not noc:
        return _to_do_for_customer(facts)
    if facts.kind is Kind.BACKEND and incident.figures.get("cause") == Cause.WIDER:
        return _("Look above the pools, at what they share: network, controllers, power.")
    return {
        Kind.SILENT: _("See whether the machine runs; on it, `plimsoll-agent doctor` says what is wrong."),
        Kind.WATCHER: _("See what is late on the incident's page, then the logs of worker and beat."),
        Kind.PERIOD: _("A credit may be due when the month closes: the customer's statement will show it."),
        Kind.CONTENTION: _("Look at the suspect's load on the incident's page; throttle it or move one of the two."),
        Kind.BACKEND: _("Look at the backend of the pool: rebuilds, failed devices, its network."),
        Kind.BURN: _("Find out what changed, before the budget is gone."),
    }.get(facts.kind, _("Open the incident, see whether its neighbours are slow too, and acknowledge it."))


def _to_do_for_customer(facts: Facts) -> str:
    if facts.kind is Kind.SILENT:
        return _("See whether the machine runs; on it, `plimsoll-agent doctor` says what is wrong.")
    if facts.kind is Kind.PERIOD:
        return _("Nothing now: your statement of this month will show what is due to you.")
    return _("Nothing on your side unless your own load has changed. The page below is the evidence.")
