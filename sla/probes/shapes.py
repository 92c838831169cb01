"""What does an agent tell of an active test? The bodies below `POST /api/v1/probes`, decoded and bounded by msgspec."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from plimsoll_agent.core.r40 import ABOVE, BELOW

# A test of 64 concurrencies is three times what the agent's search can need.
MOST_STEPS = 64
# Blocks of 4 KiB: 400 GB of log.
MOST_BLOCKS = 100_000_000
# Runs of lost blocks that are kept by number; their count is always whole.
MOST_RUNS = 1_000

Count = Annotated[int, Meta(ge=0, le=2**53)]
Figure = Annotated[float, Meta(ge=0, le=1e12)]
Moment = Annotated[float, Meta(ge=0, lt=2**32)]
Word = Annotated[str, Meta(max_length=200)]
Uid = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
Bucket = tuple[Annotated[int, Meta(ge=BELOW, le=ABOVE)], Count]
Block = Annotated[int, Meta(ge=0, lt=MOST_BLOCKS)]


class Told(msgspec.Struct, kw_only=True):
    """What every test says: which disk of the machine, when, and on what. The file's name is not told."""

    id: Uid
    device: Annotated[str, Meta(min_length=1, max_length=100)]
    started_at: Moment
    serial: Annotated[str, Meta(max_length=200)] | None = None
    wwn: Annotated[str, Meta(max_length=200)] | None = None
    agent_version: Annotated[str, Meta(max_length=32)] = ""
    on: Literal["file", "device"] = "file"


class Step(msgspec.Struct, kw_only=True):
    """One step of concurrency: `hist` counts its I/Os by R40 bucket, from which everything else can be had again."""

    concurrency: Annotated[int, Meta(ge=1, le=65_536)]
    seconds: Annotated[float, Meta(gt=0, le=86_400)]
    ios: Count
    iops: Figure
    queue: Figure
    slow: Count
    met: bool
    hist: Annotated[list[Bucket], Meta(max_length=ABOVE - BELOW + 1)]
    await_ms: Figure | None = None
    p99_ms: Figure | None = None


class Steps(Told, tag="steps", tag_field="kind", kw_only=True):
    """Load in steps, and the promise that it was tried against."""

    ended_at: Moment
    engine: Literal["fio", "own"]
    block_bytes: Annotated[int, Meta(ge=512, le=1 << 30)]
    write_percent: Annotated[int, Meta(ge=0, le=100)]
    slow_ms: Annotated[float, Meta(gt=0, le=1e6)]
    objective: Annotated[float, Meta(gt=0, lt=1)]
    iops: Annotated[int, Meta(ge=0, le=10**9)]
    steps: Annotated[list[Step], Meta(max_length=MOST_STEPS)]
    stopped: Word | None = None


class Commits(msgspec.Struct, kw_only=True):
    """How often writers could commit, beside so much of buffered writes."""

    writers: Annotated[int, Meta(ge=1, le=65_536)]
    flood_mib: Count
    commits: Count
    commits_per_s: Figure
    slowest_writer_per_s: Figure
    mean_ms: Figure | None = None
    p99_ms: Figure | None = None
    worst_ms: Figure | None = None


class Fsync(Told, tag="fsync", tag_field="kind", kw_only=True):
    """fsync rates: alone, beside a flood, several writers."""

    ended_at: Moment
    record_bytes: Annotated[int, Meta(ge=1, le=1 << 30)]
    alone: Commits
    beside_flood: Commits
    several_writers: Commits


class Durability(Told, tag="durability", tag_field="kind", kw_only=True):
    """A durability test that begins; its acknowledgements follow."""

    run: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")]
    target: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    boot_id: Annotated[str, Meta(max_length=64)]
    block_bytes: Annotated[int, Meta(ge=512, le=1 << 30)]


class Acks(msgspec.Struct, kw_only=True):
    """Blocks `first` … `first + count - 1` have been fsynced; `ended`: there will be no more."""

    first: Block
    count: Block
    ended: bool = False


class Verdict(msgspec.Struct, kw_only=True):
    """What was found after a restart: `lost` of the acknowledged blocks, `missing` the first runs of them."""

    checked_at: Moment
    boot_id: Annotated[str, Meta(max_length=64)]
    acknowledged: Block
    lost: Block
    missing: Annotated[list[tuple[Block, Block]], Meta(max_length=MOST_RUNS)]


Result = Steps | Fsync | Durability
decode_result = msgspec.json.Decoder(Result).decode
decode_acks = msgspec.json.Decoder(Acks).decode
decode_verdict = msgspec.json.Decoder(Verdict).decode
