"""Which bytes are signed? One JSON text for one document: sorted keys, no spaces, integers only, UTF-8.

A subset of RFC 8785 in which nothing can be written in two ways: there are no floats.
"""

import hashlib
import json
from typing import Any

# What every JSON reader keeps exactly (RFC 8259 §6).
MOST = 2**53


class NotCanonical(ValueError):
    """The bytes are not the canonical text of any document; the message says why."""


def canonical(document: Any) -> bytes:
    """The bytes of a document. NotCanonical for what has no place in one: floats, huge integers, odd keys."""
    _check(document, "")
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def parse(data: bytes) -> Any:
    """The document of canonical bytes. NotCanonical where they are anybody else's JSON, or none."""
    try:
        document = json.loads(data.decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise NotCanonical(f"this is no JSON: {error}") from error
    if canonical(document) != data:
        raise NotCanonical("this JSON is not written canonically: sorted keys, no spaces, integers only")
    return document


def digest(data: bytes) -> str:
    """SHA-256, in hex."""
    return hashlib.sha256(data).hexdigest()


def _check(value: Any, where: str) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if abs(value) >= MOST:
            raise NotCanonical(f"{where or 'the document'} is {value}: integers stay below 2^53")
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise NotCanonical(f"{where or 'the document'} holds half a character") from error
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check(item, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotCanonical(f"{where or 'the document'} has a key that is no text: {key!r}")
            _check(key, where)
            _check(item, f"{where}.{key}" if where else key)
    else:
        said = f"{type(value).__name__} {value!r}"
        raise NotCanonical(f"{where or 'the document'} is {said}: no such thing in a statement")
