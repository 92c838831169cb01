"""What was done, as far as this person may read it: all for the NOC, a customer's own for its managers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from sla.accounts.models import AuditEntry, Membership, User
from sla.accounts.permissions import Role, roles_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for; "" and None leave a thing open."""

    who: str = ""
    verb: str = ""
    what: str = ""
    customer: int | None = None
    since: datetime | None = None
    until: datetime | None = None


def audit_visible_to(user: User | AnonymousUser) -> QuerySet[AuditEntry]:
    """Newest first. None for who manages nothing."""
    entries = AuditEntry.objects.select_related("customer").order_by("-id")
    if not isinstance(user, User) or not roles_of(user):
        return entries.none()
    if user.is_noc:
        return entries
    managed = Membership.objects.filter(user_id=user.pk, role=Role.MANAGER.value).values("customer")
    return entries.filter(customer__in=managed)


def looked_for(entries: QuerySet[AuditEntry], wanted: Wanted) -> QuerySet[AuditEntry]:
    """Those that fit: who and what by a part of their text, the verb by its beginning."""
    if wanted.who:
        entries = entries.filter(actor_label__icontains=wanted.who)
    if wanted.verb:
        entries = entries.filter(verb__istartswith=wanted.verb)
    if wanted.what:
        entries = entries.filter(object_label__icontains=wanted.what)
    if wanted.customer is not None:
        entries = entries.filter(customer=wanted.customer)
    if wanted.since is not None:
        entries = entries.filter(at__gte=wanted.since)
    if wanted.until is not None:
        entries = entries.filter(at__lt=wanted.until)
    return entries


def changes(entry: AuditEntry) -> list[tuple[str, str | None, str | None]]:
    """(field, before, after) of what differs, as text; a field that one side lacks is None there."""
    before, after = entry.before or {}, entry.after or {}
    names = list(dict.fromkeys([*before, *after]))
    differ = [name for name in names if before.get(name) != after.get(name)]
    return [(name.replace("_", " "), _text(before.get(name)), _text(after.get(name))) for name in differ]


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        return ", ".join(str(one) for one in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
