"""Has this step been done already, for exactly these inputs?"""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def key_of(files: Iterable[Path], *more: str) -> str:
    """A digest of the files' contents (a missing file counts as such) and of further words."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + (file.read_bytes() if file.is_file() else b"missing") + b"\0")
    for word in more:
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()


def is_done(stamp: Path, key: str) -> bool:
    return stamp.is_file() and stamp.read_text().strip() == key


def mark_done(stamp: Path, key: str) -> None:
    stamp.write_text(key + "\n")
