"""Verbs on people: change what somebody is to a customer or to the NOC, and let them go."""

from django.db import transaction

from sla.accounts.models import Customer, Membership, User
from sla.accounts.services import record

NONE = User.NocRole.NONE


class LastOne(ValueError):
    """The change would leave nobody who could undo it; the message says so."""


@transaction.atomic
def change_role(*, membership: Membership, role: str, by: User) -> None:
    """Viewer or manager of their customer."""
    was = membership.role
    if role == was:
        return
    Membership.objects.filter(pk=membership.pk).update(role=Membership.Role(role))
    record(
        verb="role changed",
        object_label=membership.user.get_username(),
        actor=by,
        customer=membership.customer,
        before={"role": was},
        after={"role": role},
    )


@transaction.atomic
def remove_member(*, membership: Membership, by: User) -> None:
    """They belong to the customer no more; their account stays theirs."""
    record(
        verb="member removed",
        object_label=membership.user.get_username(),
        actor=by,
        customer=membership.customer,
        before={"role": membership.role},
    )
    membership.delete()


@transaction.atomic
def change_noc_role(*, person: User, role: str, by: User) -> None:
    """What they are in the NOC; "" lets them go. LastOne where no administrator would be left."""
    role = User.NocRole(role)
    # The lock on all administrators: two of them cannot each remove the other.
    admins = list(User.objects.select_for_update().filter(noc_role=User.NocRole.ADMIN, is_active=True))
    if person in admins and role != User.NocRole.ADMIN and len(admins) == 1:
        raise LastOne(f"{person.get_username()} is the only administrator of the NOC")
    was = person.noc_role
    if role == was:
        return
    User.objects.filter(pk=person.pk).update(noc_role=role)
    record(
        verb="NOC role changed",
        object_label=person.get_username(),
        actor=by,
        before={"role": was or None},
        after={"role": role or None},
    )


@transaction.atomic
def change_customer(*, customer: Customer, name: str, zone: str, by: User, language: str = "") -> None:
    """Its name, the zone its days begin in, and the language of its statements and mail."""
    was = {"name": customer.name, "zone": customer.zone, "language": customer.language}
    now = {"name": name, "zone": zone, "language": language}
    if was == now:
        return
    Customer.objects.filter(pk=customer.pk).update(**now)
    customer.name, customer.zone, customer.language = name, zone, language
    record(verb="customer changed", object_label=name, actor=by, customer=customer, before=was, after=now)


@transaction.atomic
def add_customer(*, name: str, zone: str, by: User, language: str = "") -> Customer:
    """A new one; IntegrityError where the name is taken."""
    customer = Customer.objects.create(name=name, zone=zone, language=language)
    after = {"zone": zone, "language": language}
    record(verb="customer added", object_label=name, actor=by, customer=customer, after=after)
    return customer
