"""Which kind of log is it, and what is it worth under a contract? Bytes in, the answer out; nothing is kept."""

import codecs
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from sla.domain.contract import Contract
from sla.domain.logs.coarse import judge_samples
from sla.domain.logs.fio import fio_log, latency_log
from sla.domain.logs.recording import recording_log
from sla.domain.logs.result import Log, said
from sla.domain.logs.sample import LogError, Sample
from sla.domain.logs.sysstat_json import sysstat_samples
from sla.domain.logs.table import ASSUMED_S, SAR_HEADER, iostat_samples, sadf_samples, sar_samples
from sla.domain.states import Grade

# A file from anywhere may have any shape: what its figures can do to arithmetic is a reason to refuse it.
ODD = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
LATENCY_LINE = re.compile(r"^\d+,\s*\d+,\s*[012],\s*\d+")
GZIP, MAX_BYTES = b"\x1f\x8b", 256 * 2**20
# fio writes its notes before the document.
NOISE_BEFORE_FIO = re.compile(r'^\{(?=\s*"fio version")', re.MULTILINE)
# iostat and sar in colours, where S_COLORS or a terminal recorder made them keep these.
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
# What people have at hand that holds no rows, and what makes rows of it.
SAR_BINARY = (b"\x96\xd5", b"\xd5\x96")
FIO_TEXT = re.compile(r"^fio-\d", re.MULTILINE)
DECIMAL_COMMA = re.compile(r"(:\s*-?\d+),(\d+)(?=\s*[,}\]])")
# After a row, and after a report, of iostat -o JSON.
CLOSINGS = ("]}]}]}}", "]}]}}")
SAR_LINE = re.compile(SAR_HEADER.pattern, re.MULTILINE)


def score_log(
    data: bytes, contract: Contract, *, interval: float | None = None, rule: str = "driver"
) -> dict[str, Any]:
    """Judge a log. `interval`: seconds a row lasts, where the log does not say; `rule`: for recordings, what in_flight
    may prove. Raises LogError with what was seen and what would do."""
    return said(read_log(data, contract, interval=interval, rule=rule), contract)


def read_log(data: bytes, contract: Contract, *, interval: float | None = None, rule: str = "driver") -> Log:
    """The log's rows, labelled. Raises LogError."""
    try:
        return _read(data, contract, interval, rule)
    except LogError:
        raise
    except ODD as error:
        raise LogError(f"the file looks like a log but makes no sense: {error}") from error


def _read(data: bytes, contract: Contract, interval: float | None, rule: str) -> Log:
    if interval is not None and interval <= 0:
        raise LogError(f"interval is {interval:g}: a row lasts more than 0 seconds")
    data = unpacked(data)
    if data.startswith(SAR_BINARY):
        raise LogError("this is sar's binary file: `sadf -j FILE -- -d` prints what can be read here")
    data = COLOUR.sub(b"", as_utf8(data))
    head = data.lstrip()[:1]
    if head == b"@":
        return recording_log(data, contract, rule)
    text = data.decode("utf-8", errors="replace").lstrip("\ufeff")
    if documents := [found.start() for found in NOISE_BEFORE_FIO.finditer(text)]:
        # With --status-interval there are several, each from the beginning: the last whole one says most.
        text, head = last_whole(text, documents), b"{"
    if head == b"{":
        return _document(text, contract, interval)
    if not text.strip():
        raise LogError("the file is empty")
    if LATENCY_LINE.match(text.lstrip()):
        return latency_log(text.splitlines(), contract)
    if text.startswith("# hostname;"):
        return _rows("sadf -d", sadf_samples(text), contract, assumed=False)
    if SAR_LINE.search(text):
        return _rows("sar -d", sar_samples(text, interval), contract, assumed=False)
    if FIO_TEXT.search(text):
        raise LogError("this is fio's text for people: run it with --output-format=json+ or --write_lat_log=NAME")
    samples, assumed, odd = iostat_samples(text, interval)
    return _rows("iostat", samples, contract, assumed=assumed, odd=odd)


def _document(text: str, contract: Contract, interval: float | None) -> Log:
    document = parsed(text)
    if "sysstat" in document:
        samples, assumed = sysstat_samples(document, interval)
        return _rows("sysstat JSON", samples, contract, assumed=assumed)
    if "jobs" in document:
        return fio_log(document, contract)
    keys = ", ".join(list(document)[:5])
    raise LogError(f"a JSON document with {keys}: neither sysstat's (iostat -o JSON, sadf -j) nor fio's (jobs)")


def unpacked(data: bytes) -> bytes:
    """The content of a gzip file, bounded; anything else as it is. LogError for one that is broken or too large."""
    if not data.startswith(GZIP):
        return data
    stream = zlib.decompressobj(31)
    try:
        content = stream.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise LogError(f"the gzip file is broken: {error}") from error
    if not stream.eof:
        raise LogError(f"the gzip file is cut off or holds over {MAX_BYTES // 2**20} MiB; send a part of it")
    return content


def last_whole(text: str, starts: Sequence[int]) -> str:
    """Of documents that follow each other the last one that is complete; the first where none is."""
    for start in reversed(starts):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            continue
        return text[start:end]
    return text[starts[0] :]


def as_utf8(data: bytes) -> bytes:
    """What a Windows editor or shell may have saved as UTF-16; anything else as it is."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def parsed(text: str) -> dict[str, Any]:
    """A JSON document; also one that iostat did not finish or wrote with decimal commas. LogError otherwise."""
    trouble = ""
    for attempt in (text, DECIMAL_COMMA.sub(r"\1.\2", text)):
        for candidate in (attempt, *_closed(attempt)):
            try:
                document = json.loads(candidate)
            except ValueError as error:
                trouble = trouble or str(error)
            else:
                if isinstance(document, dict):
                    return document
    raise LogError(f"the file begins like JSON but is none: {trouble}")


def _closed(text: str) -> Iterator[str]:
    """A document that was cut off, closed after its last whole row or report."""
    end = len(text)
    for _ in range(4):
        end = text.rfind("}", 0, end)
        if end < 0:
            return
        for closing in CLOSINGS:
            yield text[: end + 1] + closing


def _rows(name: str, samples: Sequence[Sample], contract: Contract, *, assumed: bool, odd: Sequence[str] = ()) -> Log:
    devices = {sample.device for sample in samples}
    whole = [sample for sample in samples if not is_partition(sample.device, devices)]
    notes = []
    if dropped := sorted(devices - {sample.device for sample in whole}):
        notes.append(f"partitions count their disk's I/Os twice and are left out: {', '.join(dropped)}")
    if odd:
        notes.append(f"{len(odd)} rows could not be read and are left out, the first: {odd[0][:80]}")
    if assumed:
        notes.append(f"the rows carry no time: each is taken to last {ASSUMED_S:g} s (give the interval)")
    if any(sample.first for sample in whole):
        notes.append("the first report may be the average since boot (iostat without -y): it is not in the verdict")
    if not all(sample.split for sample in whole) and contract.read_threshold_us != contract.write_threshold_us:
        notes.append("reads and writes are not told apart by the log: both stand under what it gives")
    return Log(name, Grade.C, judge_samples(whole, contract), notes)


def is_partition(name: str, names: set[str]) -> bool:
    """sda1 beside sda, nvme0n1p2 beside nvme0n1 (trap 20)."""
    stem = name.rstrip("0123456789")
    if stem == name or not stem:
        return False
    if stem.endswith("p") and stem[-2:-1].isdigit():
        return stem[:-1] in names
    return stem in names and not stem[-1].isdigit()
