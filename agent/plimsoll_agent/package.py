"""The agent as one file: a zip that Python runs, the same bytes from the same sources."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The earliest date a zip can hold: when it was built is not part of what it is.
DATE = (1980, 1, 1, 0, 0, 0)
SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = """\
import sys

from plimsoll_agent.child import TASKS

if sys.argv[1:] and sys.argv[1] in TASKS:
    from plimsoll_agent.light import main
else:
    from plimsoll_agent.cli import main
raise SystemExit(main())
"""
KINDS = (".py", ".o", ".service", ".conf", ".openrc", ".sh", ".typed")


def as_one_file() -> bytes:
    """The zipapp: everything but psutil, without which it says less of the machine, and of disks as much."""
    packed = io.BytesIO()
    packed.write(SHEBANG)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _add(archive, "__main__.py", MAIN.encode())
        for path in sorted(HERE.rglob("*")):
            if path.suffix in KINDS and path.is_file():
                _add(archive, "plimsoll_agent/" + path.relative_to(HERE).as_posix(), path.read_bytes())
    return packed.getvalue()


def digest_of(data: bytes) -> str:
    """Its SHA-256 in hex, as sha256sum prints it."""
    return hashlib.sha256(data).hexdigest()


def installer(url: str, data: bytes, version: str) -> str:
    """install.sh for the file that `url` serves."""
    text = (HERE / "install" / "install.sh").read_text(encoding="utf-8")
    return text.replace("@URL@", url).replace("@SHA256@", digest_of(data)).replace("@VERSION@", version)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, wherever it is built
    archive.writestr(entry, data)
