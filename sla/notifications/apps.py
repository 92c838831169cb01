"""When the product starts: listen to what incidents say."""

from django.apps import AppConfig


class Notifications(AppConfig):
    """Notices of incidents."""

    name = "sla.notifications"

    def ready(self) -> None:
        from sla.notifications import audit, receivers  # models are there only now  # noqa: F401
