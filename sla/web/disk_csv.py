"""A chart's figures as a file: the same points that the chart draws."""

import csv
import io
from typing import Any

from sla.web.disk_range import stamp

# Chart -> columns of the page's data, named as everywhere else.
LINES = {
    "latency": ("read_await_ms", "write_await_ms", "p50_ms", "p95_ms", "p99_ms"),
    "load": ("within_iops", "excess_iops"),
    "throughput": ("read_bps", "write_bps"),
    "queue": ("aqu_sz",),
    "operations": ("read_iops", "write_iops", "flush_iops"),
    "await": ("read_await_ms", "write_await_ms", "flush_await_ms"),
}
WITH_FLUSHES = ("operations", "await")
CHARTS = ("state", "days", *LINES, "heat", "budget")


def rows_of(chart: str, data: dict[str, Any]) -> list[list[Any]]:
    """Header and rows. An empty field is unknown."""
    if chart in LINES:
        names = LINES[chart]
        columns = zip(data["t"], data["coverage"], *(data[name] for name in names), strict=True)
        return [["start", "coverage", *names], *([stamp(t), *values] for t, *values in columns)]
    if chart == "state":
        bar = data["cells"]
        places = range(len(bar["states"]))
        return [
            ["start", "step_s", "state", "proved"],
            *(
                [stamp(bar["start"] + i * bar["step_s"]), bar["step_s"], bar["states"][i], bar["proved"][i]]
                for i in places
                if bar["states"][i]
            ),
        ]
    if chart == "days":
        days = data["days"]
        columns = zip(days["states"], days["proved"], days["low"], days["high"], strict=True)
        return [
            ["day", "state", "proved", "attained_low_percent", "attained_high_percent"],
            *([stamp(days["start"] + i * days["step_s"])[:10], *row] for i, row in enumerate(columns) if row[0]),
        ]
    if chart == "heat":
        heat = data["heat"]
        edges = heat["edges_ms"]
        return [
            ["start", "step_s", "from_ms", "to_ms", "share_ratio"],
            *(
                [stamp(heat["start"] + x * heat["step_s"]), heat["step_s"], edges[y], edges[y + 1], share]
                for x, y, share in heat["cells"]
            ),
        ]
    line = data["budget"]
    names = ("left", "low", "high", "ideal")
    if line is None:
        return [["end", *names]]
    columns = zip(line["t"], *(line[name] for name in names), strict=True)
    return [["end", *names], *([stamp(int(t)), *values] for t, *values in columns)]


def csv_of(chart: str, data: dict[str, Any]) -> str:
    """As RFC 4180 text. KeyError for a chart that there is not."""
    if chart not in CHARTS:
        raise KeyError(chart)
    out = io.StringIO()
    csv.writer(out).writerows(rows_of(chart, data))
    return out.getvalue()
