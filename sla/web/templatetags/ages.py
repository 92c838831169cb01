"""How long ago? `{{ seconds|age }}`, in the words that the browser goes on counting in."""

from django import template

register = template.Library()
# Unit, its length, and from when on it is used: the largest that leaves two or more.
UNITS = (("d", 86_400, 172_800), ("h", 3_600, 7_200), ("min", 60, 120))


@register.filter
def age(seconds: float | None) -> str:
    """12 s, 5 min, 3 h, 2 d; a dash for None."""
    if seconds is None:
        return "–"
    passed = max(0, int(seconds))
    for unit, length, least in UNITS:
        if passed >= least:
            return f"{passed // length} {unit}"
    return f"{passed} s"
