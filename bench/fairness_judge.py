"""What is the verdict on a simulated disk, from its counters alone, through the meter and the judge of the server?"""

from __future__ import annotations

from dataclasses import dataclass

from bench.lab import Sample
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term
from sla.domain.verdict import Part, Sums, breach_likely, breach_proved, met_proved, sli

NS_PER_S = 1_000_000_000
SLOT_S = 60
SLOW_PPM = 10_000  # objective 99 %
EXCUSED_BELOW = 0.05


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one run: what is proved, what is likely, and its sums."""

    state: str
    proved: str | None
    sums: Sums
    ends_ns: int

    @property
    def covered_ratio(self) -> float:
        return self.sums.eligible / self.sums.ios if self.sums.ios else 0.0

    @property
    def sli(self) -> dict[str, float | None]:
        interval = sli([Part(SLOW_PPM, self.sums)])
        ends = {"low": interval.low, "estimate": interval.estimate, "high": interval.high}
        return {name: None if end is None else float(end) for name, end in ends.items()}


def judge(samples: list[Sample], term: Term, rule: str) -> Verdict:
    """Feed the samples to a meter, close it every second, add minutes up, decide."""
    meter = DiskMeter([term], rule=rule)
    start = samples[0].before_ns
    meter.sample(start, samples[0].counters, samples[0].after_ns)
    total = Sums()
    pool, slot, in_flight = meter.pool(term.term), _Slot(), samples[0].counters[8] or 0
    second_end, slot_end = start + NS_PER_S, start + SLOT_S * NS_PER_S
    for sample in samples[1:]:
        meter.sample(sample.before_ns, sample.counters, sample.after_ns)
        in_flight = sample.counters[8] or 0
        last = sample is samples[-1]
        if sample.before_ns < second_end and not last:
            continue
        while second_end <= sample.before_ns:
            second_end += NS_PER_S
        slot.add(meter, term)
        if sample.before_ns >= slot_end or last:
            total += slot.sums(pool, in_flight)
            pool, slot = meter.pool(term.term), _Slot()
            slot_end += SLOT_S * NS_PER_S
    observed = round((samples[-1].before_ns - start) / NS_PER_S)
    total += Sums(observed_s=observed)
    parts = [Part(SLOW_PPM, total)]
    proved = "breached" if breach_proved(parts) else "met" if met_proved(parts) else None
    state = proved or ("breached" if breach_likely(parts) else "met")
    if proved is None and total.eligible < EXCUSED_BELOW * total.ios and state == "met":
        state = "excused"
    return Verdict(state, proved, total, samples[-1].before_ns)


class _Slot:
    """The running sums of one minute."""

    def __init__(self) -> None:
        self._ios = self._covered = self._excess_lo = self._excess_hi = 0
        self._low = self._estimate = self._high = self._lost_ms = 0

    def add(self, meter: DiskMeter, term: Term) -> None:
        counts = meter.close_second()[term.term]
        self._ios += meter.raw(term.term).ios
        self._covered += counts.covered_est
        self._excess_lo += counts.excess_lo
        self._excess_hi += counts.excess_hi
        self._low += counts.read_lo + counts.write_lo
        self._estimate += counts.read_est + counts.write_est
        self._high += counts.read_hi + counts.write_hi
        self._lost_ms += counts.lost_ms

    def sums(self, pool: int, in_flight: int) -> Sums:
        """Design semantics §4: covered completions of a window from its excess arrivals."""
        return Sums(
            ios=self._ios,
            eligible_low=max(0, self._ios - pool - self._excess_hi),
            eligible=self._covered,
            eligible_high=self._ios - max(0, self._excess_lo - in_flight),
            slow_low=self._low,
            slow=self._estimate,
            slow_high=self._high,
            lost_ms=self._lost_ms,
        )
