"""Verbs on agents."""

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.services import record
from sla.fleet.hosted import tell_again
from sla.fleet.models import Agent, Machine


@transaction.atomic
def revoke_agent(*, machine: Machine, actor: User) -> bool:
    """Its token opens nothing from now on; what it sent stays. False where there was nothing to revoke."""
    done = Agent.objects.filter(machine=machine, revoked_at=None).update(revoked_at=timezone.now())
    if done:
        # Web processes that remember the token look again.
        tell_again(machine.pk)
        record(verb="agent revoked", object_label=str(machine), actor=actor, customer=machine.customer)
    return bool(done)
