"""Kill one process after another of a running house under load, and hold its books against the kernel's counters."""

import math
import os
import random
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from tests.soak import children, twin
from tests.soak.audit import PUNCTUAL_S, Absence, Account, audit
from tests.soak.books import Book
from tests.soak.house import RECOVERED_WITHIN_S, House, NotInTime, wait_for
from tests.soak.members import descendants_of
from tests.soak.witness import Record, Witness

# What must answer again before a kill counts as survived.
PART = {"postgres": "database", "redis": "broker"}
UPLINK_WITHIN_S = 20.0
LATEST_IN_UPLINK_S = 0.15  # an upload takes about as long
TRIES = 8
# Every boundary still lay between two readings of the kernel's counters; equality to the last I/O needs a still disk.
NEVER_QUIET = "after the load it never said what the kernel said, or nothing was quiet: what else uses it?"
# After the load: so many seconds must begin quietly, because of one the sample may be late.
QUIET_SECONDS, QUIET_WITHIN_S = 2, 60.0
LEAST_IOS = 1000  # fewer are no load
# The policy's cadence and what a busy machine may add: half of a sample's interval, averaged over a second.
KEPT_MS, SHARE_KEPT = 150, 0.95


@dataclass(frozen=True, slots=True)
class Strike:
    """What was done to whom, when, and how long until all was well again."""

    what: str
    at: float
    recovered_s: float


@dataclass(frozen=True, slots=True)
class Trial:
    """A span in which the server did not answer: the fine loop must not have noticed."""

    what: str
    start: float
    end: float


