"""What did they type? The text form of a contract, with errors that point at the word that is wrong (semantics §1).

99.9% reads < 5 ms, writes < 10 ms at 3000 IOPS of 16 KiB over calendar month in Europe/Berlin
  depth 16 tolerance 5% base 0.2 ms seen from host budgeted by slots coverage 90%
  when reads >= 30% and blocks <= 32 KiB and load >= 100 IOPS
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sla.domain.contract import Condition, Contract, ContractError, Op, What
from sla.domain.contract_print import print_contract

EXAMPLE = "99% < 15 ms at 1000 IOPS"
TOKEN = re.compile(r"(?P<number>\d+(?:\.\d+)?)|(?P<sign><=|>=|≤|≥|[<>,%])|(?P<word>[A-Za-zµμ][\w/+\-]*)|(?P<other>\S)")
DURATIONS = {"us": 1, "µs": 1, "μs": 1, "ms": 1_000, "s": 1_000_000}
SIZES = {"b": 1, "byte": 1, "bytes": 1, "kib": 2**10, "k": 2**10, "mib": 2**20, "gib": 2**30}
DECIMAL_SIZES = {"kb": "KiB", "mb": "MiB", "gb": "GiB"}
VALUES_BELOW = 2**31  # each figure must fit a 32-bit column


class ContractTextError(ContractError):
    """The text is no contract. `offset` and `word` say where; the message says what would do."""

    def __init__(self, message: str, offset: int, word: str) -> None:
        where = f"at {word!r} (character {offset + 1})" if word else "at the end"
        super().__init__(f"{where}: {message}")
        self.offset, self.word, self.hint = offset, word, message


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign and where it stands."""

    kind: str
    text: str
    offset: int

    @property
    def low(self) -> str:
        """For comparing: case does not matter in a contract."""
        return self.text.lower()


class _Reader:
    """Walks over the tokens; each `take_*` answers or raises at the token it stands on."""

    def __init__(self, text: str) -> None:
        self.tokens = [Token(str(m.lastgroup), m.group(), m.start()) for m in TOKEN.finditer(text)]
        self.end = Token("end", "", len(text.rstrip()))
        self.at = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else self.end

    def wrong(self, message: str, token: Token | None = None) -> ContractTextError:
        token = token or self.now
        return ContractTextError(message, token.offset, token.text)

    def next(self) -> Token:
        token = self.now
        self.at += 1
        return token

    def says(self, *words: str) -> bool:
        """Take the next token if it is one of these."""
        if self.now.low in words:
            self.at += 1
            return True
        return False

    def need(self, message: str, *words: str) -> None:
        if not self.says(*words):
            raise self.wrong(message)

    def number(self, what: str) -> tuple[Decimal, Token]:
        if self.now.kind != "number":
            raise self.wrong(f"{what} must be a number here")
        token = self.next()
        return Decimal(token.text), token

    def scaled(self, value: Decimal, factor: int, token: Token, finest: str) -> int:
        """value·factor as the exact integer it must be."""
        exact = value * factor
        if exact != int(exact):
            raise self.wrong(f"{token.text} is finer than {finest}", token)
        if exact >= VALUES_BELOW:
            raise self.wrong(f"{token.text} is too large: figures stay below {VALUES_BELOW} {finest}", token)
        return int(exact)

    def percent(self, what: str) -> tuple[int, Token]:
        value, token = self.number(what)
        self.need(f"{what} is a percentage: write {token.text}%", "%", "percent")
        return self.scaled(value, 10_000, token, "a millionth"), token

    def duration(self, what: str) -> tuple[int, Token]:
        value, token = self.number(what)
        if self.now.low not in DURATIONS:
            raise self.wrong(f"{what} needs a unit after {token.text}: us, ms or s")
        return self.scaled(value, DURATIONS[self.next().low], token, "a microsecond"), token

    def size(self, what: str) -> int:
        value, token = self.number(what)
        unit = self.now.low
        if unit in DECIMAL_SIZES:
            raise self.wrong(f"say {DECIMAL_SIZES[unit]} (1024s): {self.now.text} means two different sizes to people")
        if unit not in SIZES:
            raise self.wrong(f"{what} needs a unit after {token.text}: bytes, KiB or MiB")
        return self.scaled(value, SIZES[self.next().low], token, "a byte")

    def load(self, what: str) -> tuple[int, Token]:
        value, token = self.number(what)
        self.need(f"{what} is counted in IOPS: write {token.text} IOPS", "iops", "io/s")
        return self.scaled(value, 1, token, "one I/O a second"), token

    def below(self) -> int:
        """'< 15 ms'"""
        if self.now.low in ("<=", "≤"):
            raise self.wrong("a request that takes exactly the threshold is slow: write '<'")
        self.need(f"'<' and the threshold belong here, as in {EXAMPLE!r}", "<", "under", "below")
        us, token = self.duration("the threshold")
        if us == 0:
            raise self.wrong("a threshold of 0 can be kept by nobody", token)
        return us


def _latency(reader: _Reader, said: dict[str, Any]) -> None:
    if reader.says("of"):
        reader.need("'requests' or nothing belongs here", "requests")
    if reader.now.low not in ("reads", "writes"):
        said["read_threshold_us"] = said["write_threshold_us"] = reader.below()
        return
    keys = {"reads": "read_threshold_us", "writes": "write_threshold_us"}
    first = reader.next().low
    said[keys[first]] = reader.below()
    other = "writes" if first == "reads" else "reads"
    reader.says(",", "and")
    reader.need(f"{other} have no threshold yet: write ', {other} < …'", other)
    said[keys[other]] = reader.below()
    said["spelled"].add("writes")


