"""The table of who may do what: whole, without surprises, and asked by customer."""

from itertools import pairwise

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied

from sla.accounts.models import Membership, User
from sla.accounts.permissions import ALLOWED, Role, Verb, may, require, roles_of
from tests.conftest import People

pytestmark = pytest.mark.django_db


def test_every_verb_has_its_row_and_somebody_who_may() -> None:
    assert set(ALLOWED) == set(Verb)
    assert all(ALLOWED.values())


def test_a_higher_role_of_the_noc_may_all_that_a_lower_one_may() -> None:
    ladder = (Role.NOC_VIEWER, Role.NOC_OPERATOR, Role.NOC_ADMIN)
    for lower, higher in pairwise(ladder):
        assert [verb for verb, roles in ALLOWED.items() if lower in roles and higher not in roles] == []


def test_a_customers_viewer_changes_nothing() -> None:
    assert [verb for verb, roles in ALLOWED.items() if Role.VIEWER in roles] == []


def test_the_provider_cannot_approve_its_own_excuses() -> None:
    assert ALLOWED[Verb.APPROVE_EXCLUSIONS] == {Role.MANAGER}


def test_a_manager_may_for_the_own_customer_only(people: People) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    assert may(people.a, Verb.KEEP_MEMBERS, people.customer_a)
    assert may(people.a, Verb.KEEP_MEMBERS)
    assert not may(people.a, Verb.KEEP_MEMBERS, people.customer_b)
    assert not may(people.b, Verb.KEEP_MEMBERS, people.customer_b)


def test_who_is_nobody_or_not_active_may_nothing(people: People) -> None:
    User.objects.filter(pk=people.noc.pk).update(is_active=False)
    people.noc.refresh_from_db()
    for user in (people.noc, people.stranger, AnonymousUser()):
        assert not roles_of(user)
        assert [verb for verb in Verb if may(user, verb)] == []


def test_a_refusal_says_what_one_may_not(people: People) -> None:
    with pytest.raises(PermissionDenied, match="make enrolment keys"):
        require(people.a, Verb.MAKE_KEYS, people.customer_a)
