"""Which span of time does a page show? `?range=6h&to=2026-11-21T12:00Z`: presets, free spans, earlier and later;
`?range=now-1d/d` is the whole of yesterday, in UTC."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400
UNITS_S = {"m": MINUTE_S, "h": HOUR_S, "d": DAY_S}
WHOLE = re.compile(r"now(?:-([1-9]\d{0,2})([hd]))?/([hd])")
PRESETS = ("1h", "6h", "24h", "7d", "30d")
DEFAULT = "6h"
# Shorter than five minutes is the seconds' own panel; and a screen is not made for more than 400 days.
SHORTEST_S, LONGEST_S = 5 * MINUTE_S, 400 * DAY_S
# What a screen can show: more points than pixels only cost time.
MOST_POINTS, MOST_CELLS, MOST_COLUMNS = 720, 300, 120
STEPS_S = (60, 120, 300, 600, 900, 1_800, HOUR_S, 7_200, 10_800, 21_600, 43_200, DAY_S)
CELLS_S = (60, 300, 900, HOUR_S, 10_800, 21_600, DAY_S, 7 * DAY_S)


class RangeError(ValueError):
    """The words name no span; the message holds them and what to write instead."""


@dataclass(frozen=True, slots=True)
class Range:
    """[start, end) in Unix seconds; `live`: it ends now, and moves."""

    start: int
    end: int
    name: str
    live: bool

    @property
    def length_s(self) -> int:
        """How long it is."""
        return self.end - self.start

    @property
    def step_s(self) -> int:
        """The finest step that keeps a line within MOST_POINTS."""
        return step_for(self.length_s, MOST_POINTS, STEPS_S)

    @property
    def cell_s(self) -> int:
        """Of the state bar: minutes for an hour, five of them for a day."""
        return step_for(self.length_s, 60 if self.length_s <= HOUR_S else MOST_CELLS, CELLS_S)

    @property
    def column_s(self) -> int:
        """Of the heat map: a whole number of steps."""
        least = math.ceil(self.length_s / MOST_COLUMNS / self.step_s) * self.step_s
        return next((s for s in STEPS_S if s >= least and s % self.step_s == 0), least)

    def query(self, *, earlier: int = 0) -> str:
        """The URL's query for the same length, so many lengths earlier (negative: later)."""
        if earlier == 0 and self.live:
            return urlencode({"range": self.name})
        return urlencode({"range": self.name, "to": stamp(self.end - earlier * self.length_s)}, safe=":")


def step_for(length_s: int, most: int, steps: tuple[int, ...]) -> int:
    """The first of `steps` that cuts the length into at most so many; whole multiples of the last beyond."""
    least = math.ceil(length_s / most)
    return next((step for step in steps if step >= least), math.ceil(least / steps[-1]) * steps[-1])


def stamp(unix_s: int) -> str:
    """2026-11-21T12:00Z, as the URL has it; seconds only where there are some."""
    moment = datetime.fromtimestamp(unix_s, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ" if moment.second else "%Y-%m-%dT%H:%MZ")


def parse_moment(text: str) -> int:
    """A moment with its zone, or Unix seconds. RangeError otherwise."""
    if re.fullmatch(r"\d{1,10}", text):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise RangeError(f"{text[:40]!r} is no moment: write it like 2026-11-21T12:00Z")
    return int(moment.timestamp())


def parse_range(name: str, to: str, now: float) -> Range:
    """The span that a URL asks for; it ends with the running minute where `to` is not given or not yet past."""
    name = name or DEFAULT
    if whole := WHOLE.fullmatch(name):
        return _whole(whole, now)
    found = re.fullmatch(r"([1-9]\d{0,4})([mhd])", name)
    if not found:
        raise RangeError(f"{name[:40]!r} is no range: write a number and m, h or d, like 6h, or now-1d/d")
    length = int(found[1]) * UNITS_S[found[2]]
    if not SHORTEST_S <= length <= LONGEST_S:
        raise RangeError(f"{name} is out of range: between 5m and 400d")
    last = math.ceil(now / MINUTE_S) * MINUTE_S
    end = min(parse_moment(to), last) if to else last
    if end < length:
        raise RangeError(f"{to[:40]!r} is too long ago")
    return Range(end - length, end, name, live=end == last)


def _whole(asked: re.Match[str], now: float) -> Range:
    """The hour or day that holds now, or that held it so long ago; the one that runs, up to now."""
    back, unit, whole = asked.groups()
    length = UNITS_S[whole]
    start = int(now - (int(back) * UNITS_S[unit] if back else 0)) // length * length
    last = math.ceil(now / MINUTE_S) * MINUTE_S
    if start + length <= last:
        return Range(start, start + length, f"1{whole}", live=False)
    return parse_range(f"{max(SHORTEST_S, last - start) // MINUTE_S}m", "", now)
