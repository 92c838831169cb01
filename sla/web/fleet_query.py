"""What does the address of the fleet page ask for? Filter, order and place in the list, all in the URL."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import F, FloatField, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.http import QueryDict

from sla.api.errors import Refused
from sla.api.paging import decode_cursor, encode_cursor
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.scoring import listing

PAGE = 50  # a screen and a half: enough to scan, small enough to refresh every ten seconds
UNKNOWN = 1e9  # sorts what is unknown last
# A name per order; each ends in the id, so that no two disks share a place.
ORDERS = {
    "worst": ("rank", "left", "id"),
    "disk": ("machine__hostname", "device", "id"),
    "attained": ("by_attained", "id"),
    "left": ("left", "id"),
}
KINDS: dict[str, Any] = {
    "machine__hostname": str,
    "device": str,
    "rank": int,
    "left": int | float,
    "by_attained": int | float,
    "id": int,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The address, checked; what makes no sense is left out rather than refused: links live long."""

    state: State | None = None
    q: str = ""
    customer: str = ""
    pool: str = ""
    sort: str = "worst"
    backwards: bool = False
    after: str = ""

    @property
    def filter(self) -> listing.Filter:
        """For the list of disks."""
        return listing.Filter(state=self.state, customer=self.customer, pool=self.pool, q=self.q)

    @property
    def narrowed(self) -> bool:
        """Does it leave disks out?"""
        return bool(self.state or self.q or self.customer or self.pool)

    def query(self, **change: object) -> str:
        """The address with something changed, from its first page on: `?state=breached&sort=-left`."""
        return _query(replace(self, **{"after": "", **change}))


def _query(asked: Asked) -> str:
    usual = asked.sort == "worst" and not asked.backwards
    parts = {
        "state": asked.state.word if asked.state else "",
        "q": asked.q,
        "customer": asked.customer,
        "pool": asked.pool,
        "sort": "" if usual else ("-" if asked.backwards else "") + asked.sort,
        "after": asked.after,
    }
    text = urlencode({name: value for name, value in parts.items() if value})
    return f"?{text}" if text else "?"


def asked_for(get: QueryDict, *, noc: bool) -> Asked:
    """From the address. Pools and the choice of customer are the provider's."""
    sort = get.get("sort", "")
    backwards, name = sort.startswith("-"), sort.removeprefix("-")
    state = get.get("state", "").upper()
    return Asked(
        state=State[state] if state in State.__members__ else None,
        q=get.get("q", "").strip()[:200].replace("\0", ""),
        customer=get.get("customer", "")[:200].replace("\0", "") if noc else "",
        pool=get.get("pool", "")[:100].replace("\0", "") if noc else "",
        sort=name if name in ORDERS else "worst",
        backwards=backwards and name in ORDERS,
        after=get.get("after", "")[:500],
    )


def page_of(disks: QuerySet[Disk], asked: Asked) -> tuple[list[Disk], str]:
    """A page of the list and the cursor after it; "" at the end."""
    wanted, following = places_of(disks, asked)
    found = disks.order_by().in_bulk(wanted)
    return [found[pk] for pk in wanted if pk in found], following


def places_of(disks: QuerySet[Disk], asked: Asked) -> tuple[list[int], str]:
    """Ids only: the joins of fifty rows cost a fifth of those of ten thousand, so what of them comes after which."""
    names = ORDERS[asked.sort]
    if asked.sort == "attained":
        low = Coalesce("now__sli_low", Value(UNKNOWN), output_field=FloatField())
        disks = disks.annotate(by_attained=low)
    disks = disks.order_by(*(F(name).desc() if asked.backwards else F(name).asc() for name in names))
    key = _place(asked.after, names)
    if key is not None:
        disks = disks.filter(_beyond(names, key, "lt" if asked.backwards else "gt"))
    found = list(disks.select_related(None).values_list(*names)[: PAGE + 1])
    following = encode_cursor(*found[PAGE - 1]) if len(found) > PAGE else ""
    return [place[-1] for place in found[:PAGE]], following


def _place(cursor: str, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Where the page before ended; None, the start, for a cursor of another order or typed by hand."""
    try:
        key = decode_cursor(cursor, len(names))
    except Refused:
        return None
    if key is None or not all(isinstance(value, KINDS[name]) for name, value in zip(names, key, strict=True)):
        return None
    return None if any("\0" in value for value in key if isinstance(value, str)) else key


def _beyond(names: tuple[str, ...], key: tuple[object, ...], side: str) -> Q:
    """What comes after a place: the lexicographic comparison of several columns."""
    found, same = Q(), Q()
    for name, value in zip(names, key, strict=True):
        found |= same & Q(**{f"{name}__{side}": value})
        same &= Q(**{name: value})
    return found
