"""Why was this frame not taken? A code of the wire format and a message with the offending value."""

from typing import Any

BAD_SHAPE, BAD_VALUE, FUTURE, TOO_OLD = "bad_shape", "bad_value", "future", "too_old"
OVERLAP, CONFLICT, UNKNOWN_DISK, FORBIDDEN_VANTAGE = "overlap", "conflict", "unknown_disk", "forbidden_vantage"
MAX_VALUE_LENGTH = 80


class Refusal(Exception):
    """One frame is refused; the others of its request are not touched."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message

    def as_dict(self, index: int) -> dict[str, Any]:
        return {"index": index, "code": self.code, "message": self.message}


def shown(value: object) -> str:
    """A value from outside, short enough for a message."""
    text = repr(value)
    return text if len(text) <= MAX_VALUE_LENGTH else text[:MAX_VALUE_LENGTH] + "…"
