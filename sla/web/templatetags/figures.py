"""Moments as the reader writes them: `{{ at|moment }} UTC`; the browser puts the chosen zone in their place."""

from datetime import date, datetime

from django import template

from sla import figures

register = template.Library()


@register.filter
def moment(at: datetime | None) -> str:
    """3 Nov 2026 14:03; nothing for None."""
    return "" if at is None else figures.moment(at)


@register.filter
def day(at: date | None) -> str:
    """3 Nov 2026."""
    return "" if at is None else figures.day(at)


@register.filter
def month(first: date | None) -> str:
    """November 2026."""
    return "" if first is None else figures.month(first)
