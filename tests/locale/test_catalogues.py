"""Is everything that a customer reads said in every language, with the same figures in it?"""

import re
import string
from collections.abc import Iterator

import polib
import pytest

from scripts.messages import catalogue, extract
from tests.locale.surfaces import customer_reads

LANGUAGES = catalogue.LANGUAGES
DOMAINS = ("django", "djangojs")
PLACEHOLDER = re.compile(r"%(?:\((\w+)\))?[-0-9.]*[sdfg%]")
TAG = re.compile(r"</?[a-z]+[^>]*>")
FOUND = extract.everything()


def catalogues() -> Iterator[tuple[str, str, polib.POFile]]:
    for language in LANGUAGES:
        for domain in DOMAINS:
            if FOUND[domain]:
                yield language, domain, catalogue.read(language, domain)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_all_that_a_customer_reads_is_translated(language: str, domain: str) -> None:
    told = {(entry.msgctxt, entry.msgid): entry for entry in catalogue.read(language, domain)}
    missing = [
        f"{message.places[0]}: {message.singular}"
        for message in FOUND[domain]
        if any(map(customer_reads, message.places)) and (message.key not in told or not told[message.key].translated())
    ]
    assert not missing, f"run `make messages`, then say these in locale/{language}: {missing}"


def test_placeholders_and_tags_are_those_of_the_source() -> None:
    wrong = []
    for language, _, entries in catalogues():
        for entry in entries:
            sources = [entry.msgid, entry.msgid_plural] if entry.msgid_plural else [entry.msgid]
            for said in filter(None, [entry.msgstr, *entry.msgstr_plural.values()]):
                if not any(in_it(said, source) for source in sources):
                    wrong.append(f"{language}: {entry.msgid!r} → {said!r}")
    assert not wrong, wrong


def in_it(said: str, source: str) -> bool:
    """The same placeholders and tags; only in a text that is formatted is %% an escape."""
    if not PLACEHOLDER.search(source):
        return sorted(TAG.findall(said)) == sorted(TAG.findall(source))
    return all(sorted(p.findall(said)) == sorted(p.findall(source)) for p in (PLACEHOLDER, TAG)) and formats(said)


def formats(said: str) -> bool:
    """Python itself takes it."""
    names = dict.fromkeys(re.findall(r"%\((\w+)\)", said), 1)
    try:
        _ = said % (names or tuple([1] * len(re.findall(r"%[-0-9.]*[sdfg]", said))))
    except (TypeError, ValueError):
        return False
    return True


def test_lines_at_the_ends_are_those_of_the_source() -> None:
    wrong = [
        f"{language}: {entry.msgid!r} → {entry.msgstr!r}"
        for language, _, entries in catalogues()
        for entry in entries
        if entry.msgstr
        and any(end(entry.msgid, "\n") != end(entry.msgstr, "\n") for end in (str.startswith, str.endswith))
    ]
    assert not wrong, wrong


def test_every_catalogue_holds_what_is_marked_and_nothing_else() -> None:
    for language, domain, entries in catalogues():
        keys = [(entry.msgctxt, entry.msgid) for entry in entries]
        assert len(keys) == len(set(keys)), f"{language} {domain} says something twice"
        assert not any(entry.obsolete or "fuzzy" in entry.flags for entry in entries)
        gone = set(keys) - {message.key for message in FOUND[domain]}
        assert not gone, f"run `make messages`: {language} {domain} still has {sorted(map(str, gone))}"


def test_plural_forms_are_as_many_as_the_language_has() -> None:
    for language, _, entries in catalogues():
        assert entries.metadata["Plural-Forms"] == catalogue.PLURALS[language]
        for entry in entries:
            if entry.msgid_plural:
                assert len(entry.msgstr_plural) == catalogue.forms(language), entry.msgid


def test_translations_are_written_in_the_letters_of_their_language() -> None:
    """A catalogue that was filled with another language's file would be noticed here."""
    letters = {
        "fr": set(string.ascii_lowercase),
        "ru": set("абвгдежзийклмнопрстуфхцчшщъыьэюя"),
        "ja": {chr(code) for code in (*range(0x3041, 0x30FF), *range(0x4E00, 0x9FFF))},
    }
    for language, _, entries in catalogues():
        said = "".join(entry.msgstr for entry in entries).lower()
        own = sum(letter in letters[language] for letter in said)
        assert own > 0.4 * len(said), language
