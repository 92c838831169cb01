"""Disks as the API shows them: the list, one, and what was measured and judged of it."""

from typing import Any

from django.http import HttpRequest
from ninja import Router

from sla.accounts.selectors import is_noc
from sla.api.errors import Refused
from sla.api.paging import DEFAULT_LIMIT, checked_limit, decode_cursor, encode_cursor
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.scoring import listing
from sla.scoring.selectors import disk_detail, disk_item

router = Router(tags=["disks"])
STATES = {state.word: state for state in State}


def visible_disk(request: HttpRequest, disk_id: int) -> Disk:
    """The disk, with its standing; 404 for what does not exist and for what the caller may not see alike."""
    disk = listing.every(request.user).filter(pk=disk_id).first()
    if disk is None:
        raise Refused(404, "not_found", f"there is no disk {disk_id}")
    return disk


@router.get("", summary="Disks, worst first")
def disks(
    request: HttpRequest,
    state: str = "",
    customer: str = "",
    pool: str = "",
    q: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str = "",
) -> dict[str, Any]:
    """`customer` and `pool` by name or id; `q` looks in device, serial, WWN, machine, customer and pool."""
    if state and state not in STATES:
        raise Refused(422, "bad_value", f"state is {state[:40]!r}: it must be one of {', '.join(STATES)}", "state")
    wanted = listing.Filter(STATES.get(state), customer, pool, q)
    found = listing.listed(request.user, wanted)
    if key := decode_cursor(cursor, 3):
        found = listing.after(found, *key)
    limit = checked_limit(limit)
    page = list(found[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    last = page[-1] if more else None
    return {
        "items": [shown_to(request.user, disk_item(disk)) for disk in page],
        "next_cursor": encode_cursor(last.rank, last.left, last.pk) if last else None,
    }


@router.get("/{int:disk_id}", summary="One disk")
def disk(request: HttpRequest, disk_id: int) -> dict[str, Any]:
    """What the list says of it, and its hardware, its terms and the figures behind its state."""
    return shown_to(request.user, disk_detail(visible_disk(request, disk_id)))


def shown_to(user: Any, item: dict[str, Any]) -> dict[str, Any]:
    """A customer is not told which pool a disk lies in: others' disks lie there too."""
    return item if is_noc(user) else {**item, "pool": None}
