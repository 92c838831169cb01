"""What stands below every letter? Why it came, and how to have less of it."""

from typing import Any

from django.conf import settings
from django.urls import reverse

from sla.notifications import unsubscribe
from sla.notifications.models import Notice


def foot(notice: Notice) -> dict[str, Any]:
    """For the templates; the link that turns mail off is for mail only."""
    mail = notice.channel_id is None
    return {
        "unsubscribe": unsubscribe.url_for(notice) if mail else "",
        "preferences": settings.BASE_URL + reverse("notifications"),
        "reader": notice.person.get_username() if notice.person else "",
        "severity": notice.get_severity_display(),
        "mail": mail,
    }
