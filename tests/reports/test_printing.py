"""Paper: every kind of document is laid out, names of any script print, figures follow the reader, all is text."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from sla.domain.statement.document import statement
from sla.domain.statement.facts import Contention, Day, Exclusion, Incident
from sla.domain.verdict import Sums
from sla.reports.printing import print_document
from sla.reports.sheet import words
from sla.reports.sheet.page import sheet
from tests.domain.statement.facts import END, START, disk, head, row, terms

GOOD = Sums(
    observed_s=END - START,
    ios=10**9,
    eligible_low=10**9,
    eligible=10**9,
    eligible_high=10**9,
    slow=10**6,
    slow_high=2 * 10**6,
    slots_met=44_700,
    slots_met_proved=44_700,
)
BAD = Sums(
    observed_s=END - START,
    ios=10**9,
    eligible_low=10**9,
    eligible=10**9,
    eligible_high=10**9,
    slow_low=2 * 10**7,
    slow=3 * 10**7,
    slow_high=4 * 10**7,
    lost_ms=3_725_000,
)
DAYS = tuple(Day(START + 86_400 * at, 10**7, 10**7, 10**5 * at // 15, 0, 86_400, 0, 0) for at in range(31))
NAMES = ("Société Générale d’Hébergement", "ООО «Северный ветер»", "株式会社さくらクラウド", "Ærø Škoda Łódź ﬁ")
MARKUP = '#import "x": * $ a_b *b* _c_ `d` <e> @f [g] \\u{1F600} {h} "i" //j /* k */'


def document(customer: str, disks: int = 3, **change: Any) -> dict[str, Any]:
    """A month with something of everything."""
    made = [
        disk(
            id=7 + at,
            machine=f"{customer[:12]}-{at}",
            rows=(row(terms(at % 2), BAD if at % 5 == 0 else GOOD),),
            terms=terms(at % 2),
            days=DAYS,
            contention=(Contention(START + 9_000, START + 12_000, 2300, "neighbour", 31_000),),
            incidents=(Incident(3, "acute", "page", True, START, None),),
            held_from=START + 60 if at == 1 else None,
        )
        for at in range(disks)
    ]
    window = Exclusion(1, START, START + 600, customer, True, True, START - 60, "noc", (customer,), (7,))
    return statement(head(customer=customer, **change), made, [window], [])


def text_of(pdf: bytes, folder: Path) -> str:
    """What a reader could select and copy. Skips where poppler is not installed."""
    if shutil.which("pdftotext") is None:
        pytest.skip("poppler is not installed: apt-get install poppler-utils")
    (folder / "s.pdf").write_bytes(pdf)
    command = ["pdftotext", "-layout", "s.pdf", "-"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_script_print_and_can_be_copied(name: str, tmp_path: Path) -> None:
    pdf = print_document(document(name), code="7K3F-9QXM-2B4T-HW8Z", digest="0" * 64, key="ab" * 8)
    assert pdf.startswith(b"%PDF-")
    said = text_of(pdf, tmp_path)
    assert name.replace("ﬁ", "fi") in said.replace("ﬁ", "fi")
    assert "7K3F-9QXM-2B4T-HW8Z" in said
    fonts = subprocess.run(["pdffonts", "s.pdf"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    lines = fonts.splitlines()[2:]
    assert lines and all(line.split()[-5:-2] == ["yes", "yes", "yes"] for line in lines)  # embedded, subset, unicode
    about = subprocess.run(["pdfinfo", "s.pdf"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "Tagged:          yes" in about


def test_what_looks_like_markup_is_text(tmp_path: Path) -> None:
    said = text_of(print_document(document(MARKUP)), tmp_path)
    assert "#import" in said and "*b*" in said


@pytest.mark.parametrize("disks", [0, 1, 130])
def test_any_number_of_disks_is_laid_out(disks: int, tmp_path: Path) -> None:
    said = text_of(print_document(document("Alder", disks)), tmp_path)
    if not disks:
        assert "There was no disk in this month." in said
    else:
        assert "Alder-0" in said
        assert ("more disks are told in the JSON" in said) is (disks == 130)


def test_a_draft_says_so_on_every_page(tmp_path: Path) -> None:
    said = text_of(print_document(document("Alder", 2, number=None, closed=False)), tmp_path)
    pages = [page for page in said.split("\f") if page.strip()]
    assert len(pages) >= 2
    # Each letter of the slanted word is its own line in the text: the head of page one says it in words too.
    assert "so far; nothing here is final" in said
    assert "Check code" not in said


def test_figures_are_cut_and_follow_the_reader() -> None:
    with translation.override("en"):
        assert words.per_cent(999_999_999) == "99.99"
        assert words.per_cent(-263_157_895, 0) == "−27"  # a budget is overspent by no less than is said
        assert words.left(-263_157_895) == "−27 %"
        assert words.left(-20 * 10**9) == "<\u00a0−999 %"  # its column has room for no more
        assert words.whole(41_200) == "41,200"
        assert words.attained({"low": None, "estimate": None, "high": None}) == "–"
        assert words.attained({"low": 986_100_000, "estimate": None, "high": 989_000_000}) == "98.61–98.90 %"
    with translation.override("fr"):
        assert words.per_cent(989_999_999) == "98,99"
        assert words.whole(41_200).replace("\xa0", " ").replace("\u202f", " ") == "41 200"
        assert words.day(START, "Europe/Berlin") == "1 octobre 2026"
    with translation.override("ja"):
        assert words.day(START, "Europe/Berlin") == "2026年10月1日"


def test_what_is_unknown_of_an_idle_disk_is_a_dash() -> None:
    idle = disk(rows=(row(terms(0), Sums(observed_s=END - START)),), terms=terms(0), days=DAYS)
    told = sheet(statement(head(customer="Alder"), [idle], [], []), code="", digest="", key="")
    assert "?" not in str(told["table"]) and "?" not in str(told["details"])


def test_a_month_with_a_day_of_25_hours_says_its_hours() -> None:
    told = sheet(document("Alder"), code="", digest="", key="")
    assert "745 hours" in told["span"] and "Europe/Berlin" in told["span"]


def test_moments_are_the_zones() -> None:
    assert words.clock(START, "Europe/Berlin") == "1 Oct 00:00"
    assert words.clock(START, "Asia/Tokyo") == "1 Oct 07:00"
    assert words.span(START, START + 600, "Europe/Berlin") == "1 Oct 00:00–00:10"
    assert words.span(START, None, "Europe/Berlin") == "since 1 Oct 00:00"
