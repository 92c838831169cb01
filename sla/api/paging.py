"""Where does the next page begin? Opaque cursors that hold the sort key of the last item: stable while rows change."""

import base64
import binascii
from typing import Any

import msgspec

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
