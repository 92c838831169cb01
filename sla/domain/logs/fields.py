"""Which figure is which? The columns of iostat and sar since sysstat 9 by their names, never by position (trap 10)."""

from collections.abc import Mapping

from sla.domain.logs.sample import LogError, Sample, from_rates

SECTOR = 512
BYTES = {"rkB/s": 1024, "wkB/s": 1024, "rMB/s": 2**20, "wMB/s": 2**20, "rsec/s": SECTOR, "wsec/s": SECTOR}
BYTES |= {"rd_sec/s": SECTOR, "wr_sec/s": SECTOR, "kB/s": 1024, "MB/s": 2**20, "sec/s": SECTOR}
# sadf drops the "/s" of some names.
BYTES |= {"rkB": 1024, "wkB": 1024, "rd_sec": SECTOR, "wr_sec": SECTOR}
IMPOSSIBLE = 1e12
READS = ("rkB/s", "rMB/s", "rsec/s", "rd_sec/s", "rkB", "rd_sec")
WRITES = ("wkB/s", "wMB/s", "wsec/s", "wr_sec/s", "wkB", "wr_sec")
EITHER = ("kB/s", "MB/s", "sec/s")
HUMAN = {"k": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def number(text: str | float, name: str = "") -> float:
    """'12.5', '12,5' (decimal comma), '3.1%', '1.5k' (iostat -h: bytes whatever `name` says). ValueError."""
    if not isinstance(text, str):
        return _possible(float(text), text)
    bare = text.strip().rstrip("%").replace(",", ".")
    if bare[-1:] in HUMAN:
        return _possible(float(bare[:-1]) * HUMAN[bare[-1]] / BYTES.get(name, 1), text)
    return _possible(float(bare), text)


def _possible(value: float, text: str | float) -> float:
    """A rate, a latency, a size: finite, not negative, and no larger than a disk can be."""
    if not 0 <= value < IMPOSSIBLE:
        raise ValueError(f"{text!r} is no figure of a disk")
    return value


def _rate(figures: Mapping[str, float], *names: str) -> float | None:
    return next((figures[name] for name in names if name in figures), None)


def _bytes(figures: Mapping[str, float], names: tuple[str, ...]) -> float:
    """Bytes a second; some versions print one figure in two units, the first that is there is enough."""
    name = next((name for name in names if name in figures), None)
    return figures[name] * BYTES[name] if name else 0.0


def sample_of(figures: Mapping[str, float], device: str, time: str | None, seconds: float, first: bool) -> Sample:
    """A row's figures by column name as a sample. LogError where a latency or a rate is missing."""
    reads, writes = _rate(figures, "r/s"), _rate(figures, "w/s")
    both = _rate(figures, "await")
    split = reads is not None and writes is not None
    read_await, write_await = (_rate(figures, name) for name in ("r_await", "w_await"))
    if reads is None or writes is None:
        reads, writes = _rate(figures, "tps"), 0.0
    if reads is None:
        raise LogError(f"columns {', '.join(figures)}: neither r/s and w/s nor tps is among them")
    if read_await is None or write_await is None:
        if both is None:
            raise LogError(f"columns {', '.join(figures)}: there is no await; start iostat with -x")
        read_await = write_await = both
        split = False
    size = _bytes(figures, READS) + _bytes(figures, WRITES) or _bytes(figures, EITHER)
    return from_rates(
        device=device,
        time=time,
        seconds=seconds,
        reads_s=reads,
        writes_s=writes,
        read_await=read_await,
        write_await=write_await,
        bytes_s=size,
        aqu_sz=_rate(figures, "aqu-sz", "avgqu-sz"),
        split=split,
        first=first,
    )
