"""The text of a contract: read with errors that point at the word, printed back identically."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.domain.contract import Condition, Contract, ContractError
from sla.domain.contract_check import check_contract
from sla.domain.contract_text import ContractTextError, parse_contract

CANONICAL = [
    "99% < 15 ms at 1000 IOPS",
    "99.9% reads < 5 ms, writes < 10 ms at 3000 IOPS of 16 KiB over calendar month",
    "99% < 15 ms at 1000 IOPS when reads >= 30% and blocks <= 32 KiB and load >= 100 IOPS",
    "99.95% < 0.4 ms at 20000 IOPS of 4 KiB over calendar month in Europe/Berlin depth 16 tolerance 5% base 0.1 ms "
    "seen from host budgeted by slots coverage 90%",
    "95% < 100 ms at 50 IOPS of 1000 bytes over calendar month in America/Argentina/Buenos_Aires",
]

conditions = st.one_of(
    st.builds(Condition, st.just("reads"), st.sampled_from([">=", "<="]), st.integers(0, 1_000_000)),
    st.builds(Condition, st.just("blocks"), st.sampled_from([">=", "<="]), st.integers(1, 2**30)),
    st.builds(Condition, st.just("load"), st.sampled_from([">=", "<="]), st.integers(0, 10**6)),
)
contracts = st.builds(
    Contract,
    objective_ppm=st.integers(1, 999_999),
    read_threshold_us=st.integers(1_000, 10**8),
    write_threshold_us=st.integers(1_000, 10**8),
    iops=st.integers(1, 10**7),
    io_unit_bytes=st.one_of(st.integers(1, 2**30), st.sampled_from([2048, 4096, 16384, 262_144])),
    tolerance_ppm=st.integers(0, 999_999),
    base_us=st.integers(0, 999),
    given_depth=st.one_of(st.none(), st.integers(0, 10**6)),
    vantage=st.sampled_from(["guest", "host"]),
    budget_by=st.sampled_from(["requests", "slots", "both"]),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "Etc/GMT+5", "Asia/Kolkata"]),
    min_coverage_ppm=st.integers(0, 1_000_000),
    conditions=st.lists(conditions, max_size=3).map(tuple),
)


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_prints_back_identically(text: str) -> None:
    assert parse_contract(text).text == text


@settings(deadline=None)
@given(contracts)
def test_every_contract_round_trips_through_its_text(contract: Contract) -> None:
    again = parse_contract(contract.text)
    assert again == contract and again.text == contract.text


@settings(deadline=None)
@given(st.sampled_from(CANONICAL), st.integers(1, 3), st.booleans())
def test_case_and_spacing_do_not_matter(text: str, blanks: int, lower: bool) -> None:
    loose = text.replace(" ", " " * blanks).replace("< ", "<")
    if lower and "/" not in text:
        loose = loose.lower()
    assert parse_contract(loose) == parse_contract(text)


@pytest.mark.parametrize(
    ("text", "word", "offset"),
    [
        ("99 < 15 ms at 1000 IOPS", "<", 3),
        ("100% < 15 ms at 1000 IOPS", "100", 0),
        ("99% < 15 m at 1000 IOPS", "m", 9),
        ("99% <= 15 ms at 1000 IOPS", "<=", 4),
        ("99% < 0 ms at 1000 IOPS", "0", 6),
        ("99% < 1.0001 ms at 1000 IOPS", "1.0001", 6),
        ("99% < 15 ms 1000 IOPS", "1000", 12),
        ("99% < 15 ms at 1000", "", 19),
        ("99% < 15 ms at 0 IOPS", "0", 15),
        ("99% < 15 ms at 1000 IOPS of 4 KB", "KB", 30),
        ("99% < 15 ms at 1000 IOPS over calendar week", "week", 39),
        ("99% < 15 ms at 1000 IOPS in Mars/Olympus", "Mars/Olympus", 28),
        ("99% < 15 ms at 1000 IOPS depth 3 depth 4", "depth", 33),
        ("99% < 15 ms at 1000 IOPS base 15 ms", "15", 30),
        ("99% < 15 ms at 1000 IOPS when reads > 30%", ">", 36),
        ("99% < 15 ms at 1000 IOPS when flushes >= 3", "flushes", 30),
        ("99% reads < 5 ms at 1000 IOPS", "at", 17),
        ("99% < 15 ms at 99999999999 IOPS", "99999999999", 15),
        ("99% < 15 ms at 1000 IOPS ; DROP", ";", 25),
        ("", "", 0),
    ],
)
def test_an_error_points_at_the_offending_word(text: str, word: str, offset: int) -> None:
    with pytest.raises(ContractTextError) as caught:
        parse_contract(text)
    assert (caught.value.word, caught.value.offset) == (word, offset)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_does_worse_than_a_contract_error(text: str) -> None:
    try:
        parse_contract(text)
    except ContractTextError as error:
        assert 0 <= error.offset <= len(text)


def test_depth_is_exact_in_integers() -> None:
    assert parse_contract("99% < 15 ms at 1000 IOPS").depth == 13
    assert parse_contract("99% < 15 ms at 1000 IOPS base 5 ms").depth == 9
    assert parse_contract("99% < 10 ms at 1000 IOPS tolerance 0%").depth == 10
    assert parse_contract("99% reads < 5 ms, writes < 10 ms at 3000 IOPS").depth == 13
    assert parse_contract("99% < 15 ms at 1000 IOPS depth 64").depth == 64


def test_a_verdict_needs_ten_slow_requests_worth_of_volume_exactly() -> None:
    for objective, least in (("99", 1_000), ("99.9", 10_000), ("99.99", 100_000), ("99.7", 3_334), ("50", 20)):
        assert parse_contract(f"{objective}% < 15 ms at 1000 IOPS").min_eligible == least


def test_what_an_agent_gets_is_what_the_contract_says() -> None:
    term = parse_contract("99% reads < 5 ms, writes < 10 ms at 3000 IOPS of 16 KiB").term(7)
    assert (term.term, term.read_threshold_us, term.write_threshold_us, term.iops) == (7, 5_000, 10_000, 3_000)
    assert (term.depth, term.tolerance_ppm, term.io_unit_bytes) == (13, 100_000, 16_384)


def test_impossible_terms_are_refused_whoever_makes_them() -> None:
    good = parse_contract("99% < 15 ms at 1000 IOPS")
    for change in ({"objective_ppm": 1_000_000}, {"iops": 0}, {"tolerance_ppm": 1_000_000}, {"base_us": 15_000}):
        with pytest.raises(ContractError):
            good.with_(**change)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("99% < 15 ms at 1000 IOPS", []),
        ("99% < 13 ms at 1000 IOPS", ["threshold_off_edge"]),
        ("90% < 15 ms at 1000 IOPS", ["burn_rule_never_fires"]),
        ("80% < 15 ms at 1000 IOPS", ["burn_rule_never_fires"] * 2),
        ("99% < 1 ms at 100 IOPS", ["depth_0"]),
        ("99.9999% < 100 ms at 1 IOPS depth 3", ["volume_out_of_reach"]),
    ],
)
def test_what_can_surprise_is_said_before_it_comes_in_force(text: str, codes: list[str]) -> None:
    assert [warning.code for warning in check_contract(parse_contract(text))] == codes


def test_a_threshold_off_the_edges_says_which_would_be_exact() -> None:
    (warning,) = check_contract(parse_contract("99% < 13 ms at 1000 IOPS"))
    assert "12.5–13.2 ms" in warning.text and "12.5 or 13.2 ms would be exact" in warning.text
