"""The page that judges a dropped log: no account, nothing kept, clear words for what is wrong."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sla.web import log_page

LOGS = Path(__file__).resolve().parent.parent / "fixtures" / "logs"
pytestmark = pytest.mark.django_db


def drop(name: str, content: bytes, contract: str = "99% < 15 ms at 1000 IOPS", **options: Any) -> Any:
    return Client(**options).post("/log", {"contract": contract, "log": SimpleUploadedFile(name, content)})


@pytest.mark.parametrize("name", ["iostat-12.6-xkt.txt", "sar-12.6-d.txt", "iostat-12.6.json", "fio-3.33_lat.1.log"])
def test_a_stranger_drops_a_real_log_and_reads_its_verdict(name: str) -> None:
    response = drop(name, (LOGS / name).read_bytes())
    assert response.status_code == 200
    assert response.context["answer"]["verdict"] in ("met", "breached", "excused", "idle")
    assert name in response.content.decode()


def test_a_wrong_contract_points_at_the_word() -> None:
    response = drop("x", b"", contract="99% < 15 msec at 1000 IOPS")
    assert response.status_code == 422
    assert "<mark>msec</mark>" in response.content.decode()


def test_what_is_no_log_is_said_to_be_none_and_comes_back_harmless() -> None:
    response = drop("<script>alert(1)</script>", b"<script>alert(1)</script>\n")
    assert response.status_code == 422
    assert "<script>alert(1)" not in response.content.decode()


def test_a_file_over_the_limit_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_page, "MAX_BYTES", 100_000)
    response = drop("big.log", b"x" * 300_000)
    assert response.status_code == 413
    assert "score_log" in response.content.decode()


def test_a_form_without_its_token_is_refused() -> None:
    assert drop("x", b"x", enforce_csrf_checks=True).status_code == 403


def test_an_unknown_low_end_is_not_shown_as_zero_and_nothing_is_rounded_up() -> None:
    assert log_page.attained({"low": None, "estimate": 1.0, "high": 1.0}) == "?–100.00 %"
    assert log_page.attained({"low": 0.99996, "estimate": 0.99996, "high": 0.99996}) == "99.99 %"
    assert log_page.attained({"low": None, "estimate": None, "high": None}) == "unknown"
