"""What is promised? Every figure of a contract as an integer, so that both sides compute the same verdict."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

from plimsoll_agent.core.terms import Term

PPM = 1_000_000
DEFAULT_IO_UNIT_BYTES = 262_144
DEFAULT_TOLERANCE_PPM = 100_000
DEFAULT_MIN_COVERAGE_PPM = 950_000
# Highest tier only: (paid below this SLI, per cent of the fee).
DEFAULT_CREDIT_TIERS = ((990_000, 10), (980_000, 30), (950_000, 100))
# Under this share of covered I/Os a slot or period is `excused` (semantics §5).
EXCUSED_BELOW_PPM = 50_000

What = Literal["reads", "blocks", "load"]
Op = Literal[">=", "<="]


class ContractError(ValueError):
    """These terms cannot be a contract; the message holds the offending value."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A slot outside it is excess with that reason (semantics §1). `value`: ppm of the I/Os, bytes, or IOPS."""

    what: What
    op: Op
    value: int


@dataclass(frozen=True)
class Contract:
    """The terms of semantics §1. Times in µs, ratios in millionths, sizes in bytes; slow is latency ≥ threshold."""

    objective_ppm: int
    read_threshold_us: int
    write_threshold_us: int
    iops: int
    io_unit_bytes: int = DEFAULT_IO_UNIT_BYTES
    tolerance_ppm: int = DEFAULT_TOLERANCE_PPM
    base_us: int = 0
    given_depth: int | None = None
    vantage: Literal["guest", "host"] = "guest"
    budget_by: Literal["requests", "slots", "both"] = "both"
    zone: str = "UTC"
    min_coverage_ppm: int = DEFAULT_MIN_COVERAGE_PPM
    conditions: tuple[Condition, ...] = ()
    credit_tiers: tuple[tuple[int, int], ...] = DEFAULT_CREDIT_TIERS
    # Clauses that the text spelled out although they only repeat a default: kept, so that it prints back identically.
    spelled: frozenset[str] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        """Refuse what can be judged by nobody. Raises ContractError."""
        if not 0 < self.objective_ppm < PPM:
            raise ContractError(
                f"an objective of {self.objective_ppm / 10_000:g} % cannot be kept or broken by measurement: "
                "100 % leaves no budget, 0 % promises nothing; write one between, like 99.9 %"
            )
        if not 0 <= self.tolerance_ppm < PPM:
            raise ContractError(f"a tolerance of {self.tolerance_ppm / 10_000:g} % must lie in 0 … 100 %, 100 excluded")
        if not 0 <= self.min_coverage_ppm <= PPM:
            raise ContractError(f"a coverage of {self.min_coverage_ppm / 10_000:g} % must lie in 0 … 100 %")
        for name in ("read_threshold_us", "write_threshold_us", "iops", "io_unit_bytes"):
            if getattr(self, name) <= 0:
                raise ContractError(f"{name} is {getattr(self, name)}: it must be above 0")
        if self.base_us < 0 or self.base_us >= min(self.read_threshold_us, self.write_threshold_us):
            raise ContractError(f"a base of {self.base_us} µs must lie below the threshold, or no I/O could be in time")
        if self.given_depth is not None and self.given_depth < 0:
            raise ContractError(f"depth is {self.given_depth}: it must be 0 or more")

    @property
    def slow_ppm(self) -> int:
        """1 − objective, in millionths."""
        return PPM - self.objective_ppm

    @property
    def own_depth(self) -> int:
        """floor(r·(T − base)), r = (1 − tolerance)·iops: what may wait at the ideal disk (semantics §4).

        Where reads and writes differ T is the shorter one: behind `depth` others an I/O is then in time either way.
        """
        wait_us = min(self.read_threshold_us, self.write_threshold_us) - self.base_us
        return (PPM - self.tolerance_ppm) * self.iops * wait_us // (PPM * PPM)

    @property
    def depth(self) -> int:
        """The depth in force: the one that the text gives, else the contract's own."""
        return self.own_depth if self.given_depth is None else self.given_depth

    @property
    def min_eligible(self) -> int:
        """10/(1 − objective), rounded up: fewer covered I/Os in a period cannot carry a verdict (semantics §1)."""
        return -(-10 * PPM // self.slow_ppm)

    @property
    def text(self) -> str:
        """The text form that people type and read; it parses back to the same contract."""
        from sla.domain.contract_print import print_contract  # the printer needs this class: a cycle at import time

        return print_contract(self)

    @cached_property
    def thresholds_us(self) -> tuple[int, int]:
        """(read, write)."""
        return self.read_threshold_us, self.write_threshold_us

    def term(self, term_id: int) -> Term:
        """What agent and meter judge seconds by; `term_id` is the contract version's id."""
        return Term(
            term=term_id,
            read_threshold_us=self.read_threshold_us,
            write_threshold_us=self.write_threshold_us,
            iops=self.iops,
            depth=self.depth,
            tolerance_ppm=self.tolerance_ppm,
            io_unit_bytes=self.io_unit_bytes,
        )

    def with_(self, **changes: Any) -> Self:
        """The same contract with other terms (what-if)."""
        return replace(self, **changes)


__all__ = ["Condition", "Contract", "ContractError"]
