"""What telemetry does before the first connection is made."""

from django.apps import AppConfig

from sla.telemetry import arrays


class Telemetry(AppConfig):
    """Django copies psycopg's adapters when it first connects: whatever registers later is not known there."""

    name = "sla.telemetry"

    def ready(self) -> None:
        arrays.register()
