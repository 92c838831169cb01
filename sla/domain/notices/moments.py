"""When is it next so late on somebody's clock, and until when do they want quiet? Days of 23 and 25 hours included."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class Quiet:
    """[start, end) by the wall clock, every day; over midnight where the end is the earlier one."""

    start: time
    end: time

    def holds_at(self, wall: time) -> bool:
        """Is it quiet when the clock on the wall says so? Never, where it begins and ends at once."""
        if self.start <= self.end:
            return self.start <= wall < self.end
        return wall >= self.start or wall < self.end


def next_time(now: datetime, wall: time, zone: tzinfo) -> datetime:
    """The first moment (UTC) after `now` at which a clock in that zone says `wall`.

    A time that the change to summer skips comes as late as if it had not been skipped; one that comes twice is taken
    the first time that is still ahead.
    """
    local = now.astimezone(zone)
    for days in (0, 1, 2):
        for fold in (0, 1):
            day = local.date() + timedelta(days=days)
            found = datetime.combine(day, wall, tzinfo=zone).replace(fold=fold).astimezone(UTC)
            if found > now:
                return found
    raise ValueError(f"no {wall} within two days of {now.isoformat()} in {zone}")


def quiet_until(now: datetime, quiet: Quiet | None, zone: tzinfo) -> datetime | None:
    """When the quiet that holds now ends (UTC), or None where it does not hold."""
    if quiet is None or not quiet.holds_at(now.astimezone(zone).time()):
        return None
    return next_time(now, quiet.end, zone)
