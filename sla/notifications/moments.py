"""How are moments, durations and titles said in a mail? In the reader's zone, which is named beside every moment."""

from datetime import datetime, timedelta, tzinfo

from django.utils.translation import gettext as _

from sla.figures import day_of_year


def moment(at: datetime, zone: tzinfo) -> str:
    """'21 Nov 14:03 CET'."""
    local = at.astimezone(zone)
    return f"{day_of_year(local)} {local:%H:%M %Z}"


def span(start: datetime, end: datetime, zone: tzinfo) -> str:
    """'21 Nov 14:03–14:20 CET'; with both days where there are two."""
    first, last = start.astimezone(zone), end.astimezone(zone)
    if first.date() == last.date() and first.tzname() == last.tzname():
        return f"{day_of_year(first)} {first:%H:%M}–{last:%H:%M %Z}"
    return f"{moment(start, zone)} – {moment(end, zone)}"


def duration(length: timedelta) -> str:
    """'40 s', '12 min', '3 h 05 min', '2 d 4 h'."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < 60:
        return _("%(count)d s") % {"count": seconds}
    minutes = seconds // 60
    if minutes < 60:
        return _("%(count)d min") % {"count": minutes}
    hours = minutes // 60
    if hours < 48:
        return _("%(hours)d h %(minutes)02d min") % {"hours": hours, "minutes": minutes % 60}
    return _("%(days)d d %(hours)d h") % {"days": hours // 24, "hours": hours % 24}


def headed(title: str) -> str:
    """A sentence begins large; the name of a disk stays as it is."""
    return f"The {title.removeprefix('the ')}" if title.startswith("the ") else title
