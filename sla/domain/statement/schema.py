"""Which shape does a statement have? The published JSON Schema (2020-12), made from the same names as the document."""

from dataclasses import fields
from typing import Any

from sla.domain.statement.document import FORMAT, METHOD
from sla.domain.statement.facts import Contention, Day, Exclusion, Incident
from sla.domain.verdict import Sums

INT: dict[str, Any] = {"type": "integer"}
INT_OR_NULL: dict[str, Any] = {"type": ["integer", "null"]}
TEXT: dict[str, Any] = {"type": "string"}
TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
FLAG: dict[str, Any] = {"type": "boolean"}
STATES = ["breached", "at_risk", "met", "excused", "idle", "no_data"]


def record(description: str, **properties: Any) -> dict[str, Any]:
    """An object with exactly these properties."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def rows(description: str, items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": items}


def named(shape: type, **special: Any) -> dict[str, Any]:
    """The fields of a dataclass, integers but for those named."""
    return {each.name: special.get(each.name, INT) for each in fields(shape)}


THREE = record(
    "low, estimate, high in billionths, cut; null is unknown", low=INT_OR_NULL, estimate=INT_OR_NULL, high=INT_OR_NULL
)
BUDGET = record("allowed in millionths, spent, left", total_ppm=INT, spent=INT, left_ppb=THREE)
CREDIT = record(
    "due on the proved end, and at most",
    proved_percent=INT,
    up_to_percent=INT,
    proved_cents=INT_OR_NULL,
    up_to_cents=INT_OR_NULL,
    currency=TEXT_OR_NULL,
)
DAYS = rows(
    "[" + ", ".join(each.name for each in fields(Day)) + "] a day of the disk's zone",
    {"type": "array", "items": INT, "minItems": len(fields(Day)), "maxItems": len(fields(Day))},
)
TOTAL = record("all counted time that is not taken out", **named(Sums))
DISK = record(
    "one disk over the part of the month in which this customer held it",
    id=INT,
    machine=TEXT,
    device=TEXT,
    serial=TEXT_OR_NULL,
    wwn=TEXT_OR_NULL,
    size_bytes=INT_OR_NULL,
    span=record("[start, end), Unix seconds", zone=TEXT, start=INT, end=INT),
    held=record("when it came to or left this customer in this month", **{"from": INT_OR_NULL, "until": INT_OR_NULL}),
    term=INT_OR_NULL,
    assigned=rows(
        "which version judged when", record("half-open", term=INT, **{"from": INT_OR_NULL, "until": INT_OR_NULL})
    ),
    sums=rows(
        "by version and side of exclusion",
        record("sums; slow_ppm is 1 - objective", term=INT, excluded=FLAG, slow_ppm=INT, **named(Sums)),
    ),
    total=TOTAL,
    excess=INT,
    slots=record(
        "minutes by state",
        **dict.fromkeys(("all", "met", "met_proved", "breached", "breached_proved", "excused", "idle", "no_data"), INT),
    ),
    grade={"enum": ["A", "B", "C"]},
    sli_ppb=THREE,
    sli_with_excluded_time_ppb=THREE,
    excluded_ios=INT,
    coverage=record(
        "observed share of the time to be observed",
        observed_s=INT,
        excluded_s=INT,
        ppm=INT,
        until=INT,
        **{"from": INT_OR_NULL},
    ),
    budget={"anyOf": [record("by requests and by minutes", requests=BUDGET, slots=BUDGET), {"type": "null"}]},
    lost_left_ppb=INT_OR_NULL,
    unavailable_minutes=INT,
    state={"enum": STATES},
    proved=FLAG,
    reasons=rows("why", TEXT),
    credit={"anyOf": [CREDIT, {"type": "null"}]},
    days=DAYS,
    contention=rows(
        "shared storage was slow; nobody is named",
        record("", **named(Contention, end=INT_OR_NULL, cause=TEXT, share_ppm=INT_OR_NULL)),
    ),
    incidents=rows("", record("", **named(Incident, kind=TEXT, severity=TEXT, suspected=FLAG, end=INT_OR_NULL))),
)
CONTRACT = record(
    "one version of a contract",
    **dict.fromkeys(
        (
            *("term", "version", "objective_ppm", "read_threshold_us", "write_threshold_us", "iops", "io_unit_bytes"),
            *("tolerance_ppm", "base_us", "depth", "min_coverage_ppm", "min_eligible"),
        ),
        INT,
    ),
    **dict.fromkeys(("name", "text", "vantage", "budget_by", "zone"), TEXT),
    conditions=rows("outside of these a minute is excess", record("", what=TEXT, op=TEXT, value=INT)),
    credit_tiers=rows("the highest that applies is paid", record("", below_ppm=INT, percent=INT)),
    fee_cents=INT_OR_NULL,
    currency=TEXT_OR_NULL,
)
EXCLUSION = record(
    "a maintenance window with its two switches",
    **named(
        Exclusion,
        reason=TEXT,
        made_by=TEXT,
        mutes=FLAG,
        excludes=FLAG,
        approvals=rows("", TEXT),
        disks=rows("ids", INT),
    ),
    retroactive=FLAG,
)
SUMMARY = record(
    "all disks together",
    **dict.fromkeys(
        ("disks", "breached_proved", "credit_disks", "ios", "eligible", "excess", "lost_ms", "observed_s"), INT
    ),
    states={"type": "object", "propertyNames": {"enum": STATES}, "additionalProperties": INT},
    credits=rows("by currency", record("", currency=TEXT_OR_NULL, proved_cents=INT, up_to_cents=INT)),
    slow=record("", low=INT, estimate=INT, high=INT),
)
STATEMENT = record(
    "a month of a customer",
    format={"const": FORMAT},
    method={"const": METHOD},
    number=TEXT_OR_NULL,
    issue=INT,
    supersedes=TEXT_OR_NULL,
    reason=TEXT_OR_NULL,
    draft=FLAG,
    issuer=TEXT,
    made_at=INT,
    customer=record("", id=INT, name=TEXT),
    period=record("", text=TEXT, zone=TEXT, start=INT, end=INT, closes_at=INT, closed=FLAG),
    contracts=rows("", CONTRACT),
    exclusions=rows("", EXCLUSION),
    disks=rows("in order of machine and device", DISK),
    days=DAYS,
    summary=SUMMARY,
    evidence=rows("files that the statement answers for", record("", name=TEXT, sha256=TEXT, bytes=INT, rows=INT)),
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Plimsoll SLA statement",
    "description": "Integers, texts, true, false and null only. Moments are Unix seconds UTC; _ppm and _ppb are "
    "millionths and billionths; unknown is null. The signature is Ed25519 over the canonical JSON of `statement`: "
    "sorted keys, no spaces, UTF-8.",
    "oneOf": [
        record(
            "a frozen statement",
            statement=STATEMENT,
            signature=record("", algorithm={"const": "Ed25519"}, digest=TEXT, key=TEXT, public=TEXT, value=TEXT),
        ),
        record("a draft, signed by nobody", statement=STATEMENT),
    ],
}
