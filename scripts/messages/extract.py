"""Which strings are marked for translation? As Babel finds them; templates as Django itself reads them."""

from collections.abc import Generator, Mapping
from io import BytesIO
from typing import IO, Any

from babel.messages import extract
from babel.messages.catalog import Catalog
from django.utils.translation.template import templatize

from scripts import paths

# What marks a string, and at which places its context, singular and plural stand.
KEYWORDS = {
    **extract.DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}


def of_template(
    file: IO[bytes], keywords: Mapping[str, Any], comments: Any, options: Any
) -> Generator[tuple[int, str, Any, list[str]], None, None]:
    """A method of Babel's: what Django makes of a template for xgettext is calls in Python, indented at random."""
    calls = "\n".join(line.lstrip() for line in templatize(file.read().decode()).splitlines())
    yield from extract.extract_python(BytesIO(calls.encode()), keywords, comments, options)


# Also what is said inside of `${}`.
OPTIONS = {"**.js": {"parse_template_string": True}, "**.mjs": {"parse_template_string": True}}
# Of each domain: below these folders, files of this pattern are read by this method.
SOURCES: dict[str, list[tuple[str, list[tuple[str, Any]]]]] = {
    "django": [
        ("templates", [("**.html", of_template), ("**.txt", of_template)]),
        ("sla", [("**/migrations/**.py", "ignore"), ("**.py", "python")]),
    ],
    "djangojs": [("static/js", [("**.test.*", "ignore"), ("**.js", "javascript"), ("**.mjs", "javascript")])],
}


def everything() -> dict[str, Catalog]:
    """By domain the messages, each once, in the order of their sources."""
    found = {}
    for domain, folders in SOURCES.items():
        found[domain] = catalogue = Catalog(charset="utf-8")
        for folder, methods in folders:
            told = extract.extract_from_dir(paths.ROOT / folder, methods, OPTIONS, keywords=KEYWORDS)
            for name, _, message, _, context in told:
                catalogue.add(message, locations=[(f"{folder}/{name}", 1)], context=context)
    return found
