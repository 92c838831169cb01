"""What must be known of a disk before its month can be stated? Sums by version, terms, windows; all integers."""

from dataclasses import dataclass

from sla.domain.contract import Contract
from sla.domain.verdict import Sums


@dataclass(frozen=True, slots=True)
class Terms:
    """A contract version and what it is called."""

    term: int
    name: str
    version: int
    contract: Contract
    text: str
    fee_cents: int | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Assigned:
    """From when to when a version judged a disk, inside the span; Unix seconds. `start` None: from its first frame."""

    term: int
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class TermSums:
    """What was counted under one version, on one side of exclusion. `others`: slots by state beyond those of `Sums`."""

    term: int
    slow_ppm: int
    excluded: bool
    sums: Sums
    grade: int
    slots: int
    slots_excused: int
    slots_idle: int
    slots_no_data: int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A maintenance window that touches the month. Two switches: it mutes alerts, it takes its time out of the SLA."""

    id: int
    start: int
    end: int
    reason: str
    mutes: bool
    excludes: bool
    made_at: int
    made_by: str
    approvals: tuple[str, ...]
    disks: tuple[int, ...]

    @property
    def retroactive(self) -> bool:
        """Agreed after it had begun: such an exclusion needs the customer's recorded approval."""
        return self.made_at > self.start


@dataclass(frozen=True, slots=True)
class Contention:
    """Storage shared with others was slow; no names. `share_ppm`: this disk's part of the load, None where unknown."""

    start: int
    end: int | None
    severity_milli: int
    cause: str
    share_ppm: int | None


@dataclass(frozen=True, slots=True)
class Incident:
    """What was opened for a disk and when it was over."""

    id: int
    kind: str
    severity: str
    suspected: bool
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day of the disk's zone, begun at `start`: what was counted, and its worst word."""

    start: int
    ios: int
    eligible: int
    slow: int
    lost_ms: int
    observed_s: int
    excluded_s: int
    slots_breached: int


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """One disk and its span [start, end): the month in its contract's zone, cut where it changed hands."""

    id: int
    machine: str
    device: str
    serial: str
    wwn: str
    size_bytes: int | None
    zone: str
    start: int
    end: int
    held_from: int | None
    held_until: int | None
    terms: Terms | None
    assigned: tuple[Assigned, ...]
    rows: tuple[TermSums, ...]
    # Coverage: when frames were to be expected, and what of it is taken out.
    covered_from: int | None
    covered_until: int
    excluded_s: int
    unavailable_minutes: int = 0
    firing: tuple[str, ...] = ()
    days: tuple[Day, ...] = ()
    contention: tuple[Contention, ...] = ()
    incidents: tuple[Incident, ...] = ()
