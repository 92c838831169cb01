"""How large is what was sent, really? Request bodies, read and unpacked within a limit on the *unpacked* size."""

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import zstandard
from django.http import HttpRequest

GZIP = 31  # zlib's window bits for a gzip wrapper


class BodyRefused(Exception):
    """The whole request is refused."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def read_body(request: HttpRequest, limit: int) -> bytes:
    """The unpacked body. BodyRefused: 413 over the limit, 415 unknown encoding, 400 broken stream."""
    return unpacked(request.META, request.read, limit)


def unpacked(meta: Mapping[str, Any], read: Callable[[int], bytes], limit: int) -> bytes:
    """The same of a request's WSGI environment and what reads so many of its bytes."""
    length = meta.get("CONTENT_LENGTH") or ""
    if length.isdigit() and int(length) > limit:
        raise too_large(limit)
    packed = read(limit + 1)
    if len(packed) > limit:
        raise too_large(limit)
    encoding = meta.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if encoding in ("", "identity"):
        return packed
    if encoding == "gzip":
        return _gunzip(packed, limit)
    if encoding == "zstd":
        return _unzstd(packed, limit)
    raise BodyRefused(415, "unsupported_encoding", f"Content-Encoding {encoding[:40]!r}: send gzip, zstd or none")


def too_large(limit: int) -> BodyRefused:
    return BodyRefused(413, "too_large", f"the body is over {limit} bytes after decompression; send fewer frames")


def _gunzip(packed: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj(GZIP)
    try:
        # Never asks for more than the limit: a megabyte can hold a gigabyte of zeros.
        body = stream.decompress(packed, limit + 1)
    except zlib.error as error:
        raise BodyRefused(400, "bad_encoding", f"the gzip body is broken: {error}") from error
    if len(body) > limit:
        raise too_large(limit)
    if not stream.eof:
        raise BodyRefused(400, "bad_encoding", "the gzip body ends too early")
    return body


def _unzstd(packed: bytes, limit: int) -> bytes:
    try:
        with zstandard.ZstdDecompressor(max_window_size=8 * 2**20).stream_reader(packed) as stream:
            body = stream.read(limit + 1)
    except zstandard.ZstdError as error:
        raise BodyRefused(400, "bad_encoding", f"the zstd body is broken: {error}") from error
    if len(body) > limit:
        raise too_large(limit)
    return body
