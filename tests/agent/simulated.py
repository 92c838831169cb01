"""A machine whose clocks and disk the test holds in its hand: the real sampler runs on it, an hour in a second."""

from pathlib import Path

import pytest

from plimsoll_agent import cadence, frames, journal, readings, sampler, state
from plimsoll_agent.core.terms import Term
from plimsoll_agent.policy import Policy, to_plain
from plimsoll_agent.settings import Settings

NS = 1_000_000_000
TERM = Term(7, 15_000, 15_000, 1000, 13, 100_000, 262_144)
START = 1_766_300_000  # 20 s into a minute


class Clock:
    """Stands in for the `time` module of the sampler and its readings."""

    def __init__(self, unix: float = START + 0.4) -> None:
        self.mono = 5_000 * NS
        self.offset = round(unix * NS) - self.mono
        self.events: list[tuple[int, object]] = []
        self.cpu = 0

    def monotonic_ns(self) -> int:
        return self.mono

    def time_ns(self) -> int:
        return self.mono + self.offset

    def time(self) -> float:
        return self.time_ns() / 1e9

    def process_time_ns(self) -> int:
        return self.cpu

    def at(self, seconds: float, event: object) -> None:
        """Call `event()` when so many seconds of monotonic time have passed since the clock was made."""
        self.events.append((5_000 * NS + round(seconds * NS), event))
        self.events.sort(key=lambda item: item[0])

    def sleep(self, seconds: float) -> None:
        end = self.mono + round(seconds * NS)
        while self.events and self.events[0][0] <= end:
            moment, event = self.events.pop(0)
            self.mono = max(self.mono, moment)
            event()
        self.mono = max(self.mono, end)

    def step(self, seconds: float) -> None:
        """The wall clock jumps."""
        self.offset += round(seconds * NS)


class Disk:
    """A stat file under a made-up sysfs; `add` counts finished reads and writes."""

    def __init__(self, sys: Path, name: str = "vda", serial: str = "s-1") -> None:
        self.folder = sys / "block" / name
        (self.folder / "mq").mkdir(parents=True)
        for attribute, text in (("dev", "254:0"), ("size", "1000"), ("serial", serial), ("diskseq", "1")):
            (self.folder / attribute).write_text(text + "\n")
        self.values = [1000, 5, 8000, 600, 2000, 7, 16000, 900, 0, 1500, 1500, 0, 0, 0, 0, 11, 4]
        self.write()

    def write(self) -> None:
        (self.folder / "stat").write_text(" ".join(f"{value:8}" for value in self.values) + "\n")

    def add(self, reads: int = 0, read_ms: int = 0, writes: int = 0, write_ms: int = 0, in_flight: int = 0) -> None:
        for index, value in ((0, reads), (2, 8 * reads), (3, read_ms), (4, writes), (6, 8 * writes), (7, write_ms)):
            self.values[index] += value
        self.values[8] = in_flight
        self.values[3] %= 1 << 32
        self.write()


class NoChild:
    """Counts what the sampler wants sent."""

    def __init__(self, *args: object) -> None:
        self.wanted: list[int] = []
        self.retry_ns = 0
        self.running = False

    def want(self, at_ns: int, *, look: bool = False) -> None:
        self.wanted.append(at_ns)

    def tend(self, now_ns: int) -> None:
        pass

    leave = tend

    def start(self, now_ns: int, task: str) -> None:
        pass

    def end(self) -> None:
        pass


class Machine:
    """A sampler on a simulated machine; `run` lasts so many seconds from the clock's making."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, terms: tuple[Term, ...] = (TERM,)) -> None:
        self.clock = Clock()
        for module in (sampler, readings):
            monkeypatch.setattr(module, "time", self.clock)
        monkeypatch.setattr(sampler, "Child", NoChild)
        monkeypatch.setattr(sampler.gc, "freeze", lambda: None)
        monkeypatch.setattr(sampler.gc, "disable", lambda: None)
        self.path = tmp_path
        proc = tmp_path / "proc"
        (proc / "sys/kernel").mkdir(parents=True)
        (proc / "sys/kernel/osrelease").write_text("6.18.0\n")
        (proc / "diskstats").write_text(" 254       0 vda 0 0\n" * 20)
        self.disk = Disk(tmp_path / "sys")
        self.settings = Settings(
            {
                "state_dir": str(tmp_path / "state"),
                "run_dir": str(tmp_path / "run"),
                "proc": str(proc),
                "sys": str(tmp_path / "sys"),
                "memory_mb": "100000",  # the process is the tests'
            }
        )
        self.state = state.open_state(self.settings)
        self.order(terms)
        self.sampler: sampler.Sampler | None = None

    def order(self, terms: tuple[Term, ...], finest_ms: int = 100) -> None:
        policy = Policy([("vda", "s-1", terms)] if terms else [], finest_ms=finest_ms)
        state.write_atomically(self.state.policy, to_plain(policy))

    def every(self, seconds: float, event: object, until: float) -> None:
        """Repeat `event` in simulated time."""
        count = int(until / seconds)
        for number in range(count):
            self.clock.at(number * seconds + seconds / 2, event)

    def run(self, seconds: float) -> sampler.Sampler:
        self.sampler = one = sampler.Sampler(self.settings, self.state, {}, "ordinary")

        def stop() -> None:
            one.stopping = True

        self.clock.at(seconds, stop)
        one.run()
        return one

    def frames(self) -> list[dict]:
        made = [frames.frame_of(journal.read(path)) for path in journal.waiting(self.state.run)]
        return sorted((frame for frame in made if frame), key=lambda frame: frame["start"])


assert cadence.NS_PER_S == NS
