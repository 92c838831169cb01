"""`{% both_sides disk %}`: the card of what guest and host say of a disk, where both measure it."""

from datetime import UTC, datetime
from typing import Any

from django import template
from django.template import Context

from sla.fleet.models import Disk
from sla.web import disk_sides

register = template.Library()


@register.inclusion_tag("disk/sides.html", takes_context=True)
def both_sides(context: Context, disk: Disk) -> dict[str, Any]:
    """Nothing where only one side measures."""
    return {"sides": disk_sides.both_sides(disk, context["request"].user, datetime.now(UTC))}
