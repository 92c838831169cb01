"""How a small kernel file is read: whole, once, and None when it is not there.

Kernel: every attribute of sysfs is at most one page (Documentation/filesystems/sysfs.rst).
"""

from __future__ import annotations

import os

PAGE = 4096


def read_bytes(path: str, limit: int = PAGE) -> bytes | None:
    """The first `limit` bytes of `path`. None: the file is missing, or the driver refuses to answer for it."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, limit)
    except OSError:
        return None
    finally:
        os.close(fd)


def read_all(path: str) -> bytes | None:
    """The whole of a /proc file of any length. None: missing or unreadable."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        parts = []
        while part := os.read(fd, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)


def read_text(path: str) -> str | None:
    """The stripped text of an attribute. None: missing, unreadable or empty."""
    raw = read_bytes(path)
    if raw is None:
        return None
    return raw.decode("utf-8", "replace").strip(" \t\r\n\0") or None


def read_int(path: str) -> int | None:
    """A decimal attribute. None: missing, or not a number."""
    text = read_text(path)
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def list_names(path: str) -> list[str]:
    """Sorted names in a folder; a missing folder has none."""
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []
