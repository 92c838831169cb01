"""What scripts say: is it marked, and is all that is marked found?"""

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.jslexer import tokenize, unquote_string

from scripts import paths
from tests.locale.test_catalogues import FOUND

FOLDER = paths.ROOT / "static" / "js"
MARKS = ("gettext", "ngettext")
MARKED = re.compile(r'\bn?gettext\(\s*"((?:[^"\\]|\\.)*)"')
# Three words in a row, or a heading: in English it begins with a capital.
SAID = re.compile(r"\b[a-z]{2,}( [a-z]{2,}){2}|^[A-Z][a-z]+\b")
# Keys of the keyboard, and a font.
UNSAID = {"Escape", "Home", "End", "Enter", "Inter, system-ui, sans-serif"}


def literals(source: str) -> Iterator[tuple[str, str]]:
    """Each text of a script, and the function that it is given to ("": none); of a template what is not filled in."""
    calls, last = [""], ""
    for token in tokenize(source, jsx=False):
        if token.value == "(":
            calls.append(last)
        elif token.value == ")":
            calls.pop()
        elif token.type == "string":
            yield unquote_string(token.value), calls[-1]
        elif token.type == "template_string":
            yield re.sub(r"\$\{[^{}]*\}", "", token.value.strip("`")).strip(), ""
        last = token.value


def scripts() -> Iterator[tuple[Path, str]]:
    for path in sorted(FOLDER.rglob("*.js")):
        yield path.relative_to(FOLDER), path.read_text()


def test_no_sentence_or_heading_is_left_unmarked() -> None:
    wrong = [
        f"{path}: {text!r}"
        for path, source in scripts()
        for text, call in literals(source)
        if SAID.search(text) and call not in MARKS and text not in UNSAID
    ]
    assert not wrong


def test_all_that_is_marked_is_found() -> None:
    """A lexer that trips over a regular expression would pass over the rest of the file in silence."""
    found = {one.id if isinstance(one.id, str) else one.id[0] for one in FOUND["djangojs"]}
    missed = {text for _, source in scripts() for text in MARKED.findall(source)} - found
    assert not missed
