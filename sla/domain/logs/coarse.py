"""What was a row of ten seconds? The rules of semantics §4 with Δt = the row: wide, honest intervals, grade C."""

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll_agent.core.counters import FIELDS, Counters
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.term_meter import SecondCounts
from sla.domain.contract import PPM, Contract
from sla.domain.logs.result import Piece
from sla.domain.logs.sample import Sample
from sla.domain.states import Case
from sla.domain.verdict import Sums

NS = 1_000_000_000
TERM = 1


def judge_samples(samples: Sequence[Sample], contract: Contract) -> list[Piece]:
    """One piece a sample, in order. A device's first sample is taken to have begun as it went on."""
    runs: dict[str, _Run] = {}
    pieces = []
    for sample in samples:
        run = runs.get(sample.device)
        if run is None:
            run = runs[sample.device] = _Run(contract)
            run.take(sample)  # what came before looks the same: else the row's own beginning reads as a burst
        pieces.append(_piece(sample, run.take(sample), contract))
    return pieces


@dataclass(frozen=True, slots=True)
class _Got:
    """A meter's counts of a row, in units, and the most of them that may be excess from before it."""

    counts: SecondCounts
    units: int
    pool: int


class _Run:
    """A meter fed with counters made up from rows; one unit stands as one I/O, so that large ones weigh more."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        # Nobody read in_flight here: it may prove nothing, and the mean in flight stands in for the estimate.
        self.meter = DiskMeter([contract.term(TERM)], rule="driver")
        self.now = 0.0
        self.total = dict.fromkeys(("read_ios", "read_ms", "write_ios", "write_ms", "queue_ms"), 0)
        self.begun = False

    def take(self, sample: Sample) -> _Got:
        """One row on."""
        units = units_of(sample, self.contract)
        level = round(sample.waiting * units / sample.ios) if sample.ios else round(sample.waiting)
        if not self.begun:
            self.meter.sample(0, self._counters(level))
            self.begun = True
        pool = self.meter.pool(TERM)
        share = units / sample.ios if sample.ios else 1.0
        reads = round(sample.reads * share)
        for name, value in (
            ("read_ios", reads),
            ("write_ios", units - reads),
            ("read_ms", round(sample.read_ms * share)),
            ("write_ms", round(sample.write_ms * share)),
            ("queue_ms", round((sample.read_ms + sample.write_ms) * share)),
        ):
            self.total[name] += value
        self.now += sample.seconds
        self.meter.sample(round(self.now * NS), self._counters(level))
        return _Got(self.meter.close_second()[TERM], units, pool)

    def _counters(self, level: int) -> Counters:
        values = {**self.total, "in_flight": level, "read_sectors": 0, "write_sectors": 0}
        return tuple(values.get(name) for name in FIELDS)


def units_of(sample: Sample, contract: Contract) -> int:
    """u = max(ios, ceil(bytes / io_unit_bytes)) (semantics §2)."""
    return max(sample.ios, -(-sample.size_bytes // contract.io_unit_bytes)) if sample.ios else 0


def lost_ms(sample: Sample, contract: Contract, slow: int) -> int:
    """Time likely lost to short delivery: more than `depth` waited, half were slow, fewer units came than owed."""
    per_second = contract.iops * (PPM - contract.tolerance_ppm) / PPM
    if sample.waiting <= contract.depth or 2 * slow < sample.ios:
        return 0
    threshold_s = max(contract.thresholds_us) / PPM
    debt = per_second * sample.seconds - units_of(sample, contract) - per_second * threshold_s - 1
    return max(0, round(1000 * debt / per_second))


def _piece(sample: Sample, got: _Got, contract: Contract) -> Piece:
    counts, units = got.counts, got.units

    def ios(of_units: int, *, up: bool = False) -> int:
        """Units back to I/Os."""
        if units <= sample.ios:
            return min(of_units, sample.ios)
        return min(sample.ios, -(-of_units * sample.ios // units) if up else of_units * sample.ios // units)

    covered = ios(counts.covered_est)
    low = max(0, sample.ios - ios(got.pool + counts.excess_hi, up=True))
    high = ios(counts.read_hi + counts.write_hi, up=True)
    slow = min(ios(counts.read_est + counts.write_est), covered)
    all_slow = _slow_of_all(sample, contract)
    likely = lost_ms(sample, contract, all_slow)
    proved_slow = min(ios(counts.read_lo + counts.write_lo), slow)
    sums = Sums(
        observed_s=max(1, round(sample.seconds)),
        ios=sample.ios,
        eligible_low=min(low, covered),
        eligible=covered,
        eligible_high=sample.ios,
        slow_low=proved_slow,
        slow=slow,
        slow_high=max(high, slow),
        lost_ms=counts.lost_ms,
    )
    per_second = contract.iops * sample.seconds
    return Piece(
        device=sample.device,
        time=sample.time,
        seconds=sample.seconds,
        sums=sums,
        time_ms=sample.read_ms + sample.write_ms,
        case=_case(sums, likely, sample),
        aqu_sz=sample.aqu_sz,
        likely_lost_ms=likely,
        delivered=units / per_second if sample.waiting > contract.depth else None,
        counts=not sample.first,
    )


def _slow_of_all(sample: Sample, contract: Contract) -> int:
    """I/Os of the directions whose mean reached their threshold."""
    slow = 0
    for ios, ms, threshold in zip(
        (sample.reads, sample.writes), (sample.read_ms, sample.write_ms), contract.thresholds_us, strict=True
    ):
        slow += ios if ios and ms * 1000 >= ios * threshold else 0
    return slow


def _case(sums: Sums, likely_lost_ms: int, sample: Sample) -> Case:
    """The word of semantics §4, where covered is an interval by its estimate."""
    if not sums.ios:
        return Case.STALLED if sums.lost_ms or sample.waiting >= 1 else Case.IDLE
    if sums.lost_ms or likely_lost_ms:
        return Case.UNDER_DELIVERY
    if sums.eligible == sums.ios:
        return Case.NORMAL
    return Case.PRO_RATA if sums.eligible else Case.EXCUSED
