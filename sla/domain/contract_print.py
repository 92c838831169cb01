"""How does a contract read? `99% < 15 ms at 1000 IOPS`, defaults left out unless they had been spelled out."""

from collections.abc import Iterator

from sla.domain.contract import (
    DEFAULT_IO_UNIT_BYTES,
    DEFAULT_MIN_COVERAGE_PPM,
    DEFAULT_TOLERANCE_PPM,
    Condition,
    Contract,
)


def decimal(value: int, places: int) -> str:
    """An integer of 10^-places as a decimal without trailing zeros: decimal(12500, 3) is '12.5'."""
    whole, part = divmod(value, 10**places)
    digits = f"{part:0{places}d}".rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)


def percent(ppm: int) -> str:
    """999000 is '99.9%'."""
    return decimal(ppm, 4) + "%"


def milliseconds(us: int) -> str:
    """15000 is '15 ms', 400 is '0.4 ms'."""
    return decimal(us, 3) + " ms"


def size(count: int) -> str:
    """The largest unit that names it exactly: 16384 is '16 KiB', 1000 is '1000 bytes'."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count} bytes"


def iops(count: int) -> str:
    """'1000 IOPS'."""
    return f"{count} IOPS"


def condition(item: Condition) -> str:
    """'reads >= 30%', 'blocks <= 32 KiB', 'load >= 100 IOPS'."""
    said = {"reads": percent, "blocks": size, "load": iops}[item.what](item.value)
    return f"{item.what} {item.op} {said}"


def _clauses(c: Contract) -> Iterator[str]:
    if c.io_unit_bytes != DEFAULT_IO_UNIT_BYTES or "of" in c.spelled:
        yield f"of {size(c.io_unit_bytes)}"
    if c.zone != "UTC" or "in" in c.spelled:
        yield f"over calendar month in {c.zone}"
    elif "over" in c.spelled:
        yield "over calendar month"
    if c.given_depth is not None:
        yield f"depth {c.given_depth}"
    if c.tolerance_ppm != DEFAULT_TOLERANCE_PPM or "tolerance" in c.spelled:
        yield f"tolerance {percent(c.tolerance_ppm)}"
    if c.base_us or "base" in c.spelled:
        yield f"base {milliseconds(c.base_us)}"
    if c.vantage != "guest" or "seen" in c.spelled:
        yield f"seen from {c.vantage}"
    if c.budget_by != "both" or "budgeted" in c.spelled:
        yield f"budgeted by {c.budget_by}"
    if c.min_coverage_ppm != DEFAULT_MIN_COVERAGE_PPM or "coverage" in c.spelled:
        yield f"coverage {percent(c.min_coverage_ppm)}"
    if c.conditions:
        yield "when " + " and ".join(condition(item) for item in c.conditions)


def print_contract(c: Contract) -> str:
    """The canonical text; `parse_contract` gives the same contract back, and the text printed from it is the same."""
    read, write = milliseconds(c.read_threshold_us), milliseconds(c.write_threshold_us)
    apart = c.read_threshold_us != c.write_threshold_us or "writes" in c.spelled
    latency = f"reads < {read}, writes < {write}" if apart else f"< {read}"
    return " ".join([f"{percent(c.objective_ppm)} {latency} at {c.iops} IOPS", *_clauses(c)])
