"""What do the two paths that agents use look like in the OpenAPI document? Their shapes come from the decoders."""

from typing import Any

import msgspec

from sla.probes.shapes import Acks, Result, Verdict
from sla.telemetry.enrol import EnrolAnswer, EnrolRequest
from sla.telemetry.wire import AgentWords, JsonFrame

REF = "#/components/schemas/{name}"
_schemas, COMPONENTS = msgspec.json.schema_components(
    [EnrolRequest, EnrolAnswer, JsonFrame, AgentWords, Result, Acks, Verdict], ref_template=REF
)
ENROL_REQUEST, ENROL_ANSWER, FRAME, AGENT, PROBE_RESULT, PROBE_ACKS, PROBE_VERDICT = _schemas


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


ENROL = {
    "requestBody": {"required": True, **_json(ENROL_REQUEST)},
    "responses": {"201": {"description": "the machine is in", **_json(ENROL_ANSWER)}},
}
FRAMES = {
    "requestBody": {
        "required": True,
        "description": "JSON as below, or the packed form (application/msgpack) with `body` in the stored layout",
        **_json({"type": "object", "properties": {"agent": AGENT, "frames": {"type": "array", "items": FRAME}}}),
    },
    "responses": {
        200: {
            "description": "what was taken; durable before this answer",
            **_json(
                {
                    "type": "object",
                    "properties": {
                        "accepted": {"type": "integer"},
                        "duplicates": {"type": "integer"},
                        "rejected": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "index": {"type": "integer"},
                                    "code": {"type": "string"},
                                    "message": {"type": "string"},
                                },
                            },
                        },
                        "policy": {"type": "object"},
                    },
                }
            ),
        }
    },
}


def _told(schema: dict[str, Any], status: str, what: str) -> dict[str, Any]:
    return {"requestBody": {"required": True, **_json(schema)}, "responses": {status: {"description": what}}}


PROBE = _told(PROBE_RESULT, "201", "kept; 200 where it was known already")
ACKS = _told(PROBE_ACKS, "200", "how many blocks are acknowledged; durable before this answer")
VERDICT = _told(PROBE_VERDICT, "200", "kept")
