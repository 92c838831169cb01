"""What a statement says of a disk: computed by hand once, and by the verifier's own arithmetic on any month."""

import json
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import given, settings

from sla.domain.statement.canonical import canonical, parse
from sla.domain.statement.columns import HOURS, SECONDS, SLOTS
from sla.domain.statement.document import Evidence, statement
from sla.domain.statement.facts import Contention, Day, DiskFacts, Exclusion, Incident
from sla.domain.statement.schema import SCHEMA
from sla.domain.verdict import Sums
from sla.reports import plimsoll_verify
from tests.domain.statement.facts import END, START, disk, head, months, row, terms

SPENT = Sums(
    observed_s=END - START,
    ios=1_000_000,
    eligible_low=900_000,
    eligible=950_000,
    eligible_high=960_000,
    slow_low=10_000,
    slow=12_000,
    slow_high=18_000,
    slots_met=44_000,
    slots_met_proved=43_000,
    slots_breached=700,
    slots_breached_proved=500,
)


def section(facts: DiskFacts, **change: Any) -> dict[str, Any]:
    return statement(head(**change), [facts], [], [])["disks"][0]  # type: ignore[no-any-return]


def test_a_month_computed_by_hand() -> None:
    got = section(disk(SPENT))
    # 1 - 18,000/900,000 = 0.98; 1 - 12,000/950,000 = 0.987368421...; 1 - 10,000/960,000 = 0.989583333...
    assert got["sli_ppb"] == {"low": 980_000_000, "estimate": 987_368_421, "high": 989_583_333}
    assert (got["state"], got["proved"], got["reasons"]) == ("breached", True, ["SLOW"])
    # 12,000 of 9,500 spent: -26.3 %.
    assert got["budget"]["requests"]["total_ppm"] == 9_500_000_000
    assert got["budget"]["requests"]["left_ppb"]["estimate"] == -263_157_895
    # Proved end 98.958 % lies below 99 % (10 %), the other end, 98.0 %, not below 98 %.
    assert got["credit"] == {
        "proved_percent": 10,
        "up_to_percent": 10,
        "proved_cents": 123,
        "up_to_cents": 123,
        "currency": "EUR",
    }
    assert got["excess"] == 50_000
    assert got["coverage"]["ppm"] == 1_000_000


def test_a_month_with_25_hours_in_one_day_is_an_hour_longer() -> None:
    assert END - START == 745 * 3600
    got = section(disk(Sums(observed_s=744 * 3600), covered_from=START))
    assert got["coverage"]["ppm"] == 744 * 10**6 // 745


def test_a_period_without_data_says_so_and_owes_nothing() -> None:
    got = section(disk())
    assert (got["state"], got["reasons"]) == ("no_data", ["LOW_COVERAGE", "LOW_VOLUME"])
    assert got["sli_ppb"] == {"low": None, "estimate": None, "high": None}
    assert got["credit"]["proved_percent"] == got["credit"]["up_to_percent"] == 0
    assert got["budget"] is None


def test_each_version_is_judged_by_its_own_objective() -> None:
    strict, mild = terms(1), terms(0)
    rows = (row(mild, Sums(ios=10**6, eligible_low=10**6, eligible=10**6, eligible_high=10**6)), row(strict, SPENT))
    got = section(disk(rows=rows, terms=strict))
    # 1 % of a million and 0.1 % of 950,000 were allowed.
    assert got["budget"]["requests"]["total_ppm"] == 10_000_000_000 + 950_000_000
    assert got["total"]["ios"] == 2_000_000


def test_time_taken_out_is_told_with_and_without() -> None:
    bad = Sums(
        observed_s=600, ios=1_000, eligible_low=1_000, eligible=1_000, eligible_high=1_000, slow=900, slow_high=900
    )
    good = Sums(observed_s=END - START - 600, ios=10**6, eligible_low=10**6, eligible=10**6, eligible_high=10**6)
    got = section(disk(rows=(row(terms(), good), row(terms(), bad, excluded=True)), excluded_s=600))
    assert got["sli_ppb"]["estimate"] == 10**9
    assert got["sli_with_excluded_time_ppb"]["estimate"] == 999_100_899
    assert got["excluded_ios"] == 1_000
    assert got["coverage"]["ppm"] == 10**6


def test_a_customer_without_disks_has_an_empty_statement() -> None:
    got = statement(head(), [], [], [])
    assert got["summary"]["disks"] == 0
    assert got["disks"] == got["days"] == got["summary"]["credits"] == []


def full() -> dict[str, Any]:
    """A statement with something of everything."""
    facts = disk(
        SPENT,
        days=(Day(START, 5, 4, 3, 2, 1, 0, 0),),
        contention=(Contention(START, None, 2300, "neighbour", None),),
        incidents=(Incident(3, "acute", "page", True, START, END),),
        held_from=START + 60,
    )
    window = Exclusion(1, START, START + 600, "move", True, True, START - 60, "noc", ("agreed by mail",), (7,))
    return statement(head(), [facts, disk(terms=None, id=8)], [window], [Evidence("hours.csv", "0" * 64, 10, 1)])


def test_a_statement_is_as_its_schema_says() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    checker = jsonschema.Draft202012Validator(SCHEMA)
    checker.validate({"statement": full()})
    odd = full()
    odd["disks"][0]["pool"] = "ssd-3"
    assert list(checker.iter_errors({"statement": odd}))


def test_the_documentation_has_the_same_schema() -> None:
    told = Path(__file__).parents[3] / "docs" / "statement.schema.json"
    assert json.loads(told.read_text()) == SCHEMA, "write json.dumps(SCHEMA, indent=1) into docs/statement.schema.json"


def test_a_statement_survives_its_canonical_text() -> None:
    assert parse(canonical(full())) == full()


@settings(max_examples=300, deadline=None)
@given(months())
def test_the_verifier_comes_to_the_same_verdict_on_any_month(month: tuple[list[DiskFacts], list[Exclusion]]) -> None:
    document = statement(head(), month[0], month[1], [])
    for told in document["disks"]:
        made = plimsoll_verify.judge_disk(document, told, told["sums"])
        assert {name: told[name] for name in made} == made


@settings(max_examples=50, deadline=None)
@given(months())
def test_any_month_is_as_the_schema_says(month: tuple[list[DiskFacts], list[Exclusion]]) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate({"statement": statement(head(), month[0], month[1], [])})


def test_the_verifier_reads_the_same_columns() -> None:
    assert tuple(plimsoll_verify.HOURS) == HOURS
    assert tuple(plimsoll_verify.SLOTS) == SLOTS
    assert tuple(plimsoll_verify.SECONDS) == SECONDS
