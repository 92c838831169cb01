"""How is a finished test told? The body that the server keeps; the file's name stays here."""

from __future__ import annotations

import hashlib
import os
import time
import uuid

from .. import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    from ..kernel.blockdev import BlockDevice


def new_id() -> str:
    """Told twice, a test is known again by this."""
    return uuid.uuid4().hex


def told(kind: str, disk: BlockDevice, path: str, begun_at: float, **figures: Any) -> Dict[str, Any]:
    """What every result says, and its own figures."""
    return {
        "id": new_id(),
        "kind": kind,
        "device": disk.device,
        "serial": disk.serial,
        "wwn": disk.wwn,
        "started_at": round(begun_at, 3),
        "agent_version": __version__,
        "on": "file" if not os.path.exists(path) or os.path.isfile(path) else "device",
        **figures,
    }


def ended_now(begun_at: float) -> float:
    """When a test that began then is over: never before it began, whatever the clock did."""
    return round(max(begun_at, time.time()), 3)


def hash_of(path: str) -> str:
    """By which the server finds the record of this file again."""
    return hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()
