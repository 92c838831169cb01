"""The process that stays where another agent measures: fetches its counters every few seconds, on the clock's grid."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # as in sampler.py
import os
import time

from .. import spool
from ..burden import Burden
from ..child import Child
from ..clock import FUTURE_S, NS_PER_S, Clock
from ..core.layout import LayoutError
from ..orders import Orders
from ..settings import Settings
from ..state import SAMPLER, State, notes, pairs_to_bytes, write_atomically
from . import machine
from .column import MINUTE_S, Column
from .node_exporter import ExporterError, Page, read
from .scrape import ScrapeError, Target

NS_PER_MS = 1_000_000
# A page is of its boundary if it was there within this part of a step after it: what a step holds is true to 5 %.
LATE_PART = 20
FIRST_CUT_S = 10
SPREAD_S = 4
LAST_UPLOAD_NS = 3_500 * NS_PER_MS


class Importer:
    """One run. It counts pages, late or failed ones, and seconds that are unknown for it."""

    def __init__(self, settings: Settings, state: State, environ: dict[str, str]) -> None:
        """Raises ScrapeError for an address that cannot be."""
        self.settings = settings
        self.state = state
        self.step_s = settings.scrape_s
        self.target = Target(settings.from_node_exporter, settings.ca_file, self.step_s * 0.8)
        self.orders = Orders(state.policy)
        self.child = Child(state, environ)
        self.burden = Burden()
        self.columns: dict[str, Column] = {}
        self.high = 0  # the end of the last step that was written down
        self.last = 0  # the boundary whose page was taken last; 0 before the first and after a gap
        self._clock = Clock()
        body = machine.kept(state) or {}
        self.booted_at: int | None = (body.get("facts") or {}).get("booted_at")
        self.trouble = ""
        self.cut_once = False
        self.stopping = False
        self.samples = 0
        self.late = 0
        self.lost_s = 0
        self.dropped = 0
        self.spread_ns = os.urandom(1)[0] % SPREAD_S * NS_PER_S

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        _signal.signal(_signal.SIGTERM, self._stop)
        _signal.signal(_signal.SIGINT, self._stop)
        high = notes(self.state, SAMPLER).get("high", "0")
        if high.isdigit() and int(high) <= time.time() + FUTURE_S:
            self.high = int(high)
        if machine.kept(self.state) is not None:  # else there is nobody to enrol before the first page
            self.child.want(time.monotonic_ns())
        due = self._next(int(time.time()))
        while not self.stopping:
            self.child.tend(time.monotonic_ns())
            left = due - time.time()
            if left > self.step_s + 1:  # the clock went back
                due = self._next(int(time.time()))
            elif left > 0:
                time.sleep(min(left, 1.0))
            else:
                self.turn(due)
                due = self._next(int(time.time()))
        self._finish()

    def turn(self, due: int) -> None:
        """One boundary: fetch, and write down what is known of the step that it ends."""
        page = self._fetch()
        wall, mono = time.time_ns(), time.monotonic_ns()
        jumped = self._clock.jumped(wall, mono)
        if jumped and due + FUTURE_S < self.high:
            self.high = 0  # what was sent under a clock so far ahead was not kept
        self.samples += 1
        late = not 0 <= wall - due * NS_PER_S <= self.step_s * NS_PER_S // LATE_PART
        self.late += late and page is not None
        if page is None or late or jumped:
            self._gap(due)
        if page is not None and not late:
            self._take(due, page)
        if due % MINUTE_S == 0:
            self.burden.look(mono)
            self._write_status()

    def _fetch(self) -> Page | None:
        try:
            page = read(self.target.fetch())
            if not machine.disks_of(page, self.settings.devices):
                raise ExporterError(f"it shows none of the disks wanted, but {', '.join(sorted(page.disks))}")
        except (ScrapeError, ExporterError) as error:
            text = str(error) if isinstance(error, ScrapeError) else f"{self.target.shown}: {error}"
            if text != self.trouble:
                self._say(f"{text}; tried again every {self.step_s} s")
            self.trouble = text
            return None
        if self.trouble:
            self._say(f"{self.target.shown} answers again")
            self.trouble = ""
        return page

    def _take(self, due: int, page: Page) -> None:
        follows = self.last == due - self.step_s and due - self.step_s >= self.high
        if self.last and not follows:
            self.lost_s += max(0, due - self.last)
        booted_at = machine.boot_of(page, self.booted_at)
        if booted_at != self.booted_at:  # counters of another boot may by chance be larger
            follows, self.booted_at = False, booted_at
        if not follows:
            self._cut_all()
        self._follow(page)
        known = False
        for device, column in list(self.columns.items()):
            if device not in page.disks:
                self._cut(column)
                del self.columns[device]
            elif column.take(due, self.step_s, page.disks[device], follows):
                known = True
            else:
                self._cut(column)
        self.last = due
        if known:
            self.high = due
        flush = due % MINUTE_S == 0 or due % self._flush_s() == 0
        if flush or (known and not self.cut_once and due % FIRST_CUT_S == 0):
            self._cut_all(self.spread_ns if flush and self.cut_once else 0)
            self.cut_once = self.cut_once or known

    def _follow(self, page: Page) -> None:
        """The disks of this page; the server hears of others than before."""
        devices = machine.disks_of(page, self.settings.devices)
        body = machine.described(page, self.target.shown, devices, self.booted_at)
        if machine.keep(self.state, body):
            self.child.want(time.monotonic_ns(), look=True)
        for disk in body["disks"]:
            device, serial, wwn = disk["device"], disk["serial"], disk["wwn"]
            column = self.columns.get(device)
            if column is None or (column.serial, column.wwn) != (serial, wwn):
                if column is not None:
                    self._cut(column)
                self.columns[device] = Column(device, serial, wwn, machine.rule_of(page, device))

    def _gap(self, due: int) -> None:
        self._cut_all()
        if self.last:
            self.lost_s += due - self.last
        self.last = 0

    def _cut_all(self, wait_ns: int = 0) -> None:
        for column in self.columns.values():
            self._cut(column, wait_ns)

    def _cut(self, column: Column, wait_ns: int = 0) -> None:
        frame = column.cut(self.step_s, self.settings.vantage)
        if frame is None:
            return
        try:
            spool.put(self.state.spool, frame)
        except (OSError, LayoutError) as error:
            self._say(f"a frame of {column.device} is lost: {error}")
            self.dropped += 1
            return
        self.child.want(time.monotonic_ns() + wait_ns)

    def _flush_s(self) -> int:
        self.orders.renewed()
        # No shorter than two steps: an upload for each page would cost more than the page.
        return max(self.orders.policy.flush_s, 2 * self.step_s)

    def _next(self, now: int) -> int:
        return (now // self.step_s + 1) * self.step_s

    def _write_status(self, *, stopped: bool = False) -> None:
        status: dict[str, object] = {
            "pid": os.getpid(),
            "at": int(time.time()),
            "high": self.high,
            "samples": self.samples,
            "late": self.late,
            "lost_s": self.lost_s,
            "dropped": self.dropped,
            "cadence_ms": self.step_s * 1000,
            "cpu_ms": time.process_time_ns() // NS_PER_MS,
            "devices": ",".join(self.columns),
            "scheduling": "ordinary",
            "imported_from": self.target.shown,
            "trouble": self.trouble,
            "stopped": int(stopped),
            **self.burden.pairs(),
        }
        try:
            write_atomically(f"{self.state.run}/{SAMPLER}", pairs_to_bytes(status))
        except OSError as error:
            self._say(f"the status is not written: {error}")

    def _finish(self) -> None:
        """Cut, one last upload, gone."""
        end = time.monotonic_ns() + LAST_UPLOAD_NS
        self._cut_all()
        self.target.close()
        self._write_status(stopped=True)
        self.child.end()
        self._await_child(end)
        self.child.start(time.monotonic_ns(), "last")
        self._await_child(end)
        self.child.end()

    def _await_child(self, end: int) -> None:
        while self.child.running and time.monotonic_ns() < end:
            time.sleep(0.02)
            self.child.leave(time.monotonic_ns())

    def _stop(self, number: int, frame: object) -> None:
        self.stopping = True

    def _say(self, text: str) -> None:
        os.write(2, f"plimsoll-agent: {text}\n".encode())
