"""When does something that comes again come? RFC 5545 rules on a zone's wall clock, as moments of UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dateutil.rrule import rrule, rrulestr

LONGEST_RULE = 300
LONGEST = timedelta(days=7)
FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
OFTENER = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})
MOST = 1_000
# A rule that names no day within so many years names none: the 31st of February.
LOOKS_AHEAD = timedelta(days=5 * 366)


class RuleError(ValueError):
    """What is wrong with a rule, in words."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """`begin`: the first start, as the wall clock of `zone` shows it; `length`: on that clock; `rule`: an RRULE."""

    rule: str
    begin: datetime
    length: timedelta
    zone: str

    def occurrences(self, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
        """[start, end) of each that begins in [start, end), in UTC and in order. RuleError.

        A start that the clock leaps over in spring is moved on by the leap; of an hour that comes twice in autumn the
        first is meant for starts, the second for ends, so that what lasts from two to four lasts until four.
        """
        zone = zone_of(self.zone)
        rule = parsed(self.rule, self.begin)
        margin = timedelta(days=2)
        last = end.astimezone(UTC).replace(tzinfo=None) + margin
        first = start.astimezone(UTC).replace(tzinfo=None) - margin
        for local in rule.xafter(first, inc=True):
            if local > last:
                return
            opens = moment(local, zone, fold=0)
            closes = moment(local + self.length, zone, fold=1)
            if start <= opens < end:
                yield opens, max(closes, opens + timedelta(minutes=1))


def moment(local: datetime, zone: ZoneInfo, *, fold: int) -> datetime:
    """A time of the wall clock in UTC. In a leap: as if the clock had not leapt yet."""
    aware = local.replace(tzinfo=zone, fold=fold)
    if aware.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        aware = local.replace(tzinfo=zone, fold=0)
    return aware.astimezone(UTC)


def zone_of(name: str) -> ZoneInfo:
    """RuleError where there is no such zone."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise RuleError(f"{name[:60]!r} is no time zone: give one like Europe/Prague") from error


def parsed(text: str, begin: datetime) -> rrule:
    """One RRULE of days, weeks, months or years that names at least one day. RuleError."""
    rule = text.strip().upper().removeprefix("RRULE:")
    if not rule or len(rule) > LONGEST_RULE or "\n" in rule or ":" in rule:
        raise RuleError(f"{text[:60]!r} is no rule: write one like FREQ=WEEKLY;BYDAY=SU")
    if begin.tzinfo is not None:
        raise RuleError("the first start is a time of the wall clock: it has no zone of its own")
    _checked_parts(rule, text)
    try:
        made = rrulestr(rule, dtstart=begin)
    except (ValueError, TypeError, KeyError) as error:
        raise RuleError(f"{text[:60]!r} is no rule: {error}") from error
    if not isinstance(made, rrule) or _names_no_day(made, begin):
        raise RuleError(f"{text[:60]!r} names no day within five years of its first start")
    return made


def _checked_parts(rule: str, text: str) -> None:
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    if parts.get("FREQ") not in FREQUENCIES or not OFTENER.isdisjoint(parts):
        raise RuleError(f"{text[:60]!r}: write FREQ={', '.join(FREQUENCIES)}, and nothing that comes oftener in a day")
    for name in ("INTERVAL", "COUNT"):
        value = parts.get(name, "1")
        if not (value.isascii() and value.isdigit() and 1 <= int(value) <= MOST):
            raise RuleError(f"{name} is {value[:20]!r}: it must be 1 to {MOST}")


def _names_no_day(rule: rrule, begin: datetime) -> bool:
    """Looked for with an end, so that a rule without any day does not search to the end of time."""
    return next(iter(rule.replace(count=None, until=begin + LOOKS_AHEAD)), None) is None


def checked_length(length: timedelta) -> timedelta:
    """RuleError outside a minute to seven days."""
    if not timedelta(minutes=1) <= length <= LONGEST:
        raise RuleError(f"{length} long: a window lasts one minute to {LONGEST.days} days")
    return length
