"""Which enrolment keys still open the door, and how is one taken back?"""

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import QuerySet

from sla.accounts.models import User
from sla.accounts.selectors import customers_visible_to
from sla.accounts.services import record
from sla.fleet.models import EnrolmentKey


def open_keys(user: User | AnonymousUser, now: datetime) -> QuerySet[EnrolmentKey]:
    """Of the customers this person may see; those that can still let somebody in, newest first."""
    keys = EnrolmentKey.objects.select_related("customer", "created_by")
    found = keys.filter(revoked_at=None, expires_at__gt=now, uses_left__gt=0).order_by("-created_at")
    return found.filter(customer__in=customers_visible_to(user))


@transaction.atomic
def revoke_key(*, key: EnrolmentKey, by: User, now: datetime) -> bool:
    """It lets nobody in any more; machines that came by it stay. False where it had been revoked before."""
    if not EnrolmentKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
        return False
    record(
        verb="enrolment key revoked",
        object_label=key.name,
        actor=by,
        customer=key.customer,
        before={"uses_left": key.uses_left, "expires_at": key.expires_at.isoformat()},
    )
    return True
