"""Which disks and machines may this person see? Every page and every API verb asks here."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from sla.accounts.models import User
from sla.accounts.selectors import customers_visible_to
from sla.fleet.models import Disk, Machine


def disks_visible_to(user: User | AnonymousUser) -> QuerySet[Disk]:
    """All for the NOC, a customer's own for its people, none for a stranger. Joined with machine, customer and pool."""
    disks = Disk.objects.select_related("machine__customer", "machine__host", "pool")
    if getattr(user, "is_noc", False):
        return disks
    return disks.filter(machine__customer__in=customers_visible_to(user))


def machines_visible_to(user: User | AnonymousUser) -> QuerySet[Machine]:
    """The same rule for machines, joined with customer and agent."""
    machines = Machine.objects.select_related("customer", "host", "agent")
    if getattr(user, "is_noc", False):
        return machines
    return machines.filter(customer__in=customers_visible_to(user))
