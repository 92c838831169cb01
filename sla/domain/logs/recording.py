"""What does an agent's own recording say? `@ <monotonic> <unix>` and the verbatim counters, judged at its cadence."""

import re
from io import BytesIO

from plimsoll_agent.core.counters import READ_IOS, READ_MS, WRITE_IOS, WRITE_MS, Counters, difference
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.recording import NS_PER_S, RecordingError, moments, whole_disks
from sla.domain.contract import Contract
from sla.domain.logs.result import Log, Piece
from sla.domain.logs.sample import LogError
from sla.domain.states import Case, Grade
from sla.domain.verdict import Sums

TERM = 1
FINE_NS = NS_PER_S
# The kernel adds whole jiffies to these (semantics §3); a recording does not say how long one was: HZ = 100 at worst.
BIO_BASED = re.compile(r"dm-|md\d|md_|drbd|zram|pmem|bcache")
COARSEST_JIFFY_MS = 10


def recording_log(data: bytes, contract: Contract, rule: str = "driver") -> Log:
    """One row a device and second. `rule`: what the recorded kernel's in_flight may prove (semantics §3); a recording
    does not say which kernel it was, so "driver" unless its owner knows better. LogError where it is broken."""
    runs: dict[str, _Run] = {}
    named: set[str] | None = None
    gaps: list[int] = []
    last: int | None = None
    try:
        for moment in moments(BytesIO(data)):
            if named is None:
                named = whole_disks(moment.disks, set())
            if last is not None:
                gaps.append(moment.mono_ns - last)
            last = moment.mono_ns
            for _, device, counters in moment.disks:
                if device in named:
                    run = runs.setdefault(device, _Run(device, contract, rule, moment.mono_ns))
                    run.take(moment.mono_ns, counters)
    except RecordingError as error:
        raise LogError(str(error)) from error
    pieces = [piece for run in runs.values() for piece in run.finish()]
    if not pieces:
        raise LogError("the recording holds fewer than two readings of a disk")
    fine = sorted(gaps)[len(gaps) // 2] < FINE_NS
    return Log("plimsoll recording", Grade.B if fine else Grade.C, pieces)


class _Run:
    """One disk of a recording."""

    def __init__(self, device: str, contract: Contract, rule: str, start_ns: int) -> None:
        self.device = device
        bio_based = BIO_BASED.match(device) is not None
        self.meter = DiskMeter([contract.term(TERM)], rule=rule, bio_based=bio_based, jiffy_ms=COARSEST_JIFFY_MS)
        self.start_ns = self.second_ns = start_ns
        self.now_ns = start_ns
        self.before: Counters | None = None
        self.ios = self.ms = 0
        self.pool: int | None = None
        self.pieces: list[Piece] = []

    def take(self, mono_ns: int, counters: Counters) -> None:
        """The next reading."""
        if mono_ns >= self.second_ns + NS_PER_S and mono_ns > self.now_ns:
            self.close()
            self.second_ns += (mono_ns - self.second_ns) // NS_PER_S * NS_PER_S
        self.meter.sample(mono_ns, counters)
        if self.pool is None:
            self.pool = self.meter.pool(TERM)
        if self.before is not None and (moved := difference(self.before, counters)) is not None:
            self.ios += (moved[READ_IOS] or 0) + (moved[WRITE_IOS] or 0)
            self.ms += (moved[READ_MS] or 0) + (moved[WRITE_MS] or 0)
        self.before, self.now_ns = counters, mono_ns

    def close(self) -> None:
        """End a second: its counts as sums. What may be excess from before it is taken off its covered ones."""
        counts = self.meter.close_second()[TERM]
        pool, self.pool = self.pool or 0, self.meter.pool(TERM)
        low = max(0, self.ios - pool - counts.excess_hi)
        waiting = (self.before or (0,) * 9)[8] or 0
        high = self.ios - max(0, min(self.ios, counts.excess_lo - waiting))
        covered = min(max(min(counts.covered_est, self.ios), low), high)
        sums = Sums(
            observed_s=1,
            ios=self.ios,
            eligible_low=low,
            eligible=covered,
            eligible_high=high,
            slow_low=counts.read_lo + counts.write_lo,
            slow=counts.read_est + counts.write_est,
            slow_high=counts.read_hi + counts.write_hi,
            lost_ms=counts.lost_ms,
        )
        second = (self.second_ns - self.start_ns) // NS_PER_S
        case = _case(sums, waiting)
        self.pieces.append(Piece(self.device, f"{second} s", 1.0, sums, self.ms, case))
        self.ios = self.ms = 0

    def finish(self) -> list[Piece]:
        """All seconds, with the last begun one if it has something in it."""
        if self.now_ns > self.second_ns or self.ios:
            self.close()
        return self.pieces


def _case(sums: Sums, waiting: int) -> Case:
    if not sums.ios:
        return Case.STALLED if sums.lost_ms else Case.NORMAL if waiting else Case.IDLE
    if sums.lost_ms:
        return Case.UNDER_DELIVERY
    if sums.eligible == sums.ios:
        return Case.NORMAL
    return Case.PRO_RATA if sums.eligible else Case.EXCUSED
