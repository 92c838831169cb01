"""When the product starts: the detector listens to what is scored."""

from django.apps import AppConfig


class Neighbours(AppConfig):
    """Slots that come late are followed again."""

    name = "sla.neighbours"

    def ready(self) -> None:
        from sla.neighbours import late  # models are there only now  # noqa: F401
