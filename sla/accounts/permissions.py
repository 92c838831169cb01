"""Who may do what? One table, verb by role; pages and API ask here and nowhere else.

Seeing is another question: what a person may not see does not exist for them (404, the `…_visible_to` selectors). Here
is only what somebody who sees a thing may change, or which lists are more than a viewer's (403 with the verb's word).
"""

from enum import StrEnum

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.utils.functional import SimpleLazyObject

from sla.accounts.models import Customer, Membership, User


class Role(StrEnum):
    """What somebody is: of the NOC, or to one customer."""

    NOC_VIEWER = "noc viewer"
    NOC_OPERATOR = "noc operator"
    NOC_ADMIN = "noc admin"
    VIEWER = "viewer"
    MANAGER = "manager"


class Verb(StrEnum):
    """What can be done. The value is how a refusal names it: "you may not …"."""

    HANDLE_INCIDENTS = "acknowledge, note, resolve or silence incidents"
    PLAN_MAINTENANCE = "plan or cancel maintenance"
    APPROVE_EXCLUSIONS = "approve that time is taken out of the SLA"
    KEEP_INVENTORY = "change pools, hosts or where a disk lies"
    RETIRE_AGENTS = "revoke an agent's token"
    MAKE_KEYS = "make enrolment keys"
    MAKE_HYPERVISOR_KEYS = "make enrolment keys for hypervisors"
    KEEP_CONTRACTS = "write or assign contracts"
    CORRECT_STATEMENTS = "close, correct or issue statements"
    KEEP_CUSTOMERS = "add or change customers"
    KEEP_MEMBERS = "invite, change or remove people of a customer"
    KEEP_NOC_PEOPLE = "invite, change or remove people of the NOC"
    KEEP_ALERTS = "choose who gets alert mail"
    READ_AUDIT = "read the audit trail"
    REVOKE_TOKENS = "revoke other people's API tokens"


_OPERATORS = frozenset({Role.NOC_OPERATOR, Role.NOC_ADMIN})
_ADMINS = frozenset({Role.NOC_ADMIN})
_NOC = frozenset({Role.NOC_VIEWER, Role.NOC_OPERATOR, Role.NOC_ADMIN})
_MANAGER = frozenset({Role.MANAGER})

ALLOWED: dict[Verb, frozenset[Role]] = {
    Verb.HANDLE_INCIDENTS: _OPERATORS,
    Verb.PLAN_MAINTENANCE: _OPERATORS,
    Verb.APPROVE_EXCLUSIONS: _MANAGER,  # of the customer whose time it is: the provider cannot excuse itself
    Verb.KEEP_INVENTORY: _OPERATORS,
    Verb.RETIRE_AGENTS: _OPERATORS,
    Verb.MAKE_KEYS: _OPERATORS | _MANAGER,
    Verb.MAKE_HYPERVISOR_KEYS: _OPERATORS,  # the host's side of a measurement is the provider's word
    Verb.KEEP_CONTRACTS: _ADMINS,
    Verb.CORRECT_STATEMENTS: _ADMINS,
    Verb.KEEP_CUSTOMERS: _ADMINS,
    Verb.KEEP_MEMBERS: _ADMINS | _MANAGER,
    Verb.KEEP_NOC_PEOPLE: _ADMINS,
    Verb.KEEP_ALERTS: _ADMINS | _MANAGER,
    Verb.READ_AUDIT: _NOC | _MANAGER,
    Verb.REVOKE_TOKENS: _ADMINS,
}


def roles_of(user: User | AnonymousUser, customer: Customer | int | None = None) -> frozenset[Role]:
    """The NOC's role, and the role to this customer; without a customer, every role to any."""
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    found = {Role(f"noc {user.noc_role}")} if user.noc_role else set()
    pk = customer.pk if isinstance(customer, Customer) else customer
    found |= {Role(role) for whose, role in _memberships(user) if pk is None or whose == pk}
    return frozenset(found)


def _memberships(user: User) -> list[tuple[int, str]]:
    """(customer, role). Read once a request: Django makes a request's person anew, wrapped, each time."""
    known: list[tuple[int, str]] | None = user.__dict__.get("_memberships")
    if known is None:
        known = list(Membership.objects.filter(user_id=user.pk).values_list("customer_id", "role"))
        if isinstance(user, SimpleLazyObject):
            user.__dict__["_memberships"] = known
    return known


def may(user: User | AnonymousUser, verb: Verb, customer: Customer | int | None = None) -> bool:
    """May this person do it, to this customer's things? Without a customer: to anything at all."""
    if isinstance(user, User) and user.is_noc and Role(f"noc {user.noc_role}") in ALLOWED[verb]:
        return True  # without a look at memberships
    return bool(ALLOWED[verb] & roles_of(user, customer))


def require(user: User | AnonymousUser, verb: Verb, customer: Customer | int | None = None) -> None:
    """PermissionDenied, in words, where they may not: 403 on pages and in the API."""
    if not may(user, verb, customer):
        raise PermissionDenied(f"Your role does not let you {verb.value}.")


__all__ = ["ALLOWED", "Role", "Verb", "may", "require", "roles_of"]
