"""A language in which every marked string stands in brackets: what stands outside of them was never marked."""

import re
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

CODE = "eo"  # one that Django knows and we do not speak
READ_ALOUD = ("title", "aria-label", "placeholder", "alt", "data-empty", "data-word")
UNREAD = ("script", "style", "svg", "code", "kbd", "pre", "template")
BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")


def write(folder: Path, messages: Catalog) -> None:
    """`folder`: for LOCALE_PATHS. Placeholders stay, so that what is put into them may be in brackets of its own."""
    catalogue = Catalog(locale=CODE, charset="utf-8")
    for one in messages:
        if one.id:
            said = tuple(f"⟦{form}⟧" for form in one.id) if one.pluralizable else f"⟦{one.id}⟧"
            catalogue.add(one.id, said, context=one.context)
    (folder / CODE / "LC_MESSAGES").mkdir(parents=True)
    with (folder / CODE / "LC_MESSAGES" / "django.mo").open("wb") as file:
        write_mo(file, catalogue)


class Reading(HTMLParser):
    """What a page says: its texts, and the attributes that are read aloud or shown."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in UNREAD
        self.said += [value for name, value in attrs if name in READ_ALOUD and value]

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if not self.silent and data.strip():
            self.said.append(" ".join(data.split()))


def outside(page: str) -> list[str]:
    """The texts with two letters in a row outside all brackets, what is in brackets taken out."""
    reading = Reading()
    reading.feed(page)
    return [left for said in reading.said if re.search(r"[A-Za-z]{2,}", left := without_brackets(said))]


def without_brackets(said: str) -> str:
    """From the inside out: what is put into a sentence may stand in brackets of its own."""
    while (less := BRACKETS.sub("", said)) != said:
        said = less
    return said.strip()
