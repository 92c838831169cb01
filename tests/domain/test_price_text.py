"""Fees and credits as typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.price_text import PriceError, parse_fee, parse_tiers, print_fee, print_tiers


def test_a_fee_is_an_amount_and_a_currency() -> None:
    assert parse_fee("49.90 EUR") == (4990, "EUR")
    assert parse_fee("50usd") == (5000, "USD")
    assert parse_fee(" ") == (None, "")
    for text in ("49.9 EUR", "EUR", "-3 EUR", "12"):
        with pytest.raises(PriceError, match="is no fee"):
            parse_fee(text)


def test_credits_come_mildest_first_and_never_owe_less_for_worse() -> None:
    assert parse_tiers("100% below 95%, 10% below 99%; 30 % below 98.5%") == (
        (990_000, 10),
        (985_000, 30),
        (950_000, 100),
    )
    for text, said in (
        ("10% under 99%", "is no credit"),
        ("30% below 99%, 10% below 98%", "must owe more"),
        ("10% below 99%, 20% below 99%", "said twice"),
        ("0% below 99%", "1% to 100%"),
        ("101% below 99%", "1% to 100%"),
    ):
        with pytest.raises(PriceError, match=said):
            parse_tiers(text)


@given(st.integers(0, 10**12), st.sampled_from(["EUR", "USD", "CZK"]))
def test_a_fee_reads_as_it_was_printed(cents: int, currency: str) -> None:
    assert parse_fee(print_fee(cents, currency)) == (cents, currency)


@given(st.sets(st.integers(1, 999_999), min_size=1, max_size=8), st.data())
def test_credits_read_as_they_were_printed(bounds: set[int], data: st.DataObject) -> None:
    owed = sorted(data.draw(st.sets(st.integers(1, 100), min_size=len(bounds), max_size=len(bounds))))
    tiers = tuple(zip(sorted(bounds, reverse=True), owed, strict=True))
    assert parse_tiers(print_tiers(tiers)) == tiers
