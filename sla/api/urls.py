"""Where the REST surface and the health checks are mounted."""

from typing import Any

from django.urls import path
from ninja import NinjaAPI

from sla.api import errors, health
from sla.api.agents import router as agents
from sla.api.auth import reader
from sla.api.contracts import router as contracts
from sla.api.disks import router as disks
from sla.api.evidence import router as evidence
from sla.api.incidents import router as incidents
from sla.api.inventory import router as inventory
from sla.api.maintenance import router as maintenance
from sla.api.metrics import metrics
from sla.api.neighbours import router as neighbours
from sla.api.openapi import COMPONENTS
from sla.api.probes import of_disk as disk_probes
from sla.api.probes import router as probes
from sla.api.reports import router as reports
from sla.api.silences import router as silences
from sla.api.what_if import router as what_if


class Api(NinjaAPI):
    """django-ninja's, with the shapes of what agents send, which are not its own."""

    def get_openapi_schema(self, *args: Any, **kwargs: Any) -> Any:
        document = super().get_openapi_schema(*args, **kwargs)
        document["components"]["schemas"].update(COMPONENTS)
        return document


api = Api(
    title="Plimsoll",
    version="1.0.0",
    description="Did this disk give what its contract promises? Times are Unix seconds UTC; unknown is null, never 0.",
    urls_namespace="api",
    auth=reader,
)
errors.register(api)
api.add_router("", agents)
api.add_router("/disks", disks)
api.add_router("/disks", evidence)
api.add_router("/disks", disk_probes)
api.add_router("/probes", probes)
api.add_router("/reports", reports)
api.add_router("", what_if)
api.add_router("", contracts)
api.add_router("", inventory)
api.add_router("/incidents", incidents)
api.add_router("/neighbour-windows", neighbours)
api.add_router("/silences", silences)
api.add_router("/maintenance", maintenance)

urlpatterns = [
    path("api/v1/", api.urls),
    path("healthz", health.healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("readyz", health.readyz, name="readyz"),
]
