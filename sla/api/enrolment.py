"""`POST /api/v1/enrol` over HTTP."""

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from sla.accounts.address import client_address
from sla.accounts.throttle import secret_failed
from sla.accounts.tokens import bearer
from sla.api.errors import Refused, error_response, too_many_tries
from sla.fleet.services import AnotherCustomers, NotAllowed
from sla.telemetry.body import BodyRefused, read_body
from sla.telemetry.enrol import EnrolRequest, enrol

decode = msgspec.json.Decoder(EnrolRequest).decode


def enrol_machine(request: HttpRequest) -> HttpResponse:
    """Let a machine in. 201, or a refusal that names what is wrong."""
    secret = bearer(request.headers.get("Authorization"))
    if secret is None:
        raise Refused(401, "unauthorized", "an enrolment key is needed: Authorization: Bearer <key>")
    try:
        wanted = decode(read_body(request, settings.INGEST_MAX_BYTES))
    except BodyRefused as refused:
        raise Refused(refused.status, refused.code, refused.message) from refused
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$")[2].strip("`. ") or None
        raise Refused(422, "bad_value", str(error), field) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, "bad_request", f"the body is not JSON: {error}") from error
    try:
        answer = enrol(secret=secret, request=wanted, now=timezone.now())
    except NotAllowed as refused:
        if wait := secret_failed("enrolment key", client_address(request), secret):
            raise too_many_tries(wait) from refused
        return error_response(401, "unauthorized", str(refused))
    except AnotherCustomers as refused:
        return error_response(409, "another_customer", str(refused), "machine_id")
    return HttpResponse(msgspec.json.encode(answer), status=201, content_type="application/json")
