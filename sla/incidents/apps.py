"""Incidents listen to scoring, to the neighbours' detector and to the schedule."""

from django.apps import AppConfig


class IncidentsConfig(AppConfig):
    name = "sla.incidents"

    def ready(self) -> None:
        # Receivers need the models, which are there only now.
        from sla.incidents import jobs, marks  # noqa: F401
