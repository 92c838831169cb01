"""Is everything that a customer reads said in every language, with the same figures in it?"""

import re
import string
from collections.abc import Iterator

import pytest
from babel.messages.catalog import Catalog, Message

from scripts.messages import catalogue, extract
from tests.locale.surfaces import customer_reads

LANGUAGES = catalogue.LANGUAGES
DOMAINS = ("django", "djangojs")
PLACEHOLDER = re.compile(r"%(?:\((\w+)\))?[-0-9.]*[sdfg%]")
TAG = re.compile(r"</?[a-z]+[^>]*>")
FOUND = extract.everything()


def catalogues() -> Iterator[tuple[str, str, Catalog]]:
    for language in LANGUAGES:
        for domain in DOMAINS:
            yield language, domain, catalogue.read(language, domain)


def entries(told: Catalog) -> list[Message]:
    """Without the one that is the catalogue's head."""
    return [one for one in told if one.id]


def forms(one: str | tuple[str, ...]) -> list[str]:
    """Of a message or its translation."""
    return [one] if isinstance(one, str) else list(one)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_all_that_a_customer_reads_is_translated(language: str, domain: str) -> None:
    told = catalogue.read(language, domain)
    missing = []
    for message in entries(FOUND[domain]):
        places = [place for place, _ in message.locations]
        said = told.get(message.id, message.context)
        if any(map(customer_reads, places)) and not (said and all(forms(said.string))):
            missing.append(f"{places[0]}: {message.id}")
    assert not missing, f"run `make messages`, then say these in locale/{language}: {missing}"


def test_placeholders_and_tags_are_those_of_the_source() -> None:
    wrong = [
        f"{language}: {one.id!r} → {said!r}"
        for language, _, told in catalogues()
        for one in entries(told)
        for said in filter(None, forms(one.string))
        if not any(in_it(said, source) for source in forms(one.id))
    ]
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
        f"{language}: {one.id!r} → {said!r}"
        for language, _, told in catalogues()
        for one in entries(told)
        for said in filter(None, forms(one.string))
        if any(end(forms(one.id)[0], "\n") != end(said, "\n") for end in (str.startswith, str.endswith))
    ]
    assert not wrong, wrong


def test_every_catalogue_holds_what_is_marked_and_nothing_else() -> None:
    for language, domain, told in catalogues():
        assert not any(one.fuzzy for one in entries(told))
        gone = [one.id for one in entries(told) if FOUND[domain].get(one.id, one.context) is None]
        assert not gone, f"run `make messages`: {language} {domain} still has {gone}"


def test_plural_forms_are_as_many_as_the_language_has() -> None:
    for language, _, told in catalogues():
        for one in entries(told):
            if one.pluralizable:
                assert len(forms(one.string)) == told.num_plurals, f"{language}: {one.id}"


def test_translations_are_written_in_the_letters_of_their_language() -> None:
    """A catalogue that was filled with another language's file would be noticed here."""
    letters = {
        "fr": set(string.ascii_lowercase),
        "ru": set("абвгдежзийклмнопрстуфхцчшщъыьэюя"),
        "ja": {chr(code) for code in (*range(0x3041, 0x30FF), *range(0x4E00, 0x9FFF))},
    }
    for language, _, told in catalogues():
        said = "".join(said for one in entries(told) for said in forms(one.string)).lower()
        own = sum(letter in letters[language] for letter in said)
        assert own > 0.4 * len(said), language
