"""Which contracts may this person see? Every page and API verb asks here."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from sla.accounts.models import User
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.contracts.models import Contract, ContractVersion


def contracts_visible_to(user: User | AnonymousUser) -> QuerySet[Contract]:
    """All for the NOC; for a customer's people its own and those that judge or judged its disks."""
    contracts = Contract.objects.select_related("customer")
    if is_noc(user):
        return contracts
    mine = customers_visible_to(user)
    theirs = ContractVersion.objects.filter(assignments__disk__machine__customer__in=mine).values("contract")
    return contracts.filter(Q(customer__in=mine) | Q(customer=None, pk__in=theirs))
