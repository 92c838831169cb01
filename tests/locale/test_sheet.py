"""Is a statement on paper said in its reader's language, every word of it?"""

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from sla.reports.printing import print_document
from sla.reports.sheet import words
from sla.reports.sheet.page import sheet
from tests.locale.pseudo import without_brackets
from tests.reports.test_printing import document, text_of

STATES = {"met", "breached", "at_risk", "no_data", "excused", "idle"}  # names of shapes, not words


def sheet_in(language: str) -> dict[str, Any]:
    with translation.override(language):
        return sheet(document("Alder"), code="", digest="", key="")


@pytest.mark.parametrize(
    ("language", "title", "month"),
    [("fr", "Relevé SLA", "octobre 2026"), ("ja", "SLA 報告書", "2026年10月"), ("ru", "Отчёт SLA", "Октябрь 2026")],
)
def test_title_and_month_are_said_in_the_readers_language(language: str, title: str, month: str) -> None:
    told = sheet_in(language)
    assert (told["lang"], told["title"], told["month"]) == (language, title, month)


@pytest.mark.parametrize(("language", "title"), [("fr", "Relevé SLA"), ("ja", "報告書"), ("ru", "Отчёт SLA")])
def test_the_paper_holds_its_words_as_text(language: str, title: str, tmp_path: Path) -> None:
    pdf = print_document(document("Alder"), code="7K3F", digest="0" * 64, key="ab" * 8, language=language)
    assert title in text_of(pdf, tmp_path)


def test_every_word_of_the_sheet_is_marked(brackets: str) -> None:
    told = sheet_in(brackets)
    said = [text for kind in ("labels", "tiles", "verdict", "method", "bar") for text in texts(told[kind])]
    said += told["table"]["heads"] + [row["word"] for group in told["table"]["groups"] for row in group["rows"]]
    for one in told["details"]["items"]:
        said += [one["why"], one["word"], *(label for label, _ in one["facts"])]
    unmarked = {text for text in said if re.search(r"[A-Za-z]{3}", without_brackets(text))}
    assert unmarked <= STATES


def texts(told: Any) -> list[str]:
    """Every string in it."""
    if isinstance(told, dict):
        return [text for value in told.values() for text in texts(value)]
    if isinstance(told, list):
        return [text for value in told for text in texts(value)]
    return [told] if isinstance(told, str) else []


def test_money_stands_where_the_language_puts_it() -> None:
    with translation.override("fr"):
        assert words.money(41_250, "EUR") == "412,50\xa0€"
    with translation.override("en"):
        assert words.money(41_250, "EUR") == "€412.50" and words.money(100, "SEK") == "1.00 SEK"
