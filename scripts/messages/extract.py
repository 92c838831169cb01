"""Which strings are marked for translation? Of Python by its syntax tree, of templates by Django's own reading of them,
of scripts by the calls they hold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

from scripts import paths
from scripts.messages.message import MARKS, Message, marked

# A call in what Django makes of a template: everything else in there is X, B and blanks.
IN_TEMPLATE = re.compile(r"\b(n?p?gettext|_)\((?=u?['\"])")
STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
IN_SCRIPT = re.compile(rf"\b(n?p?gettext)\(\s*({STRING})(?:\s*,\s*({STRING}))?(?:\s*,\s*({STRING}))?")
TEMPLATE_STRING = re.compile(rf"u?({STRING})\s*,?\s*")


def everything() -> dict[str, list[Message]]:
    """The messages of both domains, each once, in the order of their sources."""
    pages = [path for path in _below("templates") if path.suffix in (".html", ".txt")]
    code = [path for path in _below("sla") if path.suffix == ".py" and "migrations" not in path.parts]
    scripts = [path for path in _below("static/js") if path.suffix in (".js", ".mjs") and ".test." not in path.name]
    return {
        "django": merged(message for path in (*pages, *code) for message in of_file(path)),
        "djangojs": merged(message for path in scripts for message in of_file(path)),
    }


def _below(folder: str) -> list[Path]:
    return sorted(path for path in (paths.ROOT / folder).rglob("*") if path.is_file())


def of_file(path: Path) -> Iterator[Message]:
    """The messages of one file, in its order."""
    place, text = str(path.relative_to(paths.ROOT)), path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from of_python(text, place)
    elif path.suffix in (".js", ".mjs"):
        yield from of_script(text, place)
    else:
        yield from of_template(text, place)


def merged(found: Iterator[Message]) -> list[Message]:
    """One message for each key, with all places; a plural that only one place knows holds for all of them."""
    by_key: dict[tuple[str | None, str], Message] = {}
    for one in found:
        first = by_key.setdefault(one.key, one)
        first.plural = first.plural or one.plural
        first.places += [place for place in one.places if place not in first.places]
    return list(by_key.values())


def of_python(text: str, place: str) -> Iterator[Message]:
    """Calls whose strings are written out; a string that is put together when it runs cannot be found by anybody."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            arguments = [
                one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else None for one in node.args
            ]
            if message := marked(name, arguments, place):
                yield message


def of_template(text: str, place: str) -> Iterator[Message]:
    """As Django hands a template to xgettext: calls of u'…' strings, quotes within them escaped or not."""
    calls = templatize(text, origin=place)
    for call in IN_TEMPLATE.finditer(calls):
        if message := marked(call[1], _arguments(calls, call.end()), place):
            yield message


def _arguments(calls: str, at: int) -> list[str | None]:
    found: list[str | None] = []
    while string := TEMPLATE_STRING.match(calls, at):
        found.append(ast.literal_eval(string[1]))
        at = string.end()
    return found


def of_script(text: str, place: str) -> Iterator[Message]:
    """`gettext("…")` and its sisters; a template literal is no constant and is left out."""
    for call in IN_SCRIPT.finditer(text):
        arguments = [ast.literal_eval(string) if string else None for string in call.groups()[1:]]
        if call[1] in MARKS and (message := marked(call[1], arguments, place)):
            yield message
