"""When the product starts: who gets mail of a new statement hears of it."""

from django.apps import AppConfig


class Web(AppConfig):
    """Pages, and what reports and notices have to do with each other: neither may import the other."""

    name = "sla.web"

    def ready(self) -> None:
        from sla.web.reports import letter  # models are there only now  # noqa: F401
