"""Which disks, worst first? The one list behind the API, the fleet page and the search box."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, FloatField, Q, QuerySet, SmallIntegerField, Value
from django.db.models.functions import Coalesce

from sla.accounts.models import User
from sla.accounts.selectors import is_noc
from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Disk
from sla.fleet.selectors import disks_visible_to

LAST_RANK = len(WORST_FIRST)
NO_BUDGET = 1e9  # sorts a disk without a budget after those with one


@dataclass(frozen=True, slots=True)
class Filter:
    """What to look for; None and "" leave a thing open."""

    state: State | None = None
    customer: str = ""
    pool: str = ""
    q: str = ""


def every(user: User | AnonymousUser) -> QuerySet[Disk]:
    """The disks this person may see, those that are gone too, with `now` joined."""
    return disks_visible_to(user).select_related("now")


def listed(user: User | AnonymousUser, wanted: Filter | None = None) -> QuerySet[Disk]:
    """The disks this person may see, worst first, each with `rank` and `left` to sort and page by, `now` joined."""
    wanted = wanted or Filter()
    disks = every(user).filter(removed_at=None)
    if wanted.customer:
        disks = disks.filter(_named_or_numbered("machine__customer", wanted.customer))
    sees_pools = is_noc(user)
    if wanted.pool:
        disks = disks.none() if not sees_pools else disks.filter(_named_or_numbered("pool", wanted.pool))
    if wanted.state is State.NO_DATA:
        disks = disks.filter(Q(now=None) | Q(now__state=State.NO_DATA))
    elif wanted.state is not None:
        disks = disks.filter(now__state=wanted.state)
    for word in wanted.q.split()[:8]:
        disks = disks.filter(_mentions(word, pools=sees_pools))
    return disks.annotate(
        rank=Coalesce("now__rank", Value(LAST_RANK), output_field=SmallIntegerField()),
        left=Coalesce("now__budget_left_estimate", Value(NO_BUDGET), output_field=FloatField()),
    ).order_by("rank", "left", "id")


def after(disks: QuerySet[Disk], rank: int, left: float, disk: int) -> QuerySet[Disk]:
    """Those that follow the disk with this sort key."""
    return disks.filter(Q(rank__gt=rank) | Q(rank=rank, left__gt=left) | Q(rank=rank, left=left, id__gt=disk))


def _named_or_numbered(path: str, text: str) -> Q:
    named = Q(**{f"{path}__name__iexact": text})
    return named | Q(**{f"{path}_id": int(text)}) if text.isdecimal() and len(text) < 19 else named


def _mentions(word: str, *, pools: bool) -> Q:
    """A customer is shown no pool, so looking for one must not find it either."""
    fields = (
        "device",
        "serial",
        "wwn",
        "machine__hostname",
        "machine__customer__name",
        *(["pool__name"] if pools else []),
    )
    found = Q()
    for field in fields:
        found |= Q(**{f"{field}__icontains": word})
    return found


def counts(user: User | AnonymousUser, wanted: Filter | None = None) -> dict[str, int]:
    """How many disks stand how; every state is named, 0 included."""
    wanted = wanted or Filter()
    open_state = Filter(customer=wanted.customer, pool=wanted.pool, q=wanted.q)
    total = {state.word: 0 for state in State}
    grouped = listed(user, open_state).order_by().values_list("now__state").annotate(disks=Count("id"))
    for state, disks in grouped.values_list("now__state", "disks"):
        total[State(state or State.NO_DATA).word] += disks
    return total