def _of(reader: _Reader, said: dict[str, Any]) -> None:
    start = reader.now
    said["io_unit_bytes"] = reader.size("the size of one counted I/O")
    if said["io_unit_bytes"] == 0:
        raise reader.wrong("a counted I/O has at least one byte", start)


def _over(reader: _Reader, said: dict[str, Any]) -> None:
    reader.says("a", "the", "each")
    reader.need("the period is 'calendar month'", "calendar")
    reader.need("the period is 'calendar month'", "month")
    if reader.says("in"):
        _zone(reader, said)


def _zone(reader: _Reader, said: dict[str, Any]) -> None:
    token = reader.next()
    try:
        ZoneInfo(token.text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise reader.wrong(
            f"{token.text or 'nothing'} is no time zone: write one like Europe/Berlin or UTC", token
        ) from None
    said["zone"] = token.text
    said["spelled"].add("in")


def _depth(reader: _Reader, said: dict[str, Any]) -> None:
    value, token = reader.number("the depth")
    said["given_depth"] = reader.scaled(value, 1, token, "one I/O")


def _tolerance(reader: _Reader, said: dict[str, Any]) -> None:
    said["tolerance_ppm"], token = reader.percent("the tolerance")
    if said["tolerance_ppm"] >= 1_000_000:
        raise reader.wrong("a tolerance of 100% or more promises nothing", token)


def _base(reader: _Reader, said: dict[str, Any]) -> None:
    said["base_us"], token = reader.duration("the base latency")
    shortest = min(said["read_threshold_us"], said["write_threshold_us"])
    if said["base_us"] >= shortest:
        raise reader.wrong(f"the base must lie below the threshold of {shortest / 1000:g} ms", token)


def _seen(reader: _Reader, said: dict[str, Any]) -> None:
    reader.need("'seen from guest' or 'seen from host'", "from")
    said["vantage"] = _one_of(reader, "guest", "host")


def _budgeted(reader: _Reader, said: dict[str, Any]) -> None:
    reader.need("'budgeted by requests', 'slots' or 'both'", "by")
    said["budget_by"] = _one_of(reader, "requests", "slots", "both")


def _one_of(reader: _Reader, *words: str) -> str:
    if reader.now.low not in words:
        raise reader.wrong(f"one of {', '.join(words)} belongs here")
    return reader.next().low


def _coverage(reader: _Reader, said: dict[str, Any]) -> None:
    said["min_coverage_ppm"], token = reader.percent("the coverage")
    if said["min_coverage_ppm"] > 1_000_000:
        raise reader.wrong("no more than 100% can be observed", token)


def _when(reader: _Reader, said: dict[str, Any]) -> None:
    found = [_condition(reader)]
    while reader.says("and", ","):
        found.append(_condition(reader))
    said["conditions"] = tuple(found)


def _condition(reader: _Reader) -> Condition:
    what = cast(What, _one_of(reader, "reads", "blocks", "load"))
    signs = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}
    if reader.now.low not in signs:
        raise reader.wrong(f"'>=' or '<=' belongs after {what}")
    op = cast(Op, signs[reader.next().low])
    if what == "reads":
        value, token = reader.percent("the share of reads")
        if value > 1_000_000:
            raise reader.wrong("no more than 100% can be reads", token)
    elif what == "blocks":
        value = reader.size("the mean size of a block")
    else:
        value, _ = reader.load("the load")
    return Condition(what, op, value)


CLAUSES: dict[str, Callable[[_Reader, dict[str, Any]], None]] = {
    "of": _of,
    "over": _over,
    "in": _zone,
    "depth": _depth,
    "tolerance": _tolerance,
    "base": _base,
    "seen": _seen,
    "budgeted": _budgeted,
    "coverage": _coverage,
    "when": _when,
}


def parse_contract(text: str) -> Contract:
    """The contract of a text. Raises ContractTextError with the offset and the offending word.

    Case and spacing do not matter, clauses may come in any order; `Contract.text` prints the canonical form.
    """
    reader = _Reader(text)
    said: dict[str, Any] = {"spelled": set()}
    said["objective_ppm"], token = reader.percent("the objective")
    if not 0 < said["objective_ppm"] < 1_000_000:
        raise reader.wrong("an objective of 100% leaves no budget and 0% promises nothing: write one between", token)
    _latency(reader, said)
    reader.need("'at' and the load it holds for belong here, as in 'at 1000 IOPS'", "at")
    said["iops"], token = reader.load("the load")
    if said["iops"] == 0:
        raise reader.wrong("a promise at 0 IOPS covers nothing", token)
    while reader.now is not reader.end:
        token = reader.next()
        clause = CLAUSES.get(token.low)
        if clause is None:
            raise reader.wrong(f"a clause begins with one of {', '.join(CLAUSES)}", token)
        if token.low in said["spelled"] and token.low != "in":
            raise reader.wrong(f"{token.text!r} is said twice", token)
        said["spelled"].add(token.low)
        clause(reader, said)
    said["spelled"] = frozenset(said["spelled"])
    return Contract(**said)


__all__ = ["ContractTextError", "parse_contract", "print_contract"]
