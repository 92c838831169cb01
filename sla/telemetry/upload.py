"""How is an upload read: packed, as JSON without anything odd, or as JSON frame by frame?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sla.telemetry.content import Bodies, Refusals, json_bodies, quick_bodies
from sla.telemetry.packed import packed_bodies
from sla.telemetry.quick import read_quickly
from sla.telemetry.wire import AgentWords, json_frame, json_request, packed_frame, packed_request


@dataclass(frozen=True, slots=True)
class Upload:
    """The frames of a request and how to read on: `decode` one of them, then check those that may be stored."""

    agent: AgentWords
    frames: Sequence[Any]
    decode: Callable[[Any], Any]
    bodies_of: Callable[[dict[int, Any]], tuple[Bodies, Refusals]]


def packed_upload(body: bytes) -> Upload:
    """msgspec.DecodeError where it is no request of frames."""
    sent = packed_request.decode(body)
    return Upload(sent.agent, sent.frames, packed_frame.decode, packed_bodies)


def json_upload(body: bytes) -> Upload:
    """msgspec.DecodeError or UnicodeDecodeError where it is no request of frames."""
    quick = read_quickly(body)
    if quick is not None:
        return Upload(quick.agent, quick.frames, _as_it_is, partial(quick_bodies, quick.columns))
    sent = json_request.decode(body)
    return Upload(sent.agent, sent.frames, json_frame.decode, json_bodies)


def _as_it_is(frame: Any) -> Any:
    return frame
