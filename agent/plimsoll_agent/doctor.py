"""Is this agent well: what it found, in sentences, each with a verdict."""

from __future__ import annotations

import os
import time
from email.utils import parsedate_to_datetime

from . import __version__, spool, waits
from .canary import look as canary
from .choose import MISSING, choose
from .ebpf import load
from .hypervisor.look import sources
from .imports import machine
from .imports.look import page_of
from .imports.node_exporter import ExporterError
from .imports.scrape import ScrapeError
from .kernel import identity, release
from .kernel.blockdev import BlockDevice, block_devices
from .kernel.files import read_text
from .settings import Settings
from .state import SAMPLER, UPLINK, State, StateError, locate, notes
from .transport import NetworkError, Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OK, WARNING, FAULT = "ok", "warning", "fault"
# A sampler writes its status each minute; two and a half without one is a sampler that is not there.
STATUS_STALE_S = 150
# A frame that ends over 120 s ahead is refused: half of that is time to mend the clock.
OFFSET_FAULT_S, OFFSET_WARNING_S = 60.0, 2.0
LATE_LIMIT_PPM = 1_000  # one sample in a thousand, the goal of a healthy machine


class Findings:
    """Sentences with their verdicts and, for --json, the figures behind them."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def add(self, topic: str, verdict: str, text: str, **figures: Any) -> None:
        """One sentence."""
        self.items.append({"topic": topic, "verdict": verdict, "text": text, **figures})

    @property
    def status(self) -> int:
        """For scripts: 0 all is well, 1 something is slow or late for it (warnings), 2 the agent cannot do its work."""
        verdicts = {item["verdict"] for item in self.items}
        return 2 if FAULT in verdicts else 1 if WARNING in verdicts else 0


def examine(settings: Settings, look_s: float = waits.LOOK_S) -> Findings:
    """Look at everything. Nothing is changed, and nothing is sent but one request without content.

    `look_s`: how long to watch what only a span of time shows.
    """
    findings = Findings()
    if settings.from_node_exporter:
        _exporter(settings, findings)
    else:
        _kernel(settings, findings)
        disks = _disks(settings, findings)
        for well, sentence in sources(settings):
            findings.add("guests", OK if well else WARNING, sentence)
        virtual = identity.virtualisation(settings.sys, settings.proc)
        waits.examine(disks, settings.sys, settings.proc, virtual, findings.add, look_s)
        _exact(settings, findings)
    for well, sentence in canary.sentences(settings):
        findings.add("canary", OK if well else WARNING, sentence)
    try:
        state = locate(settings)
    except StateError as error:
        findings.add("state", FAULT, f"{error}.")
    else:
        _sampler(state, findings)
        _spool(state, settings, findings)
        _token(state, settings, findings)
    _server(settings, findings)
    return findings


def _kernel(settings: Settings, findings: Findings) -> None:
    kernel = release.release_of(settings.proc)
    rule = release.in_flight_rule(kernel)
    proves = (
        "counts every I/O whose clock runs: the queue proves ages"
        if rule == "accounted"
        else "counts only what the driver holds: it feeds the estimate, and proof does without it"
    )
    text = f"Agent {__version__}, kernel {kernel}: in_flight {proves}."
    findings.add("kernel", OK, text, release=kernel, in_flight_rule=rule)


def _exporter(settings: Settings, findings: Findings) -> None:
    """The disks of the machine whose node_exporter is read instead."""
    try:
        page = page_of(settings)
    except (ScrapeError, ExporterError) as error:
        findings.add("exporter", FAULT, f"The node_exporter cannot be used: {error}.")
        return
    devices = machine.disks_of(page, settings.devices)
    findings.add("exporter", OK, f"A node_exporter is read every {settings.scrape_s} s: evidence of grade C.")
    for device in devices:
        serial = page.info.get(device, {}).get("serial") or None
        findings.add("disk", OK, f"{device} is watched: serial {serial or 'unknown'}.", device=device, serial=serial)
    left = sorted(set(page.disks) - set(devices))
    if left:
        findings.add("skipped", OK, f"{', '.join(left)}: left out, memory or made of the others.", devices=left)
    if not devices:
        findings.add("disk", FAULT, "No disk to watch: name one with devices=.")


def _disks(settings: Settings, findings: Findings) -> list[BlockDevice]:
    kernel = release.version_of(release.release_of(settings.proc))
    devices = block_devices(settings.sys, kernel)
    choice = choose(devices, settings.devices, settings.sys)
    for disk in choice.picked:
        identity = (
            f"WWN {disk.wwn}" if disk.wwn else f"serial {disk.serial}" if disk.serial else "no identity but its name"
        )
        size = "unknown size" if disk.size_bytes is None else f"{disk.size_bytes / 2**30:.1f} GiB"
        kind = {True: "rotational", False: "not rotational", None: "unknown medium"}[disk.rotational]
        text = f"{disk.device} is watched: {size}, {kind}, {identity}, scheduler {disk.scheduler or 'none'}"
        if disk.bio_based:
            text += "; bio-based, so its times are whole timer ticks and its queue proves nothing"
        verdict = OK if disk.wwn or disk.serial else WARNING
        findings.add("disk", verdict, text + ".", device=disk.device, serial=disk.serial, wwn=disk.wwn)
    by_reason: dict[str, list[str]] = {}
    for name, reason in choice.skipped.items():
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        verb = "is" if len(names) == 1 else "are"
        verdict = FAULT if reason == MISSING else OK
        findings.add("skipped", verdict, f"{', '.join(names)} {verb} left out: {reason}.", devices=names)
    if not choice.picked and not settings.has_guests:
        findings.add("disk", FAULT, "No disk to watch: name one with devices=.")
    return choice.picked


def _exact(settings: Settings, findings: Findings) -> None:
    """Can the kernel time each I/O for this agent? What can be seen without loading anything into it."""
    if settings.ebpf == "off":
        findings.add("ebpf", OK, "eBPF is off: slow requests are told as an interval, from the kernel's counters.")
        return
    missing = load.obstacle(proc=settings.proc, sys=settings.sys)
    if missing is None:
        findings.add("ebpf", OK, "The kernel can time each I/O (eBPF): slow requests are counted, not bounded.")
    else:
        verdict = FAULT if settings.ebpf == "on" else OK
        text = f"No exact latencies by eBPF: {missing}. Slow requests are told as an interval, from the counters."
        findings.add("ebpf", verdict, text, missing=missing)


def _sampler(state: State, findings: Findings) -> None:
    status = notes(state, SAMPLER)
    if not status:
        findings.add("sampler", WARNING, "No sampler has run here for a whole minute yet.")
        return
    age = time.time() - float(status.get("at", 0))
    if status.get("stopped") == "1":
        findings.add("sampler", WARNING, f"No sampler is running: the last one was stopped {age:.0f} s ago.")
        return
    if age > STATUS_STALE_S:
        findings.add("sampler", FAULT, f"The sampler has been silent for {age:.0f} s.", age_s=round(age))
        return
    samples, late, lost = (int(status.get(name, 0)) for name in ("samples", "late", "lost_s"))
    verdict = WARNING if late * 1_000_000 > LATE_LIMIT_PPM * samples or lost else OK
    text = (
        f"Process {status.get('pid')} reads {status.get('devices') or 'nothing'} every {status.get('cadence_ms')} ms: "
        f"{samples} samples, {late} of them over one period late, {lost} seconds lost, "
        f"{int(status.get('cpu_ms', 0)) / 1000:.1f} s of CPU, {status.get('scheduling', 'ordinary')} scheduling."
    )
    findings.add("sampler", verdict, text, samples=samples, late=late, lost_s=lost)
    if "canary_reads" in status:
        reads = int(status["canary_reads"])
        findings.add("canary", OK, f"Canary reads since it began: {reads}.", canary_reads=reads)


def _spool(state: State, settings: Settings, findings: Findings) -> None:
    entries = spool.entries(state.spool)
    taken = sum(entry.taken for entry in entries)
    rejected = sum(name.endswith(spool.SUFFIX) for name in os.listdir(state.rejected))
    uplink = notes(state, UPLINK)
    dropped = int(uplink.get("dropped", 0))
    text = f"{len(entries)} frames wait in the spool ({taken / 2**20:.1f} of {settings.spool_bytes >> 20} MiB)"
    if entries:
        text += f", the oldest from {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(entries[0].start))}"
    text += f"; {rejected} refused ones are kept in {state.rejected}; {dropped} were dropped for want of room."
    crowded = taken * 2 > settings.spool_bytes
    verdict = WARNING if dropped or crowded or rejected else OK
    findings.add("spool", verdict, text, frames=len(entries), bytes=taken, rejected=rejected, dropped=dropped)
    if uplink.get("trouble"):
        findings.add("uplink", WARNING, f"The last upload failed: {uplink['trouble']}.")
    elif uplink.get("ok_at"):
        ago = time.time() - float(uplink["ok_at"])
        text = f"The last upload was {ago:.0f} s ago; {uplink.get('accepted', 0)} frames accepted in all."
        findings.add("uplink", OK, text, age_s=round(ago))
    if uplink.get("remarks"):
        findings.add("uplink", WARNING, f"The last upload remarked: {uplink['remarks']}.")


def _token(state: State, settings: Settings, findings: Findings) -> None:
    if read_text(state.token):
        findings.add("enrolment", OK, "This machine has its token.")
    elif settings.enrolment_key():
        findings.add("enrolment", WARNING, "Not enrolled yet; there is an enrolment key.")
    else:
        findings.add("enrolment", FAULT, "Neither a token nor an enrolment key: set key or key_file.")


def _server(settings: Settings, findings: Findings) -> None:
    if not settings.url:
        findings.add("server", FAULT, "No server: set url.")
        return
    if settings.url.startswith("http://") and not _is_loopback(settings.url):
        findings.add("server", WARNING, f"{settings.url} is not encrypted: anyone on the way can read the token.")
    try:
        server = Server(settings.url, settings.ca_file, settings.timeout_s)
        begin = time.time()
        answer = server.ask("GET", "/healthz", "")
        end = time.time()
        server.close()
    except NetworkError as error:
        findings.add("server", FAULT, f"The server is not reached: {error}.")
        return
    verdict = OK if answer.status == 200 else FAULT
    findings.add(
        "server", verdict, f"{settings.url} answers with status {answer.status} in {(end - begin) * 1000:.0f} ms."
    )
    _offset(answer.date, (begin + end) / 2, findings)


def _offset(date: str | None, now: float, findings: Findings) -> None:
    if date is None:
        findings.add("clock", WARNING, "The server sends no Date: this clock cannot be compared.")
        return
    try:
        # A Date is cut to whole seconds: half a second is the middle of what it may mean.
        offset = now - (parsedate_to_datetime(date).timestamp() + 0.5)
    except (TypeError, ValueError):
        findings.add("clock", WARNING, f"The server's Date cannot be read: {date!r}.")
        return
    size = abs(offset)
    verdict = FAULT if size > OFFSET_FAULT_S else WARNING if size > OFFSET_WARNING_S else OK
    word = "ahead of" if offset > 0 else "behind"
    findings.add(
        "clock",
        verdict,
        f"This clock is {size:.1f} s {word} the server's, give or take half a second.",
        offset_s=round(offset, 1),
    )


def _is_loopback(url: str) -> bool:
    host = url.partition("://")[2].partition("/")[0]
    return host.startswith(("127.", "localhost", "[::1]"))
