"""Who of this customer gets alert mail? Its people, and how each wants to be told of what is urgent."""

from typing import Any

from sla.accounts.models import Customer, Membership
from sla.domain.notices.wishes import Way
from sla.notifications.models import Preference


def told(customer: Customer) -> list[dict[str, Any]]:
    """One a person, those who are told at once first."""
    members = Membership.objects.select_related("user__notices_wanted").filter(customer=customer, user__is_active=True)
    found = [
        {
            "member": member,
            "person": member.user,
            "way": Way(_wish(member)),
            "mail": member.user.email,
        }
        for member in members.order_by("user__username")
    ]
    ranks = (Way.NOW, Way.DIGEST, Way.OFF)
    return sorted(found, key=lambda one: (not one["mail"], ranks.index(one["way"])))


def _wish(member: Membership) -> str:
    """Who never chose has the defaults."""
    chosen = getattr(member.user, "notices_wanted", None) or Preference()
    return str(chosen.page)
