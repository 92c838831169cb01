"""How much of the time that should be observed was observed? (semantics §5)"""

from collections.abc import Iterable

from sla.domain.contract import PPM

MINUTE_S = 60


def judged_from(period_start: float, assigned_from: float | None, first_frame: float | None) -> float | None:
    """The latest of period start, assignment and the disk's first frame; None before there is a frame.

    `assigned_from` None (or minus infinity): the first assignment, valid from the first frame.
    """
    if first_frame is None:
        return None
    return max(period_start, first_frame, *([assigned_from] if assigned_from is not None else []))


def judged_until(period_end: float, now: float, last_frame_end: float, silent_s: int) -> float:
    """Now or the period's end. A frame comes a minute late by design, so an agent that reports is not held to `now`."""
    end = last_frame_end if now - last_frame_end < silent_s else now
    return min(period_end, end)


def excluded_s(windows: Iterable[tuple[float, float]], start: float, end: float) -> int:
    """Seconds of [start, end) whose minute begins inside a window: windows may overlap, minutes count once."""
    minutes: set[int] = set()
    for opens, closes in windows:
        first, last = -(-max(opens, start - MINUTE_S + 1) // MINUTE_S), -(-min(closes, end) // MINUTE_S)
        minutes.update(range(int(first), int(last)))
    return int(sum(max(0, min(end, (m + 1) * MINUTE_S) - max(start, m * MINUTE_S)) for m in minutes))


def coverage_ppm(observed_s: int, start: float | None, end: float, taken_out_s: int = 0) -> int:
    """Observed share of [start, end) less what is taken out, in millionths; 0 where there is no such time."""
    if start is None:
        return 0
    expected = int(end - start) - taken_out_s
    return min(PPM, observed_s * PPM // expected) if expected > 0 else 0
