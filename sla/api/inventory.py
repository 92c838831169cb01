"""What can a program tell of the topology? The inventory's CSV, as a dry run or done; and read it back."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router

from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import is_noc
from sla.api.errors import Refused
from sla.fleet.inventory_csv import MOST_BYTES, read_inventory
from sla.fleet.inventory_plan import plan
from sla.fleet.placement import carry_out
from sla.fleet.selectors import disks_visible_to

router = Router(tags=["inventory"])
MOST_SHOWN = 1_000
CSV = {
    "requestBody": {
        "required": True,
        "content": {
            "text/csv": {
                "schema": {"type": "string"},
                "example": "machine,disk,pool,host,since\nweb-12,vda,ssd-3,hv-07,\n",
            }
        },
    }
}


@router.post("/inventory", summary="Place disks in pools and machines on hosts", openapi_extra=CSV)
def post_inventory(request: HttpRequest, dry_run: bool = False) -> dict[str, Any]:
    """The body is the CSV. Lines that cannot be done are named and stop no other; `dry_run` changes nothing."""
    require(request.user, Verb.KEEP_INVENTORY)
    if len(request.body) > MOST_BYTES:
        raise Refused(413, "too_large", f"the body has {len(request.body)} bytes, at most {MOST_BYTES}")
    try:
        text = request.body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(400, "bad_value", f"the body is not UTF-8: byte {error.start} is odd") from error
    rows, wrong = read_inventory(text)
    found = plan(rows, wrong, request.user, datetime.now(UTC))
    done = 0 if dry_run else carry_out(found, actor=request.user)
    changes: list[dict[str, Any]] = [
        {
            "line": move.line,
            "disk": move.disk.pk,
            "pool": {"before": move.before or None, "after": move.pool},
            "since": int(move.since.timestamp()),
        }
        for move in found.moves[:MOST_SHOWN]
    ]
    changes += [
        {
            "line": one.line,
            "machine": one.machine.pk,
            "host": {"before": one.before or None, "after": one.host},
            "since": int(one.since.timestamp()),
        }
        for one in found.housings[:MOST_SHOWN]
    ]
    return {
        "changed": done,
        "would_change": found.changes if dry_run else 0,
        "unchanged": found.unchanged,
        "changes": changes,
        "rejected": [{"line": one.line, "code": "bad_line", "message": one.message} for one in found.wrong],
    }


@router.get("/inventory/pools", summary="Where a disk lay, and when")
def pools_of(request: HttpRequest, disk: int) -> dict[str, Any]:
    """The history of a disk's pools, oldest first; customers are not told of pools."""
    found = disks_visible_to(request.user).filter(pk=disk).first() if is_noc(request.user) else None
    if found is None:
        raise Refused(404, "not_found", f"there is no disk {disk}")
    return {
        "items": [
            {
                "pool": one.pool.name,
                "inferred": one.pool.inferred,
                "from": int(one.valid_from.timestamp()),
                "to": int(one.valid_to.timestamp()) if one.valid_to else None,
            }
            for one in found.pool_memberships.select_related("pool").order_by("valid_from")
        ],
        "next_cursor": None,
    }
