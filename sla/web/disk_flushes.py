"""What do the charts of operations show of flushes? Read from frames, asked for after the page is there."""

from typing import Any

from sla.scoring.bins import grid
from sla.scoring.flushes import flushes_between
from sla.scoring.store import DAY_S
from sla.web.disk_range import Range

Line = list[float | None]


def flush_lines(disk_id: int, vantage: int, span: Range) -> dict[str, Any]:
    """`flush_iops` and `flush_await_ms` of the page's steps; None where unknown, and throughout a span over a day."""
    first, steps = grid(span.start, span.end, span.step_s)
    none: Line = [None] * steps
    if span.length_s > DAY_S:
        return {"start": first, "step_s": span.step_s, "read": False, "flush_iops": none, "flush_await_ms": none}
    ios, ms, known_s = flushes_between(disk_id, vantage, first, first + steps * span.step_s, span.step_s)
    rates: Line = [round(n / s, 4) if s else None for n, s in zip(ios.tolist(), known_s.tolist(), strict=True)]
    means: Line = [round(t / n, 4) if n else None for t, n in zip(ms.tolist(), ios.tolist(), strict=True)]
    return {"start": first, "step_s": span.step_s, "read": True, "flush_iops": rates, "flush_await_ms": means}
