"""What is the translation of each message? `locale/LANGUAGE/LC_MESSAGES/DOMAIN.po`, brought up to date and compiled."""

import os
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scripts import paths

LANGUAGES = ("fr", "ja", "ru")
WIDTH = 118


def path_of(language: str, domain: str) -> Path:
    return paths.ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str) -> Catalog:
    """The catalogue as it lies there; an empty one where there is none yet."""
    path = path_of(language, domain)
    if not path.is_file():
        return Catalog(locale=language, domain=domain, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def missing(catalogue: Catalog) -> int:
    """How many of its messages have no translation yet."""
    return sum(bool(one.id) and not all(one.string if one.pluralizable else [one.string]) for one in catalogue)


def update(found: dict[str, Catalog]) -> dict[tuple[str, str], int]:
    """Bring every catalogue up to date: exactly these messages, with the translations that were there. How many of each
    language and domain have none yet."""
    left = {}
    for language in LANGUAGES:
        for domain, messages in found.items():
            catalogue, path = read(language, domain), path_of(language, domain)
            catalogue.update(messages, no_fuzzy_matching=True, update_header_comment=False, update_creation_date=False)
            catalogue.project, catalogue.version = "Plimsoll", ""
            catalogue.last_translator = catalogue.language_team = catalogue.msgid_bugs_address = ""
            out = BytesIO()
            write_po(out, catalogue, width=WIDTH, ignore_obsolete=True, include_lineno=False)
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, out.getvalue())
            left[language, domain] = missing(catalogue)
    return left


def compile_stale() -> int:
    """Make the binary form of each catalogue that is newer than it; how many were made."""
    made = 0
    for source in sorted((paths.ROOT / "locale").glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if not target.is_file() or target.stat().st_mtime_ns <= source.stat().st_mtime_ns:
            out = BytesIO()
            write_mo(out, read(source.parent.parent.name, source.stem))
            _write(target, out.getvalue())
            made += 1
    return made


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: a server or a second test run may be reading it."""
    if path.is_file() and path.read_bytes() == content:
        os.utime(path)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(path)
