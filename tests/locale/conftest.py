"""The catalogues as they are now, compiled; and a language in brackets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import trans_real

from scripts.messages import catalogue, extract
from tests.locale import pseudo


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """A test that is run alone has had no set-up."""
    if catalogue.compile_stale():
        trans_real._translations = {}


@pytest.fixture
def brackets(settings: Any, tmp_path: Path) -> Iterator[str]:
    """The code of a language in which every marked string stands in brackets."""
    pseudo.write(tmp_path, extract.everything()["django"])
    before, trans_real._translations = trans_real._translations, {}
    settings.LANGUAGES = [*settings.LANGUAGES, (pseudo.CODE, "⟦brackets⟧")]
    settings.LOCALE_PATHS = [tmp_path]
    yield pseudo.CODE
    trans_real._translations = before
