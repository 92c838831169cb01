"""What does an agent's upload look like? The shapes of `POST /api/v1/frames`, decoded by msgspec, frame by frame.

The request is decoded with its frames left raw: one wrong type must not refuse the sixty right frames beside it.
"""

from typing import Any

import msgspec

Ints = list[int | None]


class Slow(msgspec.Struct):
    """The counts of one term of the disk's policy, per step."""

    term: int
    read_lo: Ints
    read_hi: Ints
    read_est: Ints
    write_lo: Ints
    write_hi: Ints
    write_est: Ints
    threshold_ms: float | None = None
    read_threshold_ms: float | None = None
    write_threshold_ms: float | None = None
    covered_est: Ints | None = None
    excess_lo: Ints | None = None
    excess_hi: Ints | None = None
    pool_start: int = 0
    lost_ms: Ints | None = None


class Key(msgspec.Struct):
    """What says which frame it is; the packed form has this and `body`."""

    device: str
    vantage: str
    start: int
    step_s: int
    n: int
    serial: str | None = None
    wwn: str | None = None
    source: str = "diskstats"


class JsonFrame(Key, kw_only=True):
    """A frame as arrays. Missing is unknown; None in an array is a step that was not observed."""

    read_ios: Ints
    write_ios: Ints
    read_ms: Ints
    write_ms: Ints
    flush_ios: Ints | None = None
    discard_ios: Ints | None = None
    read_merges: Ints | None = None
    write_merges: Ints | None = None
    discard_merges: Ints | None = None
    read_sectors: Ints | None = None
    write_sectors: Ints | None = None
    discard_sectors: Ints | None = None
    flush_ms: Ints | None = None
    discard_ms: Ints | None = None
    busy_ms: Ints | None = None
    queue_ms: Ints | None = None
    in_flight: Ints | None = None
    in_flight_ms: Ints | None = None
    fine_ms: Ints | None = None
    in_flight_rule: str | None = None
    base: dict[str, int | None] = msgspec.field(default_factory=dict)
    slow: list[Slow] = msgspec.field(default_factory=list)
    read_hist: list[tuple[int, int]] | None = None
    write_hist: list[tuple[int, int]] | None = None
    machine: dict[str, Any] | None = None


class PackedFrame(Key, kw_only=True):
    """A frame whose figures are in the stored layout already."""

    body: bytes


class AgentWords(msgspec.Struct):
    """What the agent says of itself in each request."""

    version: str = ""
    boot_id: str = ""
    sent_at: float | None = None
    # Its own cost, now and then (health.py); of any type here, so that an odd one costs no frame.
    cpu_ratio: Any = None
    rss_bytes: Any = None
    spool_frames: Any = None
    spool_bytes: Any = None
    dropped_frames: Any = None
    fine_ms: Any = None
    canary_reads: Any = None
    last_error: Any = None


class Request(msgspec.Struct):
    """A whole upload; its frames are decoded one by one."""

    frames: list[msgspec.Raw]
    agent: AgentWords = msgspec.field(default_factory=AgentWords)


json_request = msgspec.json.Decoder(Request)
json_frame = msgspec.json.Decoder(JsonFrame)
packed_request = msgspec.msgpack.Decoder(Request)
packed_frame = msgspec.msgpack.Decoder(PackedFrame)
