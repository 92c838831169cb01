"""How long ago? `{{ seconds|age }}`, in the words that the browser goes on counting in."""

from django import template

from sla.web.lengths import about, seconds_said

register = template.Library()


@register.filter
def age(seconds: float | None) -> str:
    """12 s, 5 min, 3 h, 2 d; a dash for None."""
    if seconds is None:
        return "–"
    passed = max(0, int(seconds))
    return about(passed) if passed >= 120 else seconds_said(passed)
