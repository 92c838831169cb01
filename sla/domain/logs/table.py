"""What do iostat and sar say in their text? Reports of rows under a header that names the columns."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sla.domain.logs.clock import between, seconds_of_day
from sla.domain.logs.fields import number, sample_of
from sla.domain.logs.sample import LogError, Sample

IOSTAT_HEADER = re.compile(r"(?:^|\s)Device:?(?:\s|$)")
SAR_HEADER = re.compile(r"^(\d{1,2}:\d{2}:\d{2}(?:\s+[AP]M)?)\s+(?=.*\bDEV\b)")
SAR_ROW = re.compile(r"^(\d{1,2}:\d{2}:\d{2}(?:\s+[AP]M)?)\s+(\S.*)$")


@dataclass(frozen=True, slots=True)
class Report:
    """Rows that share a moment: the stamp as printed, and (device, figures by column)."""

    time: str | None
    rows: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def put(self, device: str, figures: dict[str, float]) -> None:
        """A row, or more columns of the row that the device has already."""
        for name, known in self.rows:
            if name == device and not known.keys() & figures.keys():
                known.update(figures)
                return
        self.rows.append((device, figures))


def iostat_reports(lines: Iterable[str]) -> Iterator[Report]:
    """Reports of `iostat -x`, with stamps or without, the device in the first column or the last (-h).

    A report may come in several tables, reads, writes, flushes (-h since sysstat 12): they have no column in common.
    A long device's name may stand on a line of its own before its figures (sysstat 9).
    """
    stamp: str | None = None
    header: list[str] | None = None
    report: Report | None = None
    seen: set[str] = set()
    begins = True
    alone = ""  # a name whose figures are on the next line
    for line in lines:
        if IOSTAT_HEADER.search(line) and not line.lstrip().startswith("Linux"):
            header = [name.rstrip(":") for name in line.split()]
            columns = set(header) - {"Device"}
            if begins or report is None or stamp is not None or seen & columns:
                if report is not None and report.rows:
                    yield report
                report, stamp, seen, begins = Report(stamp), None, set(), False
            seen |= columns
        elif not line.strip():
            header = None
        elif header is not None and report is not None:
            if row := _row(header, f"{alone} {line}"):
                report.put(*row)
                alone = ""
            elif len(line.split()) == 1 and header[0] == "Device" and not alone:
                alone = line.strip()
            else:
                report.odd.append(f"{alone} {line}".strip())
                alone = ""
        elif line.startswith("avg-cpu"):
            begins = True
        elif not line.startswith(("Linux", "avg-cpu")) and seconds_of_day(line) is not None:
            stamp = line.strip()
    if report is not None and report.rows:
        yield report


def _row(header: list[str], line: str) -> tuple[str, dict[str, float]] | None:
    """Device and figures by column name; None where a line under the header is no row."""
    words = line.split()
    place = header.index("Device")
    if len(words) < len(header):
        return None
    # A device-mapper name may hold blanks: what the columns do not need belongs to it.
    extra = len(words) - len(header)
    if place == 0:
        device, values, names = " ".join(words[: extra + 1]), words[extra + 1 :], header[1:]
    else:
        device, values, names = " ".join(words[place:]), words[:place], header[:place]
    try:
        return device, {name: number(value, name) for name, value in zip(names, values, strict=True)}
    except ValueError:
        return None


def iostat_samples(text: str, interval: float | None) -> tuple[list[Sample], bool, list[str]]:
    """Samples of an iostat text, whether their length had to be assumed, and rows that could not be read.

    LogError where it has no report.
    """
    reports = list(iostat_reports(text.splitlines()))
    if not reports:
        raise LogError("there is no table with a Device column and a row in it; iostat -x prints one")
    lengths, assumed = report_lengths([report.time for report in reports], interval)
    samples = []
    for index, (report, seconds) in enumerate(zip(reports, lengths, strict=True)):
        first = index == 0 and len(reports) > 1
        samples += [sample_of(figures, name, report.time, seconds, first) for name, figures in report.rows]
    return samples, assumed, [line for report in reports for line in report.odd]


ASSUMED_S = 10.0


def report_lengths(stamps: list[str | None], interval: float | None) -> tuple[list[float], bool]:
    """How long each report lasted: as told, else between stamps (the first as long as the second), else ten seconds."""
    times = [seconds_of_day(stamp) if stamp else None for stamp in stamps]
    if interval is not None:
        return [interval] * len(stamps), False
    lengths: list[float] = [0.0]
    for earlier, later in pairwise(times):
        lengths.append(float(between(earlier, later)) if earlier is not None and later is not None else 0.0)
    usual = next((length for length in lengths if length), None)
    return [length or usual or ASSUMED_S for length in lengths], usual is None


def sar_samples(text: str, interval: float | None) -> list[Sample]:
    """Samples of `sar -d`. A row lasts from the stamp before it (the header's at first) to its own."""
    header: list[str] | None = None
    before: str | None = None
    current: str | None = None
    samples: list[Sample] = []
    for line in text.splitlines():
        if found := SAR_HEADER.match(line):
            header = line[found.end(1) :].split()
            before, current = (current or found[1]), None
        elif not line.strip():
            header = None  # what follows is another report, and with `sar -A` one of another kind
        elif header is not None and (row := SAR_ROW.match(line)):
            if current is not None and row[1] != current:
                before = current
            current = row[1]
            words = row[2].split()
            if len(words) != len(header):
                continue
            place = header.index("DEV")  # first, or last with --pretty
            device = words[place]
            start, end = seconds_of_day(before or current), seconds_of_day(current)
            seconds = interval or float(between(start or 0, end or 0)) or ASSUMED_S
            named = zip(header, words, strict=True)
            figures = {name: number(value, name) for name, value in named if name != "DEV"}
            samples.append(sample_of(figures, device, current, seconds, False))
    if not samples:
        raise LogError("there is no row under a header with DEV; sar -d prints them")
    return samples


def sadf_samples(text: str) -> list[Sample]:
    """Samples of `sadf -d FILE -- -d`: fields between semicolons under a header that begins with '# hostname'."""
    header: list[str] = []
    samples: list[Sample] = []
    for line in text.splitlines():
        words = line.strip().split(";")
        if line.startswith("#"):
            header = [word.strip() for word in line.lstrip("# ").split(";")]
        elif "DEV" in header and len(words) == len(header):
            row = dict(zip(header, words, strict=True))
            figures = {name: number(value) for name, value in row.items() if name not in SADF_WORDS}
            samples.append(sample_of(figures, row["DEV"], row["timestamp"], float(row["interval"]), False))
    if not samples:
        raise LogError("there is no row with a DEV field; sadf -d FILE -- -d prints them")
    return samples


SADF_WORDS = frozenset({"hostname", "interval", "timestamp", "DEV"})
