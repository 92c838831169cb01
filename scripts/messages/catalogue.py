"""What is the translation of each message? `locale/LANGUAGE/LC_MESSAGES/DOMAIN.po`, brought up to date and compiled."""

import os
from pathlib import Path

import polib

from scripts import paths
from scripts.messages.message import Message

# The number of plural forms and how a number finds its own, as Unicode and Django have them.
PLURALS = {
    "fr": "nplurals=2; plural=(n > 1);",
    "ja": "nplurals=1; plural=0;",
    "ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
}
LANGUAGES = tuple(PLURALS)
WIDTH = 118


def path_of(language: str, domain: str) -> Path:
    return paths.ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def forms(language: str) -> int:
    """How many plural forms a language has."""
    return int(PLURALS[language].partition("nplurals=")[2].partition(";")[0])


def read(language: str, domain: str) -> polib.POFile:
    """The catalogue as it lies there; an empty one where there is none yet."""
    path = path_of(language, domain)
    if path.is_file():
        return polib.pofile(str(path), wrapwidth=WIDTH)
    new = polib.POFile(wrapwidth=WIDTH)
    new.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURALS[language],
    }
    return new


def brought_up_to_date(old: polib.POFile, messages: list[Message], language: str) -> polib.POFile:
    """Exactly these messages, in their order, with the translations that were there."""
    known = {(entry.msgctxt, entry.msgid): entry for entry in old if not entry.obsolete}
    new = polib.POFile(wrapwidth=WIDTH)
    new.header, new.metadata = old.header, old.metadata
    for message in messages:
        was = known.get(message.key)
        entry = polib.POEntry(
            msgctxt=message.context,
            msgid=message.singular,
            occurrences=[(place, "") for place in message.places],
            tcomment=was.tcomment if was else "",
            flags=["python-format"] if "%(" in message.singular or "%s" in message.singular else [],
        )
        if message.plural is None:
            entry.msgstr = was.msgstr or was.msgstr_plural.get(0, "") if was else ""
        else:
            entry.msgid_plural = message.plural
            translated = was.msgstr_plural if was else {}
            entry.msgstr_plural = {form: translated.get(form, "") for form in range(forms(language))}
        new.append(entry)
    return new


def update(found: dict[str, list[Message]]) -> dict[str, dict[str, int]]:
    """Bring every catalogue up to date; how many messages of each have no translation yet."""
    missing: dict[str, dict[str, int]] = {}
    for language in LANGUAGES:
        for domain, messages in found.items():
            path = path_of(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            new = brought_up_to_date(read(language, domain), messages, language)
            if messages or path.is_file():
                _write(path, str(new).rstrip("\n").encode() + b"\n")
            missing.setdefault(language, {})[domain] = sum(not entry.translated() for entry in new)
    return missing


def compile_stale() -> int:
    """Make the binary form of each catalogue that is newer than it; how many were made."""
    made = 0
    for source in sorted((paths.ROOT / "locale").glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if not target.is_file() or target.stat().st_mtime_ns <= source.stat().st_mtime_ns:
            _write(target, polib.pofile(str(source)).to_binary())
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
