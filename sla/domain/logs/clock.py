"""How long did a row last? From the stamps beside the rows, in all the forms that sysstat prints."""

import re

DAY_S = 86_400
STAMP = re.compile(r"(?:^|[\sT])(\d{1,2}):(\d{2}):(\d{2})(?:\s*([AP]M))?", re.IGNORECASE)


def seconds_of_day(text: str) -> int | None:
    """'11/21/26 12:56:18', '02:03:04 PM', '2026-11-21T12:56:52+0000': seconds since midnight, or None."""
    found = STAMP.search(text)
    if not found:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3])
    if found[4]:
        hour = hour % 12 + (12 if found[4].upper() == "PM" else 0)
    if hour > 24 or minute > 59 or second > 60:
        return None
    return hour * 3_600 + minute * 60 + second


def between(earlier: int, later: int) -> int:
    """Seconds from one time of day to the next; over midnight too."""
    return (later - earlier) % DAY_S
