"""How long is that? In days, hours or minutes, in the reader's language."""

from django.utils.translation import gettext


def seconds_said(count: int) -> str:
    return gettext("%(count)s s") % {"count": count}


def minutes_said(count: int) -> str:
    return gettext("%(count)s min") % {"count": count}


def hours_said(count: int) -> str:
    return gettext("%(count)s h") % {"count": count}


def days_said(count: int) -> str:
    return gettext("%(count)s d") % {"count": count}


def about(seconds: float) -> str:
    """In the largest unit that leaves two or more: 119 minutes, 2 h, 47 h, 2 d; cut."""
    if seconds >= 2 * 86_400:
        return days_said(int(seconds // 86_400))
    return hours_said(int(seconds // 3_600)) if seconds >= 2 * 3_600 else minutes_said(int(seconds // 60))


def exactly(seconds: int) -> str:
    """In the largest unit that it is a whole number of: 3 d, 6 h, 90 min."""
    if seconds >= 86_400 and seconds % 86_400 == 0:
        return days_said(seconds // 86_400)
    return hours_said(seconds // 3_600) if seconds % 3_600 == 0 else minutes_said(seconds // 60)
