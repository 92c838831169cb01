"""How are figures and moments written in the reader's language? Nothing is rounded: what comes in is cut already."""

import re
from datetime import date, datetime

from django.utils.formats import date_format, number_format
from django.utils.translation import get_language

LONG = re.compile(r"\d{5,}")
# A month, a day, a day in few letters, a day of this year; as Django's `date` filter reads them.
FORMATS = {
    "en": ("F Y", "j F Y", "j M Y", "j M"),
    "fr": ("F Y", "j F Y", "j N Y", "j N"),
    "ja": ("Y年n月", "Y年n月j日", "Y年n月j日", "n月j日"),
    "ru": ("F Y", "j E Y г.", "j E Y", "j E"),
}


def whole(value: int) -> str:
    """41200 is '41,200', '41 200' in French."""
    return number_format(value, decimal_pos=0, force_grouping=True)


def decimal(plain: str) -> str:
    """'98.61' is '98,61' where people write so; its places stay as they are."""
    places = len(plain.partition(".")[2])
    sign, digits = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
    return sign + number_format(digits, decimal_pos=places, force_grouping=False)


def grouped(text: str) -> str:
    """A formula with its long figures grouped: 628,144 for 628144."""
    return LONG.sub(lambda found: whole(int(found[0])), text)


def _written(at: date, which: int) -> str:
    language = (get_language() or "en").partition("-")[0]
    return date_format(at, FORMATS.get(language, FORMATS["en"])[which])


def month(first: date) -> str:
    """'November 2026'."""
    return _written(first, 0)


def month_alone(first: date) -> str:
    """'November'."""
    return date_format(first, "F")


def long_day(at: date) -> str:
    """'3 November 2026'."""
    return _written(at, 1)


def day(at: date) -> str:
    """'3 Nov 2026'."""
    return _written(at, 2)


def day_of_year(at: date) -> str:
    """'3 Nov'."""
    return _written(at, 3)


def moment(at: datetime) -> str:
    """'3 Nov 2026 14:03', in the zone that it is in."""
    return f"{day(at)} {at:%H:%M}"
