"""What does fio say? Its JSON (percentiles, or every bin with json+) and its latency logs, which hold every I/O."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sla.domain.contract import PPM, Contract
from sla.domain.logs.coarse import judge_samples
from sla.domain.logs.result import Log, Piece
from sla.domain.logs.sample import LogError, Sample
from sla.domain.states import Case, Grade
from sla.domain.verdict import Sums

NS_PER_MS, NS_PER_US = 1_000_000, 1_000
# fio's bins are at most 1/64 wide; the value printed is a middle.
BIN_WIDTH = 64
STALL_THRESHOLDS = 10


def fio_log(document: Any, contract: Contract) -> Log:
    """A `--output-format=json` or `json+` document: one row a job. LogError where it has no job with I/O."""
    pieces: list[Piece] = []
    exact = True
    for job in document.get("jobs", ()):
        samples = _job_sample(job)
        if samples is None:
            continue
        (piece,) = judge_samples([samples], contract)
        low, estimate, high, binned = _slow(job, contract)
        exact = exact and binned
        pieces.append(_counted(piece, low, estimate, high))
    if not pieces:
        raise LogError("the fio document has no job that completed reads or writes")
    notes = ["which I/Os the promise covers is known only from the mean load of each job"]
    return Log("fio json+" if exact else "fio json", Grade.A if exact else Grade.C, pieces, notes)


def _job_sample(job: Mapping[str, Any]) -> Sample | None:
    sides = [job.get(name) or {} for name in ("read", "write")]
    ios = [int(side.get("total_ios") or 0) for side in sides]
    seconds = max(float(side.get("runtime") or 0) for side in sides) / 1000
    if not sum(ios) or seconds <= 0:
        return None
    times = [n * float(_latency(side).get("mean") or 0) / NS_PER_MS for n, side in zip(ios, sides, strict=True)]
    size = sum(int(side.get("io_bytes") or 0) for side in sides)
    name = str(job.get("jobname") or "job")
    return Sample(name, None, seconds, ios[0], ios[1], round(times[0]), round(times[1]), size, None)


def _latency(side: Mapping[str, Any]) -> Mapping[str, Any]:
    """Total latency, else completion latency (fio 2 wrote microseconds)."""
    for name in ("lat_ns", "clat_ns"):
        if side.get(name, {}).get("N") or side.get(name, {}).get("mean"):
            return dict(side[name])
    for name in ("lat", "clat"):
        if side.get(name, {}).get("mean"):
            return {"mean": float(side[name]["mean"]) * NS_PER_US}
    return {}


def _slow(job: Mapping[str, Any], contract: Contract) -> tuple[int, int, int, bool]:
    """Slow I/Os of a job: low, estimate, high, and whether they were binned one by one."""
    total = [0, 0, 0]
    binned = True
    for name, threshold_us in zip(("read", "write"), contract.thresholds_us, strict=True):
        side: Mapping[str, Any] = job.get(name) or {}
        count = int(side.get("total_ios") or 0)
        if not count:
            continue
        threshold = threshold_us * NS_PER_US
        holder = next((side[key] for key in ("lat_ns", "clat_ns") if (side.get(key) or {}).get("bins")), None)
        if holder is not None:
            got = _from_bins(holder["bins"], threshold)
        else:
            binned = False
            told = [side[key]["percentile"] for key in ("clat_ns", "lat_ns") if (side.get(key) or {}).get("percentile")]
            got = _from_percentiles(told[0] if told else {}, threshold, count)
        total = [a + b for a, b in zip(total, got, strict=True)]
    return total[0], total[1], total[2], binned


def _from_bins(bins: Mapping[str, int], threshold: int) -> tuple[int, int, int]:
    low = estimate = high = 0
    for text, count in bins.items():
        value = int(text)
        half = max(1, value // BIN_WIDTH)
        low += count if value - half >= threshold else 0
        estimate += count if value >= threshold else 0
        high += count if value + half >= threshold else 0
    return low, estimate, high


def _from_percentiles(percentiles: Mapping[str, int], threshold: int, count: int) -> tuple[int, int, int]:
    """Between the highest percentile below the threshold and the lowest at or above it."""
    points = sorted((float(percent), int(value)) for percent, value in percentiles.items())
    if not points:
        return 0, 0, count
    below = max((percent for percent, value in points if value < threshold), default=0.0)
    above = min((percent for percent, value in points if value >= threshold), default=100.0)
    high = min(count, -int(-count * (100 - below) // 100))
    low = int(count * (100 - above) // 100)
    return low, low if above < 100 else 0, high


def _counted(piece: Piece, low: int, estimate: int, high: int) -> Piece:
    """The piece with the slow I/Os that fio counted: of those covered, what excess cannot explain away."""
    s = piece.sums
    excess = s.ios - s.eligible
    proved = max(0, low - (s.ios - s.eligible_low))
    slow = min(max(estimate - excess, proved), s.eligible)
    sums = Sums(
        observed_s=s.observed_s,
        ios=s.ios,
        eligible_low=s.eligible_low,
        eligible=s.eligible,
        eligible_high=s.eligible_high,
        slow_low=proved,
        slow=slow,
        slow_high=max(high, slow),
        lost_ms=s.lost_ms,
    )
    return Piece(
        piece.device,
        piece.time,
        piece.seconds,
        sums,
        piece.time_ms,
        piece.case,
        piece.aqu_sz,
        piece.likely_lost_ms,
        piece.delivered,
        piece.counts,
    )


def latency_log(lines: Iterable[str], contract: Contract, device: str = "fio") -> Log:
    """A `--write_lat_log` file (ms, ns, direction, bytes, offset[, priority]): one row a second. LogError otherwise."""
    entries = list(_entries(lines))
    unit, why = latency_unit([(end_us, value) for end_us, value, _, _ in entries])
    done = sorted((end_us, value * NS_OF[unit] // NS_PER_US, way, size) for end_us, value, way, size in entries)
    if not done:
        raise LogError("the latency log holds no read or write")
    if (days := done[-1][0] / US_PER_DAY) > MOST_DAYS:
        raise LogError(f"the last request ended after {days:.0f} days: send at most {MOST_DAYS} days of a log")
    covered = _covered(done, contract)
    lost = _lost(done, contract)
    rows: dict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for (end_us, latency_us, direction, _), fits in zip(done, covered, strict=True):
        slow = latency_us >= contract.thresholds_us[direction]
        row = rows[end_us // PPM]
        for place, value in enumerate((1, fits, fits and slow, latency_us, 0)):
            row[place] += int(value)
    for second, ms in lost.items():
        rows[second][4] += ms
    pieces = [_second(second, rows.get(second, [0] * 5), device) for second in range(max(rows) + 1)]
    averaged = _averaged(done)
    notes = [f"latencies are taken as {unit}: {why}"]
    if averaged:
        notes.append("the log was averaged (log_avg_msec): its rows are means, not I/Os")
    return Log("fio latency log", Grade.C if averaged else Grade.A, pieces, notes)


def _entries(lines: Iterable[str]) -> Iterable[tuple[int, int, int, int]]:
    """(completed µs, latency as written, direction, bytes) of reads and writes."""
    listed = list(lines)
    for number, line in enumerate(listed, 1):
        if not line.strip():
            continue
        words = [word.strip() for word in line.split(",")]
        try:
            time_ms, value, direction, size = (int(word) for word in words[:4])
        except ValueError as error:
            if number == len(listed) and number > 1 and not line.strip(" ,0123456789\r"):
                break  # the file was cut off in the middle of its last line
            raise LogError(f"line {number} is {line.strip()[:60]!r}: four numbers or more belong there") from error
        if direction in (0, 1):
            if min(time_ms, value, size) < 0:
                raise LogError(f"line {number} is {line.strip()[:60]!r}: times, latencies and sizes are not negative")
            yield time_ms * 1000, value, direction, size


# One row is laid out for each second, whatever the clock in a file says.
US_PER_DAY, MOST_DAYS = 86_400 * PPM, 2
NS_OF = {"nanoseconds": 1, "microseconds": NS_PER_US}
CLOCK_US = 1_000  # the log's own clock is cut to whole ms
SOON_US = 100_000  # a run's first request is sent within this
FASTEST_NS = 5_000  # few disks answer sooner


def latency_unit(entries: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """Nanoseconds (fio 3) or microseconds (fio 2)? The file does not say; and why it is taken for that.

    entries: (completed µs, latency as written). No request can have taken longer than the run had lasted.
    """
    if any(value > end_us + CLOCK_US for end_us, value in entries):
        return "nanoseconds", "as microseconds some request would have begun before the run"
    if not entries:
        return "nanoseconds", "as fio writes them since version 3"
    end_us, value = min(entries)
    if end_us <= 2 * value + SOON_US and value:
        return "microseconds", "no request would have begun before the run, and the first one ended when it should"
    middle = sorted(value for _, value in entries)[len(entries) // 2]
    if middle < FASTEST_NS:
        return "microseconds", "as nanoseconds most would have taken less than a disk needs"
    return "nanoseconds", "as fio writes them since version 3; version 2 wrote microseconds"


def _covered(done: list[tuple[int, int, int, int]], contract: Contract) -> list[bool]:
    """Which I/Os arrived while the exact ideal disk's backlog was at most `depth` (semantics §4)."""
    rate = contract.iops * (PPM - contract.tolerance_ppm)  # micro-units a second: units·10⁻⁶ per µs·10⁻⁶
    depth = contract.depth * PPM * PPM
    arrivals = sorted((end - latency, place) for place, (end, latency, _, _) in enumerate(done))
    fits = [False] * len(done)
    backlog, before = 0, arrivals[0][0]
    for at, place in arrivals:
        backlog = max(0, backlog - rate * (at - before))
        before = at
        fits[place] = backlog <= depth
        backlog += max(1, -(-done[place][3] // contract.io_unit_bytes)) * PPM * PPM
    return fits


def _lost(done: list[tuple[int, int, int, int]], contract: Contract) -> dict[int, int]:
    """Stalls, in ms by the second they ended in: nothing completed for ten thresholds while something waited."""
    threshold = max(contract.thresholds_us)
    arrivals = sorted(end - latency for end, latency, _, _ in done)
    lost: dict[int, int] = defaultdict(int)
    for place, ((before, *_), (end, *_)) in enumerate(pairwise(done)):
        waiting = bisect_left(arrivals, before) > place + 1
        if waiting and end - before >= STALL_THRESHOLDS * threshold:
            lost[end // PPM] += (end - before - threshold) // 1000
    return lost


def _second(second: int, row: list[int], device: str) -> Piece:
    ios, covered, slow, latency_us, lost = row
    sums = Sums(1, ios, covered, covered, covered, slow, slow, slow, lost)
    if not ios:
        case = Case.STALLED if lost else Case.IDLE
    elif lost:
        case = Case.UNDER_DELIVERY
    else:
        case = Case.NORMAL if covered == ios else Case.PRO_RATA if covered else Case.EXCUSED
    return Piece(device, f"{second} s", 1.0, sums, latency_us // 1000, case)


def _averaged(done: list[tuple[int, int, int, int]]) -> bool:
    """Rows at one even distance of 100 ms or more are averages over that time."""
    times = sorted({end for end, *_ in done})
    steps = {later - earlier for earlier, later in pairwise(times)}
    return len(times) > 2 and len(steps) == 1 and steps.pop() >= 100_000