@dataclass
class Outcome:
    """Everything that was measured."""

    strikes: list[Strike] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    cadence: dict[str, dict[str, float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def as_plain(self) -> dict[str, object]:
        """For JSON: recoveries by what was struck, figures by disk."""
        recoveries: dict[str, list[float]] = {}
        for strike in self.strikes:
            recoveries.setdefault(strike.what, []).append(round(strike.recovered_s, 2))
        return {
            "recovered_s": recoveries,
            "disks": [asdict(account) for account in self.accounts],
            "cadence": self.cadence,
            "faults": self.faults,
        }


class Soak:
    """A running house under load, and a witness that sees what the kernel counts."""

    def __init__(
        self, house: House, witness: Witness, load: subprocess.Popen[bytes], say: Callable[[str], None]
    ) -> None:
        self.house, self.witness, self.load, self.say = house, witness, load, say
        self.members = house.members
        self.choose = random.Random()
        self.outcome = Outcome()
        self.absences: list[Absence] = []
        self.trials: list[Trial] = []

    def strike(self, name: str) -> None:
        """kill -9 of a member's process, and wait until the line works again."""
        at = time.time()
        old = self.members.kill(name)
        if name == "agent":
            self.await_agent(at, old)
        else:
            self.note(name, at, wait_for(lambda: self._is_well(name, old), RECOVERED_WITHIN_S, f"{name} back"))

    def await_agent(self, at: float, old: int) -> None:
        """Until a successor measures: what was not seen between these two moments is a gap by right."""

        def measures() -> bool:
            return self.house.other_than("agent", old) and self.house.measuring_since(at) is not None

        wait_for(measures, RECOVERED_WITHIN_S, "agent back")
        since = self.house.measuring_since(at) or time.time()
        self.absences.append(Absence(at, since))
        self.note("agent", at, since - at)

    def _is_well(self, name: str, old: int) -> bool:
        if not self.house.other_than(name, old):
            return False
        if name == "web":
            return self.house.is_healthy()
        return (name not in PART or self.house.part_is_ok(PART[name])) and self.house.settles()

    def strike_part(self, name: str) -> None:
        """kill -9 of one process that a member has started: a web worker, a pool process, a database backend."""
        main = self.members.pid(name)
        parts = descendants_of(main) if main else []
        if not parts:
            return
        at = time.time()
        with suppress(ProcessLookupError):  # backends come and go
            os.kill(self.choose.choice(parts), signal.SIGKILL)
        well = self.house.is_healthy if name == "web" else self.house.settles
        self.note(f"part of {name}", at, wait_for(well, RECOVERED_WITHIN_S, f"{name} whole again"))

    def strike_in_upload(self, name: str) -> None:
        """kill -9 of a member at some moment of an upload."""
        at, old, _ = self.provoke_upload()
        time.sleep(self.choose.uniform(0, LATEST_IN_UPLINK_S))
        self.strike(name)
        self.await_agent(at, old)

    def strike_uplink(self) -> None:
        """kill -9 of the agent's child at some moment of its upload; a successor must bring the frames."""
        for _ in range(TRIES):
            at, old, uplink = self.provoke_upload()
            time.sleep(self.choose.uniform(0, LATEST_IN_UPLINK_S))
            if hit := self.members.uplink() == uplink:
                os.kill(uplink, signal.SIGKILL)
            killed = time.time()
            self.await_agent(at, old)
            if hit:
                wait_for(self.house.is_delivered, RECOVERED_WITHIN_S, "all frames delivered")
                self.note("uplink", killed, time.time() - killed)
                return
        self.outcome.faults.append(f"{TRIES} uploads were over before one could be killed")

    def provoke_upload(self) -> tuple[float, int, int]:
        """Kill the sampler: its successor at once hands in what it left behind. When, whom, and the uplink child."""
        at = time.time()
        old = self.members.kill("agent")
        found: list[int | None] = []

        def uploads() -> int | None:
            found.append(self.members.uplink() if self.house.other_than("agent", old) else None)
            return found[-1]

        wait_for(uploads, UPLINK_WITHIN_S, "an upload", look_s=0.002)
        return at, old, found[-1] or 0

    def note(self, what: str, at: float, recovered_s: float) -> None:
        self.outcome.strikes.append(Strike(what, at, recovered_s))
        self.say(f"kill -9 of {what}: well again after {recovered_s:.1f} s")

    def away(self, seconds: float) -> None:
        """No server at all: the frames of at least one full minute must wait in the agent's spool."""
        at, most = time.time(), 0
        self.house.hold_keeper("web")
        self.members.signal_all("web", signal.SIGKILL)
        while time.time() < at + seconds:
            most = max(most, self.house.spooled())
            time.sleep(0.2)
        self.house.release_keeper("web")
        self.trials.append(Trial("server away", at, at + seconds))
        if not most:
            self.outcome.faults.append(f"the server was away for {seconds:g} s, and nothing waited in the spool")
        back = wait_for(lambda: self.house.is_healthy() and self.house.is_delivered(), 120, "the spool delivered")
        self.note(f"web for {seconds:g} s", at, back)

    def hang(self, seconds: float) -> None:
        """A server that takes connections and says nothing, while a minute's frames are due."""
        time.sleep(max(0.0, 50 - time.time() % 60) if time.time() % 60 < 55 else 110 - time.time() % 60)
        at = time.time()
        self.members.signal_all("web", signal.SIGSTOP)
        time.sleep(seconds)
        self.members.signal_all("web", signal.SIGCONT)
        self.trials.append(Trial("server hangs", at, at + seconds))
        back = wait_for(lambda: self.house.is_healthy() and self.house.is_delivered(), 120, "the spool delivered")
        self.outcome.strikes.append(Strike(f"web hanging for {seconds:g} s", at, back))
        self.say(f"web hung for {seconds:g} s: everything delivered {back:.1f} s later")

    def close(self) -> Outcome:
        """End the load, let the last seconds arrive, and draw up the account."""
        self.end_load()
        end = time.time()
        wait_for(lambda: self.house.is_delivered() and self._settled(), 120, "everything delivered and scored")
        quiet = self._await_quiet()
        self._end_agent(quiet)
        wait_for(self._settled, 60, "everything scored")
        books = self.house.books.read()
        self._account(books, end)
        self.house.rescore(books[0].stretches[0].start, math.ceil(time.time()))
        if self.house.books.read() != books:
            self.outcome.faults.append("scoring once more has changed the books")
        self.outcome.faults += [f"the server has refused a frame: {reason}" for reason in self.house.refused()]
        return self.outcome

    def end_load(self) -> None:
        """And let what it has left to write go out now, not in half a minute."""
        self.load.terminate()
        self.load.wait()
        os.sync()

    def _settled(self) -> bool:
        try:
            return self.house.books.is_settled()
        except psycopg.Error:
            return False

    def _records(self) -> dict[str, Record]:
        return {device: self.witness.records.get(device, Record()) for device in self.house.books.devices()}

    def _await_quiet(self) -> dict[str, int]:
        """For each disk the last of some seconds that begin while the kernel counts nothing, as far as there were any.

        The beat rests meanwhile: it has the house write.
        """
        begin = time.time()
        found: dict[str, list[int]] = {}
        records = self._records()
        self.members.signal_all("beat", signal.SIGSTOP)
        try:
            while time.time() - begin < QUIET_WITHIN_S:
                time.sleep(0.5)
                seconds = range(math.ceil(begin), int(time.time()) - 1)
                found = {device: quiet_seconds(record, seconds) for device, record in records.items()}
                if min(map(len, found.values())) >= QUIET_SECONDS:
                    break
        finally:
            self.members.signal_all("beat", signal.SIGCONT)
        return {device: seconds[-1] if seconds else int(begin) for device, seconds in found.items()}

    def _end_agent(self, quiet: dict[str, int]) -> None:
        """As with Ctrl-C: it cuts what it has and sends it. Tried again where a busy machine was too slow for that."""
        for _ in range(3):
            self.house.hold_keeper("agent")
            at = time.time()
            self.members.signal_all("agent", signal.SIGTERM)
            wait_for(lambda: self.members.pid("agent") is None, 15, "the agent stopped")
            if self.house.books.frames_until() > max(quiet.values()) and self.house.is_delivered():
                return
            self.house.release_keeper("agent")
            self.await_agent(at, 0)
            wait_for(self.house.is_delivered, RECOVERED_WITHIN_S, "all frames delivered")
        raise NotInTime("the agent never delivered its last frame")

    def _account(self, books: list[Book], end: float) -> None:
        records = self._records()
        for book in books:
            account = audit(book, records[book.device], self.absences)
            self.outcome.accounts.append(account)
            if (account.last_equal or 0) < end:
                account.fault(NEVER_QUIET)
            self.outcome.faults += account.faults
        if sum(account.kernel for account in self.outcome.accounts) < LEAST_IOS:
            self.outcome.faults.append("there was no load")
        for trial in self.trials:
            self._cadence(trial, books)

    def _cadence(self, trial: Trial, books: list[Book]) -> None:
        """How finely did the agent look while the server did not answer?"""
        seconds = range(math.ceil(trial.start), int(trial.end))
        for book in books:
            used = {one.start + place: ms for one in book.stretches for place, ms in enumerate(one.fine_ms)}
            fine = [ms for second in seconds if (ms := used.get(second)) is not None]
            kept = sum(ms <= KEPT_MS for ms in fine) / len(seconds)
            name = f"{book.device}, {trial.what}"
            self.outcome.cadence[name] = {
                "seconds": len(seconds),
                "median_ms": statistics.median(fine) if fine else math.nan,
                "worst_ms": max(fine, default=0),
                "kept_ratio": round(kept, 4),
            }
            if kept < SHARE_KEPT:
                self.outcome.faults.append(f"{name}: only {kept:.1%} of the seconds were sampled every {KEPT_MS} ms")


def quiet_seconds(record: Record, seconds: range) -> list[int]:
    """Those that begin while nothing is counted."""
    return [s for s in seconds if (low := record.at_least(s)) is not None and low == record.at_most(s + PUNCTUAL_S)]


@contextmanager
def soaking(say: Callable[[str], None]) -> Iterator[Soak]:
    """A twin, set up, started and under load; nothing is left of it. Raises CannotSoak, NotInTime."""
    top, lock = twin.make()
    house, witness = House(top), Witness()
    load: subprocess.Popen[bytes] | None = None
    try:
        load = start_load(top)
        say(f"first minute judged after {house.start():.1f} s")
        yield Soak(house, witness, load, say)
    except NotInTime as error:
        raise NotInTime(f"{error}\n{house.last_lines()}") from error
    finally:
        if load is not None:
            load.kill()
            load.wait()
        house.stop()
        witness.stop()
        twin.remove(top)
        lock.release()


def start_load(top: Path) -> subprocess.Popen[bytes]:
    """Its file lies in the twin: on the disk of the database and the spool."""
    return children.start("tests.soak.load", top / "var/load", stdout=subprocess.DEVNULL)
