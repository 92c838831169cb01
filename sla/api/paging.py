"""Where does the next page begin? Opaque cursors that hold the sort key of the last item: stable while rows change."""

import base64
import binascii
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Q, QuerySet

from sla.api.errors import Refused

MAX_LIMIT = 500
DEFAULT_LIMIT = 100


def encode_cursor(*key: Any) -> str:
    """A cursor after the item with this sort key."""
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def decode_cursor(cursor: str | None, length: int) -> tuple[Any, ...] | None:
    """The sort key in a cursor; None at the start. Refused where it is not one of ours."""
    if not cursor:
        return None
    try:
        key = msgspec.json.decode(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if isinstance(key, list) and len(key) == length:
            return tuple(key)
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError, ValueError):
        pass
    raise Refused(422, "bad_value", f"cursor {cursor[:60]!r} is not one that this list gave", "cursor")


def checked_limit(limit: int) -> int:
    """Refused outside 1 … 500."""
    if not 1 <= limit <= MAX_LIMIT:
        raise Refused(422, "bad_value", f"limit is {limit}: it must be 1 to {MAX_LIMIT}", "limit")
    return limit


def before_moment(rows: QuerySet[Any], cursor: str, name: str) -> QuerySet[Any]:
    """Rows after the cursor in a list that is ordered newest first by a moment, then by id."""
    key = decode_cursor(cursor, 2)
    if key is None:
        return rows
    try:
        moment, pk = datetime.fromisoformat(key[0]), int(key[1])
    except (TypeError, ValueError) as error:
        raise Refused(422, "bad_value", f"cursor {cursor[:60]!r} is not one that this list gave", "cursor") from error
    return rows.filter(Q(**{f"{name}__lt": moment}) | Q(**{name: moment, "pk__lt": pk}))
