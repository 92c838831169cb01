"""What is the least that the same work can cost? A bare handler behind the same web server, for bench-ingest.

It decodes, writes one deflated blob a frame and inserts all of an upload with one durable statement into a plain
hypertable. It knows no agent, hardly looks at a figure, sees no duplicate and marks nothing due: it is no product.
"""

import os
import threading
from array import array
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import psycopg
from zlib_ng import zlib_ng

CREATE = """
DROP TABLE IF EXISTS bench_frame;
CREATE TABLE bench_frame (device text NOT NULL, start timestamptz NOT NULL, body bytea STORAGE EXTERNAL NOT NULL);
SELECT create_hypertable('bench_frame', by_range('start', INTERVAL '1 day'), create_default_indexes => false);
CREATE UNIQUE INDEX ON bench_frame (device, start);
"""
INSERT = """
INSERT INTO bench_frame SELECT device, to_timestamp(start), body
FROM unnest(%b::text[], %b::int8[], %b::bytea[]) AS new (device, start, body)
"""
WIDTH, STEPS = 4, 60
own = threading.local()
from_json = msgspec.json.Decoder().decode
from_msgpack = msgspec.msgpack.Decoder().decode


def create() -> None:
    """The peer's own table, empty."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(CREATE)


def drop() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bench_frame")


def blob(frame: dict[str, Any]) -> bytes:
    """All arrays of the frame, byte-shuffled and deflated."""
    arrays = [value for value in frame.values() if isinstance(value, list) and value and isinstance(value[0], int)]
    arrays += [value for value in chain(*(slow.values() for slow in frame["slow"])) if isinstance(value, list)]
    figures = array("i")
    for one in arrays:
        figures.fromlist(one)
    return zlib_ng.compress(np.frombuffer(figures, np.uint8).reshape(-1, WIDTH).T.tobytes(), 1)


def looked_through(body: bytes) -> bytes:
    """The same bytes, once they were inflated and no figure was negative."""
    data = zlib_ng.decompress(body)
    planes = np.frombuffer(data, np.uint8, offset=len(data) % (WIDTH * STEPS)).reshape(WIDTH, -1)
    if (np.ascontiguousarray(planes.T).view("<i4") < 0).any():
        raise ValueError("a figure is negative")
    return body


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """WSGI."""
    body = environ["wsgi.input"].read()
    if environ["CONTENT_TYPE"] == "application/msgpack":
        frames = from_msgpack(body)["frames"]
        bodies = [looked_through(frame["body"]) for frame in frames]
    else:
        frames = from_json(body)["frames"]
        bodies = [blob(frame) for frame in frames]
    if not hasattr(own, "connection"):
        own.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    columns = [[frame["device"] for frame in frames], [frame["start"] for frame in frames], bodies]
    own.connection.execute(INSERT, columns, prepare=True)
    start_response("200 OK", [("Content-Type", "application/json")])
    return [b'{"accepted": %d, "duplicates": 0, "rejected": []}' % len(frames)]
