"""Which disks, worst first? The one list behind the API, the fleet page and the search box."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, FloatField, Q, QuerySet, SmallIntegerField, Value
from django.db.models.functions import Coalesce

from sla.accounts.models import User
from sla.contracts.models import ContractVersion
from sla.domain.states import WORST_FIRST, Grade, State
from sla.fleet.models import Disk
from sla.fleet.selectors import disks_visible_to
from sla.scoring.models import DiskNow

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
    if wanted.pool:
        disks = disks.filter(_named_or_numbered("pool", wanted.pool))
    if wanted.state is State.NO_DATA:
        disks = disks.filter(Q(now=None) | Q(now__state=State.NO_DATA))
    elif wanted.state is not None:
        disks = disks.filter(now__state=wanted.state)
    for word in wanted.q.split()[:8]:
        disks = disks.filter(_mentions(word))
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


def _mentions(word: str) -> Q:
    fields = ("device", "serial", "wwn", "machine__hostname", "machine__customer__name", "pool__name")
    found = Q()
    for field in fields:
        found |= Q(**{f"{field}__icontains": word})
    return found


def contract_texts(disks: list[Disk]) -> dict[int, str]:
    """By term: the text of every contract version that judges one of these disks now."""
    terms = {disk.now.term for disk in disks if hasattr(disk, "now")}
    return dict(ContractVersion.objects.filter(pk__in=terms).values_list("pk", "text"))


def standing(disk: Disk, texts: dict[int, str]) -> dict[str, Any]:
    """One item of the list, with the keys of the read API."""
    now: DiskNow | None = getattr(disk, "now", None)
    pool = disk.pool
    return {
        "id": disk.pk,
        "device": disk.device,
        "serial": disk.serial or None,
        "machine": disk.machine.hostname,
        "customer": disk.machine.customer.name,
        "pool": pool.name if pool else None,
        "contract": texts.get(now.term) if now else None,
        "state": State(now.state).word if now else State.NO_DATA.word,
        "proved": now.proved if now else True,
        "sli": {
            "low": now.sli_low if now else None,
            "estimate": now.sli_estimate if now else None,
            "high": now.sli_high if now else None,
        },
        "budget_left_ratio": now.budget_left_estimate if now else None,
        "seen_at": now.seen_at.timestamp() if now and now.seen_at else None,
    }


def described(disk: Disk) -> dict[str, Any]:
    """One disk: the list's item and more."""
    now: DiskNow | None = getattr(disk, "now", None)
    more: dict[str, Any] = {
        "machine_id": disk.machine_id,
        "host": disk.machine.host.name if disk.machine.host else None,
        "wwn": disk.wwn or None,
        "size_bytes": disk.size_bytes,
        "rotational": disk.rotational,
        "scheduler": disk.scheduler or None,
        "write_cache": disk.write_cache or None,
        "removed_at": disk.removed_at.timestamp() if disk.removed_at else None,
    }
    if now is not None:
        more |= {
            "term": now.term or None,
            "period": now.period or None,
            "period_state": State(now.period_state).word,
            "reasons": now.reasons,
            "eligible": now.eligible,
            "slow": now.slow,
            "lost_s": now.lost_ms / 1000,
            "coverage": now.coverage,
            "grade": Grade(now.grade).name,
            "iops": now.iops,
            "await_ms": now.await_ms,
            "aqu_sz": now.aqu_sz,
            "firing": now.firing,
            "burn_rate": now.burn_rate,
        }
    return standing(disk, contract_texts([disk])) | more


def counts(user: User | AnonymousUser, wanted: Filter | None = None) -> dict[str, int]:
    """How many disks stand how; every state is named, 0 included."""
    wanted = wanted or Filter()
    open_state = Filter(customer=wanted.customer, pool=wanted.pool, q=wanted.q)
    total = {state.word: 0 for state in State}
    grouped = listed(user, open_state).order_by().values_list("now__state").annotate(disks=Count("id"))
    for state, disks in grouped.values_list("now__state", "disks"):
        total[State(state or State.NO_DATA).word] += disks
    return total


__all__ = ["Filter", "after", "contract_texts", "counts", "described", "every", "listed", "standing"]
