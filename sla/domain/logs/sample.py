"""What does one row of a log say? Rates and means turned back into the counts and sums they came from."""

from dataclasses import dataclass


class LogError(ValueError):
    """The text is no log that is known; the message says what was seen and what would do."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One device over one interval. Counts of completed I/Os, summed latencies in ms, bytes, mean in flight.

    `split`: reads and writes were told apart (else all stand as reads); `aqu_sz` None: not said. `first`: the first
    report of its log, which iostat makes the average since boot unless it was started with -y.
    """

    device: str
    time: str | None
    seconds: float
    reads: int
    writes: int
    read_ms: int
    write_ms: int
    size_bytes: int
    aqu_sz: float | None
    split: bool = True
    first: bool = False

    @property
    def ios(self) -> int:
        """Completed reads + writes."""
        return self.reads + self.writes

    @property
    def waiting(self) -> float:
        """Mean in flight: as said, else by Little's law from the summed latencies."""
        if self.aqu_sz is not None:
            return self.aqu_sz
        return (self.read_ms + self.write_ms) / (1000 * self.seconds)


def from_rates(
    *,
    device: str,
    time: str | None,
    seconds: float,
    reads_s: float,
    writes_s: float,
    read_await: float,
    write_await: float,
    bytes_s: float,
    aqu_sz: float | None,
    split: bool = True,
    first: bool = False,
) -> Sample:
    """A sample from per-second rates and mean latencies in ms."""
    reads, writes = round(reads_s * seconds), round(writes_s * seconds)
    return Sample(
        device,
        time,
        seconds,
        reads,
        writes,
        round(reads * read_await),
        round(writes * write_await),
        round(bytes_s * seconds),
        aqu_sz,
        split,
        first,
    )
