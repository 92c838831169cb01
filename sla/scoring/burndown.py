"""How is the error budget of an open month going? Its line from hour to hour, and how fast it burns now."""

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from sla.domain.burn import CLEARS_AT, RULES, burn_rate, refused_because
from sla.domain.contract import PPM
from sla.domain.display import burn
from sla.domain.period import period_of
from sla.scoring import burning, store
from sla.scoring.models import DiskNow
from sla.scoring.store import HOUR_S
from sla.scoring.terms import contract_of

# A line of 31 days by three hours is 248 points, as many as its chart has pixels.
MOST_POINTS = 260


def burn_down(now: DiskNow, at: float) -> dict[str, Any] | None:
    """What is left of the month's budget after each hour, as shares of the budget expected for the whole month.

    Expected: covered I/O goes on as it did so far. `ideal` falls with the I/O that came: where `left` is below it, more
    was slow than the objective allows so far. None where there is no contract, or nothing covered yet.
    """
    if not now.term or not now.first_at:
        return None
    contract = contract_of(now.term)
    period = period_of(datetime.fromtimestamp(at, UTC), contract.zone)
    start, end = int(period.start.timestamp()), int(period.end.timestamp())
    with store.reading() as cursor:
        rows = cursor.execute(
            f"""
            SELECT extract(epoch FROM start)::int8, term, sum(eligible)::int8, sum(slow_low)::int8, sum(slow)::int8,
                   sum(slow_high)::int8
            FROM scoring_hour WHERE disk_id = %s AND vantage = %s AND NOT excluded
              AND start >= to_timestamp({start}) AND start < to_timestamp({end})
            GROUP BY start, term ORDER BY start
            """,  # noqa: S608
            [now.disk_id, now.vantage],
            binary=True,
        ).fetchall()
    begin = max(start, int(now.first_at.timestamp()))
    until = min(at, end)
    hours: dict[int, list[float]] = {}
    for hour, term, eligible, *slow in rows:
        allowed = eligible * contract_of(term).slow_ppm / PPM if term else 0
        total = hours.setdefault(hour, [0.0] * 4)
        for place, value in enumerate((allowed, *slow)):
            total[place] += value
    allowed_so_far = sum(total[0] for total in hours.values())
    if not allowed_so_far or until - begin < 1:
        return None
    expected = allowed_so_far * (end - begin) / (until - begin)
    return {
        "period": period.text,
        "start": start,
        "end": end,
        "begin": begin,
        "expected": expected,
        **_line(hours, begin, until, expected, step_s=HOUR_S * -(-(end - start) // HOUR_S // MOST_POINTS)),
    }


def _line(
    hours: dict[int, list[float]], begin: int, until: float, expected: float, step_s: int
) -> dict[str, list[float | None]]:
    """One point at the end of each step; None for a step that nobody saw."""
    names = ("ideal", "high", "left", "low")  # fewest slow leave the most
    line: dict[str, list[float | None]] = {"t": [begin], **{name: [1.0] for name in names}}
    spent = [0.0] * 4
    for step in range(begin // step_s * step_s, int(until) + 1, step_s):
        seen = [hours[hour] for hour in range(step, step + step_s, HOUR_S) if hour in hours]
        spent = [sum(values) for values in zip(spent, *seen, strict=True)]
        line["t"].append(min(step + step_s, int(until)))
        for name, value in zip(names, spent, strict=True):
            line[name].append(round(1 - value / expected, 5) if seen else None)
    return line


def burn_table(now: DiskNow) -> list[dict[str, Any]]:
    """The burn-rate rules over their two windows, ending where the newest frame ends; rates are cut upwards."""
    if not now.term or not now.seen_at:
        return []
    objective_ppm = contract_of(now.term).objective_ppm
    with store.reading() as cursor:
        windows = burning.windows(cursor, [now.disk_id], now.vantage, int(now.seen_at.timestamp()))[now.disk_id]
    rows = []
    for rule in RULES:
        long, short = (burn_rate(*windows[length], objective_ppm) for length in (rule.long_s, rule.short_s))
        limit = rule.factor * CLEARS_AT if rule.name in now.firing else rule.factor
        rows.append(
            {
                "name": rule.name,
                "severity": rule.severity,
                "long_s": rule.long_s,
                "short_s": rule.short_s,
                "factor": float(rule.factor),
                "long": burn(long),
                "short": burn(short),
                "long_over": _over(long, limit),
                "short_over": _over(short, limit),
                "firing": rule.name in now.firing,
                "refused": refused_because(rule, objective_ppm),
            }
        )
    return rows


def _over(rate: Fraction | None, limit: Fraction) -> bool:
    return rate is not None and rate >= limit
