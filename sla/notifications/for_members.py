"""Who of a customer gets alert mail? A manager chooses for its people; each may choose finer for oneself."""

from django.db import transaction

from sla.accounts.models import Membership, User
from sla.accounts.services import record
from sla.domain.notices.wishes import Way
from sla.notifications.models import Preference


class NotTheirs(ValueError):
    """The person is told of others' disks too: the choice is theirs alone. The message says so."""


def is_ours_alone(membership: Membership) -> bool:
    """Belongs to this customer and to nothing else: who chooses for them takes nothing from anybody."""
    others = Membership.objects.filter(user=membership.user_id).exclude(pk=membership.pk)
    return not membership.user.is_noc and not others.exists()


@transaction.atomic
def choose_for(*, membership: Membership, way: Way, by: User) -> None:
    """Of what is urgent and of tickets at once or in the digest; never: of nothing. NotTheirs."""
    if not is_ours_alone(membership):
        name = membership.user.get_username()
        raise NotTheirs(f"{name} is told of others' disks too, and chooses alone what to get")
    kept, _ = Preference.objects.select_for_update().get_or_create(user=membership.user)
    before = {"page": kept.page, "ticket": kept.ticket, "info": kept.info}
    kept.page = kept.ticket = way.value
    kept.info = Way.OFF.value if way is Way.OFF else Way.DIGEST.value
    kept.save(update_fields=["page", "ticket", "info", "updated_at"])
    record(
        verb="alert mail chosen",
        object_label=membership.user.get_username(),
        actor=by,
        customer=membership.customer,
        before=before,
        after={"page": kept.page, "ticket": kept.ticket, "info": kept.info},
    )
