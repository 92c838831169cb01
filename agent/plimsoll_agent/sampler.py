"""The fine eye: reads the counters on time, for weeks, and writes down each finished second.

It is a process of its own and imports neither ssl, http, json nor psutil: what it does not load cannot hold it up,
and a network that hangs never moves a sample.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` brings `enum`: 0.9 MB for nothing
import gc
import os
import time

from . import journal
from .burden import Burden
from .cadence import NS_PER_S, Cadence
from .child import Child
from .clock import FUTURE_S, Clock
from .hypervisor.keeper import Keeper
from .kernel import machine
from .lookout import Lookout
from .orders import Orders
from .settings import Settings
from .state import SAMPLER, State, StateError, make_run, notes, pairs_to_bytes, write_atomically
from .watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .canary.reads import Canary
    from .ebpf.table import Table

NS_PER_MS = 1_000_000
# Where nothing was measured before it, a second may begin this long after its boundary.
LATE_BEGIN_NS = 100 * NS_PER_MS
# A newcomer sees a judged disk soon: the first frame ends at the next multiple of this.
FIRST_CUT_S = 10
# How long the first second waits for the server to say what to judge by.
PATIENCE_NS = 5 * NS_PER_S
# How often the list of devices is looked at, besides each minute.
LOOK_S = 10
# Minute frames leave at a moment of each agent's own within so many seconds: no thousand uploads at once.
SPREAD_S = 4
# On SIGTERM: one upload, and gone within five seconds in all.
LAST_UPLOAD_NS = 3_500 * NS_PER_MS
# Of these, what a hypervisor's other process may take to end its frames.
LAST_LOOK_NS = 1_000 * NS_PER_MS


class Sampler:
    """One run of the fine loop. It counts samples, late ones (by more than a period) and seconds it lost."""

    def __init__(
        self, settings: Settings, state: State, environ: dict[str, str], scheduling: str, table: Table | None = None
    ) -> None:
        """`environ` is for the children, `scheduling` the word of punctual.py, for the doctor.

        `table`: where the kernel counts latencies one by one, if it does.
        """
        self.settings = settings
        self.scheduling = scheduling
        self.table = table
        self.state = state
        self.lookout = Lookout(settings)
        self.orders = Orders(state.policy)
        self.child = Child(state, environ)
        self.keeper = Keeper(state, environ) if settings.qmp or settings.libvirt else None
        self.canary = _canary(settings.canary_s)
        self.cadence = Cadence(settings.cadence_ms)
        self.burden = Burden()
        self.spread_ns = os.urandom(1)[0] % SPREAD_S * NS_PER_S
        self.high = 0  # the end of the last second written down: nothing before it is measured again
        self.second = 0  # the unix second being measured; 0 before the first
        self._clock = Clock()
        self.first_cut = True
        self.stopping = False
        self.samples = 0
        self.late = 0
        self.lost_s = 0
        self.dropped = 0
        self.told: list[str] = []

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        _signal.signal(_signal.SIGTERM, self._stop)
        _signal.signal(_signal.SIGINT, self._stop)
        recovered = journal.cut_left_behind(self.state.run)
        self._remember()
        self._follow_orders()
        self._look()
        self.child.want(time.monotonic_ns())
        self.child.tend(time.monotonic_ns())
        if not self.orders.known:
            self._await_orders()
        devices = ", ".join(watch.device for watch in self.lookout.watches)
        self._say(f"watching {devices or 'no disk'}" + (f"; recovered {recovered} frames" if recovered else ""))
        # What stands now stays: the collector need not look at it again, and the loop makes no cycles of its own.
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            self._loop()
        finally:
            self._finish()

    def _loop(self) -> None:
        """Sample at every multiple of the cadence within the wall clock's second.

        The next moment is computed from both clocks as they are, so that neither rounding nor a clock step adds up;
        a sample that comes late skips the moments it has missed, and counts with its own true time.
        """
        wall_ns, mono_ns, sleep, take = time.time_ns, time.monotonic_ns, time.sleep, self.lookout.readings.take
        wall, now = wall_ns(), mono_ns()
        self._clock.jumped(wall, now)
        boundary = (wall // NS_PER_S + 1) * NS_PER_S
        deadline = now + boundary - wall
        cadence = self.cadence.ms * NS_PER_MS
        while not self.stopping:
            now = mono_ns()
            if now < deadline:
                sleep((deadline - now) / 1e9)
            wall, now = wall_ns(), mono_ns()
            if now - deadline > cadence:
                self.late += 1
            self.samples += 1
            take(now)
            if wall >= boundary or wall < boundary - 3 * NS_PER_S:
                self._turn(wall, now)
                boundary = (wall // NS_PER_S + 1) * NS_PER_S
                cadence = self.cadence.ms * NS_PER_MS
            deadline = now + cadence - wall % cadence

    def _turn(self, wall: int, now: int) -> None:
        """The last sample was the first of a new second: finish the one before, cut what is due, begin the next."""
        if self.table is not None:
            self.table.mark()  # at once: what ends between the counters' reading and this one is told a second later
        self.lookout.readings.settle()
        second = wall // NS_PER_S
        stepped = self._clock.jumped(wall, now)
        if stepped and second + FUTURE_S < self.high:
            self.high = 0
        whole = not stepped and second == self.second + 1
        if self.second and not whole:
            self.lost_s += 1 if stepped else second - self.second
        finer = False
        for watch in self.lookout.watches:
            if not self._end_second(watch, whole):
                self._cut(watch, now)
                watch.restart()
            finer = finer or watch.finer
        self._cut_due(second, now)
        if second % LOOK_S == 0 and (second % 60 == 0 or self.lookout.changed() or self._unread()):
            self._look()
        self._follow_orders()
        punctual = whole or wall - second * NS_PER_S <= max(LATE_BEGIN_NS, self.cadence.ms * NS_PER_MS)
        if punctual and second >= self.high:
            self._begin_second(second, now)
        else:
            for watch in self.lookout.watches:
                self._cut(watch, now)
                watch.begin = None
        self.second = second
        self.cadence.turn(finer, time.process_time_ns())
        self._tend(now)
        if second % 60 == 0:
            self._keep_house(now)

    def _tend(self, now: int) -> None:
        """Look after the processes beside this one; none is waited for."""
        self.child.tend(now)
        if self.keeper is not None:
            self.keeper.tend(now)
        if self.canary is not None:
            for word in self.canary.tend(now, self.lookout.watches):
                self._say(word)

    def _end_second(self, watch: Watch, whole: bool) -> bool:
        """Write the second down. False: it is unknown."""
        if watch.begin is None or watch.journal is None or not whole:
            return False
        row = watch.end_second()
        if row is None:
            return False
        try:
            watch.journal.append(row)
        except OSError as error:
            self._say(f"a second of {watch.device} is lost: {error}")
            return False
        self.high = self.second + 1
        return True

    def _begin_second(self, second: int, now: int) -> None:
        looked = None
        for watch in self.lookout.watches:
            if not watch.counters:
                continue
            watch.begin_second()
            if watch.journal is None:
                looked = looked or machine.read(now // 1000, self.settings.proc)
                try:
                    watch.open_journal(self.state.run, second, self.settings.vantage, looked)
                except OSError as error:
                    self._say(f"no room for the seconds of {watch.device}: {error}")
                    self._make_run()

    def _cut_due(self, second: int, now: int) -> None:
        """End the frames that are due at this second, and have them sent."""
        first = self.first_cut and second % FIRST_CUT_S == 0
        flush = second % 60 == 0 or second % self.orders.policy.flush_s == 0
        urgent = second % self.orders.policy.urgent_s == 0
        cut = False
        for watch in self.lookout.watches:
            if first or flush or (urgent and watch.meter.urgent):
                cut = self._cut(watch, now + (self.spread_ns if flush and not first else 0)) or cut
        if flush and self.settings.has_guests:
            # Other processes cut now, too; and an upload without frames still asks whose disks are here.
            self.child.want(now + self.spread_ns + NS_PER_S)
        self.first_cut = self.first_cut and not cut

    def _cut(self, watch: Watch, send_ns: int) -> bool:
        if watch.journal is None:
            return False
        try:
            left = watch.cut_journal(machine.read(time.monotonic_ns() // 1000, self.settings.proc))
        except OSError as error:
            self._say(f"a frame of {watch.device} is lost: {error}")
            return False
        if left:
            self.child.want(send_ns)
        return left

    def _unread(self) -> bool:
        return any(not watch.counters for watch in self.lookout.watches)

    def _look(self) -> None:
        now = time.monotonic_ns()
        new, gone = self.lookout.look(self.orders.policy)
        for watch in gone:
            self._cut(watch, now)
        self.lookout.close(gone)
        if self.table is not None:
            eyes = self.table.follow(watch.disk.number for watch in self.lookout.watches)
            for watch in self.lookout.watches:
                watch.eye = eyes.get(watch.disk.number or "")
        for word in self.lookout.volumes.words:
            if word not in self.told:
                self._say(word)
        self.told = self.lookout.volumes.words
        if new or gone:
            # The server must hear of another set of disks before it takes their frames.
            self.child.want(now, look=True)

    def _follow_orders(self) -> None:
        """Take a new policy; a frame is judged by one set of terms, so it is cut where they change."""
        if not self.orders.renewed():
            return
        policy = self.orders.policy
        self.cadence.follow(policy.base_ms, policy.finest_ms, policy.budget_ppm)
        for watch in self.lookout.watches:
            terms = self.lookout.terms_of(watch, policy)
            if terms != watch.terms:
                self._cut(watch, time.monotonic_ns())
                watch.judge_by(terms)
                watch.restart()
        if self.settings.disk_map:
            self._look()  # other guests may be here now

    def _await_orders(self) -> None:
        """A new agent: better a second late than a first frame without terms. Without a server it measures anyway."""
        end = time.monotonic_ns() + PATIENCE_NS
        while not self.stopping and not self.orders.known and time.monotonic_ns() < end:
            time.sleep(0.05)
            self.child.leave(time.monotonic_ns())
            if self.child.retry_ns:
                return
            self._follow_orders()

    def _remember(self) -> None:
        """Seconds that a predecessor wrote down stay as they are, even if the clock has gone back a little since."""
        high = notes(self.state, SAMPLER).get("high", "0")
        if high.isdigit() and int(high) <= time.time() + FUTURE_S:
            self.high = int(high)

    def _keep_house(self, now: int) -> None:
        self.dropped += journal.bound(self.state.run)
        gc.collect()
        self.burden.look(now)
        self.cadence.hold_back(self.burden.over(self.settings.memory_bytes))
        self._write_status()

    def _make_run(self) -> None:
        try:
            make_run(self.state)
        except StateError as error:
            self._say(str(error))

    def _write_status(self, *, stopped: bool = False) -> None:
        """How it goes, for the doctor and for a successor; what the agent takes is that of all its processes."""
        beside = self.keeper.notes() if self.keeper is not None else {}
        burden = {name: int(str(value)) + int(beside.get(name, 0)) for name, value in self.burden.pairs().items()}
        canary = self.canary
        troubles = (*self.told, *(canary.troubles() if canary is not None else ()), beside.get("trouble", ""))
        status: dict[str, object] = {
            "pid": os.getpid(),
            "at": int(time.time()),
            "high": self.high,
            "samples": self.samples,
            "late": self.late,
            "lost_s": self.lost_s,
            "dropped": self.dropped,
            "cadence_ms": self.cadence.ms,
            "cpu_ms": time.process_time_ns() // NS_PER_MS,
            "devices": ",".join(watch.device for watch in self.lookout.watches),
            "scheduling": self.scheduling,
            "exact": ",".join(watch.device for watch in self.lookout.watches if watch.eye is not None),
            "stopped": int(stopped),
            "trouble": "; ".join(word for word in troubles if word),
            **({"canary_reads": canary.sent} if canary is not None else {}),
            **burden,
        }
        try:
            write_atomically(f"{self.state.run}/{SAMPLER}", pairs_to_bytes(status))
        except OSError as error:
            self._say(f"the status is not written: {error}")

    def _finish(self) -> None:
        """Cut, one last upload, gone. A child at work is ended: what it had not sent is in the spool."""
        now = time.monotonic_ns()
        end = now + LAST_UPLOAD_NS
        for watch in self.lookout.watches:
            self._cut(watch, now)
        self._write_status(stopped=True)
        self.child.end()
        if self.canary is not None:
            self.canary.end()
        if self.keeper is not None:
            self.keeper.close()
            while self.keeper.running and time.monotonic_ns() < now + LAST_LOOK_NS:
                time.sleep(0.02)
                self.keeper.tend(time.monotonic_ns())
        self._await_child(end)
        self.child.start(now, "last")
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


def _canary(every_s: int) -> Canary | None:
    if not every_s:
        return None
    from .canary.reads import Canary  # where it is off, nothing of it is loaded

    return Canary(every_s)
