"""A customer's disks as a short list: what was promised, what was given this month, and is that kept?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet, Sum
from django.utils.translation import gettext, gettext_lazy, ngettext

from sla.accounts.models import Customer, User
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.scoring import listing
from sla.web.fleet_rows import JUDGED, attained, budget_left, contracts_of, digits_for, now_of, said, state_of
from sla.web.portal.promise import promise

SUMS = ("eligible", "slow")
SHOWN = 50  # worst first; the list of all of them is the disks' own page
KEPT = {  # what the state says of the promise
    State.MET: gettext_lazy("kept"),
    State.AT_RISK: gettext_lazy("kept so far, and in danger"),
    State.BREACHED: gettext_lazy("not kept"),
    State.EXCUSED: gettext_lazy("more was asked than was promised"),
    State.MAINTENANCE: gettext_lazy("agreed maintenance now"),
    State.NO_DATA: gettext_lazy("nothing was measured lately"),
    State.IDLE: gettext_lazy("nothing was asked of it"),
}


def rows(disks: Sequence[Disk]) -> list[dict[str, Any]]:
    """One a disk, from how it stands."""
    versions = contracts_of(disks)
    return [_row(disk, versions.get(now.term) if (now := now_of(disk)) else None) for disk in disks]


def _row(disk: Disk, version: Any) -> dict[str, Any]:
    now, state = now_of(disk), state_of(disk)
    return {
        "disk": disk,
        "promise": promise(version),
        "given": attained(now, digits_for(version)),
        "state": state.word,
        "word": said(state),
        "kept": KEPT[state],
        "sure": now is not None and state in JUDGED and now.proved,
        "judged": state in JUDGED,
        "left": budget_left(now),
    }


def of_customer(user: User | AnonymousUser, customer: Customer) -> dict[str, Any]:
    """The worst of them as rows, how many stand how, and what they answered this month."""
    disks = listing.listed(user).filter(machine__customer=customer)
    shown = list(disks[:SHOWN])
    counts: Counter[State] = Counter()
    sums = dict.fromkeys(SUMS, 0)
    for state, count, *summed in _standings(shown) if len(shown) < SHOWN else _grouped(disks):
        counts[state] += count
        for name, value in zip(SUMS, summed, strict=True):
            sums[name] += value
    return {
        "rows": rows(shown),
        "total": sum(counts.values()),
        "sentence": sentence(counts),
        "answered": sums["eligible"],
        "slow": sums["slow"],
    }


def _standings(disks: Sequence[Disk]) -> Iterator[tuple[Any, ...]]:
    """(state, how many, sums): all of them are on the page anyway."""
    for disk in disks:
        now = now_of(disk)
        yield state_of(disk), 1, *(getattr(now, name) if now else 0 for name in SUMS)


def _grouped(disks: QuerySet[Disk]) -> Iterator[tuple[Any, ...]]:
    """The same in one query, for who has many."""
    summed = {f"sum_{name}": Sum(f"now__{name}", default=0) for name in SUMS}
    rows = disks.order_by().values("now__state").annotate(count=Count("id"), **summed)
    for state, *figures in rows.values_list("now__state", "count", *summed):
        yield State.NO_DATA if state is None else State(state), *figures


def sentence(counts: Counter[State]) -> str:
    """'Of your 6 disks 4 keep their promise this month, 1 is in danger, 1 does not keep it.'"""
    total = sum(counts.values())
    if not total:
        return ""
    bad, danger, good = counts[State.BREACHED], counts[State.AT_RISK], counts[State.MET]
    begin = ngettext("Of your %(n)d disk", "Of your %(n)d disks", total) % {"n": total}
    parts = []
    if bad:
        parts.append(ngettext("%(n)d does not keep its promise", "%(n)d do not keep their promise", bad) % {"n": bad})
    if danger:
        parts.append(ngettext("%(n)d is in danger", "%(n)d are in danger", danger) % {"n": danger})
    if good:
        parts.append(ngettext("%(n)d keeps it", "%(n)d keep it", good) % {"n": good})
    if rest := total - bad - danger - good:
        parts.append(ngettext("%(n)d has nothing to judge", "%(n)d have nothing to judge", rest) % {"n": rest})
    return gettext("%(begin)s %(parts)s.") % {"begin": begin, "parts": gettext(", ").join(parts)}
