"""How does a statement become a PDF? Its sheet goes to a child process that lays it out and ends."""

import json
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import noto_cjk_sans_jp_regular
from django.conf import settings
from django.utils import translation

from sla.accounts.language import language_of_customer
from sla.reports import pieces
from sla.reports.models import Statement
from sla.reports.sheet.page import sheet

PDF_FILE = "statement.pdf"
HERE = Path(__file__).parent
TEMPLATE = HERE / "typst" / "statement.typ"
INTER = Path(settings.NODE_MODULES_ROOT) / "@expo-google-fonts" / "inter"
WEIGHTS = ("400Regular", "500Medium", "600SemiBold", "700Bold")
# A statement of 500 disks takes some seconds on a busy machine; what takes a minute hangs.
TIMEOUT_S = 120


class CannotPrint(RuntimeError):
    """The page could not be laid out; the message holds what Typst said."""


@cache
def fonts() -> tuple[str, ...]:
    """Folders with the fonts: Latin, Greek and Cyrillic in Inter, everything of East Asia in Noto."""
    folders = [INTER / weight for weight in WEIGHTS]
    if missing := [str(folder) for folder in folders if not folder.is_dir()]:
        raise CannotPrint(f"the fonts are not installed: {missing[0]} is missing, run npm ci")
    return (*map(str, folders), str(Path(str(noto_cjk_sans_jp_regular.FONT_PATH)).parent))


def print_document(
    document: dict[str, Any], *, code: str = "", digest: str = "", key: str = "", language: str = ""
) -> bytes:
    """The PDF of a document, in a language (the active one)."""
    with translation.override(language or translation.get_language()):
        told = sheet(document, code=code, digest=digest, key=key)
    # Typst reads only below the folder of its main file: a folder of its own keeps everything else out of reach.
    with tempfile.TemporaryDirectory(prefix="plimsoll-sheet-") as folder:
        template = shutil.copy(TEMPLATE, folder)
        child = subprocess.run(
            [sys.executable, "-I", str(HERE / "typeset.py"), template, *fonts()],
            input=json.dumps(told, ensure_ascii=False).encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    if child.returncode:
        raise CannotPrint(child.stderr.decode(errors="replace").strip()[-2000:])
    return child.stdout


def pdf_of(statement: Statement) -> bytes:
    """As first printed, in the language of its customer: kept, so that it is the same for everybody and for ever."""
    kept = b"".join(pieces.read(statement, PDF_FILE))
    if kept:
        return kept
    pdf = print_statement(statement, language_of_customer(statement.customer))
    pieces.keep(PDF_FILE, [pdf]).store(statement, once=True)
    return pdf


def print_statement(statement: Statement, language: str) -> bytes:
    """The same statement in a reader's language."""
    return print_document(
        statement.document, code=statement.code, digest=statement.digest, key=statement.key.name, language=language
    )
