"""What agents call: to come in, and to send."""

from django.http import HttpRequest, HttpResponse
from ninja import Router

from sla.api import openapi
from sla.api.enrolment import enrol_machine
from sla.telemetry.receive import receive

router = Router(tags=["agents"])


# Both authenticate by themselves: their bearer is an enrolment key or an agent token, not a reader's.
@router.post("/enrol", auth=None, openapi_extra=openapi.ENROL, summary="Let a machine in", operation_id="enrol")
def enrol(request: HttpRequest) -> HttpResponse:
    """With an enrolment key, or with the agent's own token to report that its disks changed."""
    return enrol_machine(request)


@router.post("/frames", auth=None, openapi_extra=openapi.FRAMES, summary="Send frames", operation_id="frames")
def frames(request: HttpRequest) -> HttpResponse:
    """Durable before the answer; one bad frame does not stop its batch."""
    return receive(request)
