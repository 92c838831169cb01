"""Which calendar month? A contract's months as half-open spans of UTC; they may hold days of 23 and of 25 hours."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

CLOSES_AFTER = timedelta(hours=72)
FORM = re.compile(r"(\d{4})-(\d{2})")


class PeriodError(ValueError):
    """The text names no month; the message holds it."""


@dataclass(frozen=True, slots=True)
class Period:
    """A calendar month, [start, end) in UTC; `text` is '2026-11'."""

    year: int
    month: int
    zone: str

    @property
    def text(self) -> str:
        """As it is typed and shown."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def start(self) -> datetime:
        """Midnight of the first in the zone, as UTC."""
        return datetime(self.year, self.month, 1, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    @property
    def end(self) -> datetime:
        """Midnight of the next first in the zone, as UTC."""
        return self.next().start

    @property
    def closes_at(self) -> datetime:
        """72 h after its end; from then on it changes only by a numbered correction (semantics §5)."""
        return self.end + CLOSES_AFTER

    def next(self) -> "Period":
        """The month after."""
        return Period(self.year + self.month // 12, self.month % 12 + 1, self.zone)

    def previous(self) -> "Period":
        """The month before."""
        return Period(self.year - (self.month == 1), (self.month - 2) % 12 + 1, self.zone)


def parse_period(text: str, zone: str = "UTC") -> Period:
    """'2026-11' in a zone. Raises PeriodError."""
    found = FORM.fullmatch(text)
    if not found:
        raise PeriodError(f"{text!r} is no period: write year and month, like 2026-11")
    year, month = int(found[1]), int(found[2])
    if not 1 <= month <= 12:
        raise PeriodError(f"{text!r} is no period: month {found[2]} does not exist, write 01 to 12")
    if not 1970 <= year <= 9998:
        raise PeriodError(f"{text!r} is no period: the year must lie in 1970 … 9998")
    return Period(year, month, zone)


def period_of(moment: datetime, zone: str = "UTC") -> Period:
    """The month of a moment, as the zone's wall clock sees it."""
    local = moment.astimezone(ZoneInfo(zone))
    return Period(local.year, local.month, zone)
