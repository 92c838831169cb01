"""Is this a time zone, and which are there? IANA names, from the machine's own tables."""

from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.utils.translation import gettext


@cache
def known_zones() -> tuple[str, ...]:
    """`Europe/Prague`, `UTC`; without the tables' old names that hold no slash."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/")))


def check_zone(name: str) -> str:
    """The name itself; ValidationError names what is none."""
    if name not in known_zones():
        raise ValidationError(gettext("%(name)s is no time zone: write it like Europe/Prague.") % {"name": name[:60]})
    return name
