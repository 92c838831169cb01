"""What shall this agent judge by, and how finely: the server's policy, and its plain form for the sampler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .core.terms import PPM, Term
from .hypervisor.guests import Guest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = "1"
# What a frame's length may be: it never crosses a UTC minute, so it divides one.
FLUSH_S = (10, 12, 15, 20, 30, 60)
URGENT_S = (5, 6, 10, 12, 15, 20, 30, 60)
# More disks than any hypervisor has guests' disks: a policy is read every minute.
MOST_GUESTS = 4_000
# A machine with more terms than this is a mistake at the server, not a fleet of contracts on one disk.
MOST_TERMS = 16


class PolicyError(ValueError):
    """A policy that cannot be followed; the message holds the value."""


class Policy:
    """Terms by disk, report and cadence wishes. Seconds, milliseconds, and the CPU budget in millionths of one CPU.

    `guests`: to a hypervisor's agent alone, the disks of the machines that the server places on its host.
    """

    __slots__ = ("base_ms", "budget_ppm", "disks", "finest_ms", "flush_s", "guests", "urgent_s")

    def __init__(
        self,
        disks: Sequence[tuple[str, str, tuple[Term, ...]]] = (),
        flush_s: int = 60,
        urgent_s: int = 10,
        base_ms: int = 100,
        finest_ms: int = 10,
        budget_ppm: int = 20_000,
        guests: Sequence[Guest] = (),
    ) -> None:
        self.disks = list(disks)
        self.flush_s = flush_s
        self.urgent_s = urgent_s
        self.base_ms = base_ms
        self.finest_ms = finest_ms
        self.budget_ppm = budget_ppm
        self.guests = list(guests)

    def terms_of(self, device: str, serial: str | None) -> tuple[Term, ...]:
        """The terms of one disk: its serial counts, and its name where several share one or none is known."""
        for wanted_device, wanted_serial, terms in self.disks:
            if wanted_device == device and wanted_serial == (serial or ""):
                return terms
        same = [terms for _, wanted, terms in self.disks if serial and wanted == serial]
        return same[0] if len(same) == 1 else ()


def from_json(policy: Mapping[str, Any]) -> Policy:
    """The policy of protocol.md. Raises PolicyError; unknown keys are left alone (a newer server may have more)."""
    try:
        fine = policy.get("fine_ms") or {}
        disks = []
        for disk in policy.get("disks") or ():
            disks.append((_plain(disk["device"]), _plain(disk.get("serial") or ""), _terms_from(disk)))
        guests = policy.get("guests") or ()
        if len(guests) > MOST_GUESTS:
            raise PolicyError(f"{len(guests)} disks of guests, at most {MOST_GUESTS}")
        return Policy(
            disks,
            _at_most(policy.get("flush_s", 60), FLUSH_S, "flush_s"),
            _at_most(policy.get("urgent_s", 10), URGENT_S, "urgent_s"),
            _between(fine.get("base", 100), 10, 1000, "fine_ms.base"),
            _between(fine.get("finest", 10), 10, 1000, "fine_ms.finest"),
            round(_between(policy.get("cpu_budget_ratio", 0.02), 0.001, 1, "cpu_budget_ratio") * PPM),
            [_guest_from(guest) for guest in guests],
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PolicyError(f"the server's policy cannot be followed: {error!r}") from error


def _terms_from(disk: Mapping[str, Any]) -> tuple[Term, ...]:
    terms = tuple(Term.from_policy(term) for term in disk.get("terms") or ())
    if len(terms) > MOST_TERMS:
        raise PolicyError(f"{len(terms)} terms for {disk.get('device')!r}, at most {MOST_TERMS}")
    return terms


def _guest_from(guest: Mapping[str, Any]) -> Guest:
    machine, hostname, device = (_plain(guest[name] or "") for name in ("machine", "hostname", "device"))
    serial, wwn = (_plain(guest.get(name) or "") for name in ("serial", "wwn"))
    return Guest(machine, hostname, device, serial, wwn, _terms_from(guest))


def to_plain(policy: Policy) -> bytes:
    """Lines that the sampler reads without a JSON parser; the version first, `end` last, so that half a file shows."""
    lines = [
        f"plimsoll-policy\t{VERSION}",
        f"report\t{policy.flush_s}\t{policy.urgent_s}",
        f"cadence\t{policy.base_ms}\t{policy.finest_ms}\t{policy.budget_ppm}",
    ]
    for device, serial, terms in policy.disks:
        lines.append(f"disk\t{device}\t{serial}")
        lines += _term_lines(terms)
    for guest in policy.guests:
        lines.append("guest\t" + "\t".join(guest[:5]))
        lines += _term_lines(guest.terms)
    lines.append("end\n")
    return "\n".join(lines).encode()


def _term_lines(terms: tuple[Term, ...]) -> list[str]:
    return ["term\t" + "\t".join(map(str, term)) for term in terms]


def from_plain(raw: bytes) -> Policy:
    """The reverse of to_plain. Raises PolicyError."""
    policy = Policy()
    try:
        lines = raw.decode().split("\n")
        if lines[0] != f"plimsoll-policy\t{VERSION}" or lines[-2:] != ["end", ""]:
            raise PolicyError(f"not a whole policy of version {VERSION}: {raw[:40]!r}")
        for line in lines[1:-2]:
            kind, *fields = line.split("\t")
            if kind == "report":
                policy.flush_s, policy.urgent_s = map(int, fields)
            elif kind == "cadence":
                policy.base_ms, policy.finest_ms, policy.budget_ppm = map(int, fields)
            elif kind == "disk":
                policy.disks.append((fields[0], fields[1], ()))
            elif kind == "guest":
                machine, hostname, device, serial, wwn = fields
                policy.guests.append(Guest(machine, hostname, device, serial, wwn, ()))
            elif kind == "term" and policy.guests:
                last = policy.guests[-1]
                policy.guests[-1] = last._replace(terms=(*last.terms, Term(*map(int, fields))))
            elif kind == "term":
                device, serial, terms = policy.disks[-1]
                policy.disks[-1] = (device, serial, (*terms, Term(*map(int, fields))))
    except (ValueError, IndexError, TypeError) as error:
        raise PolicyError(f"not a policy: {error}") from error
    return policy


def _plain(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")


def _at_most(value: Any, allowed: tuple[int, ...], name: str) -> int:
    """The longest allowed length that is not longer than what was asked for."""
    asked = _between(value, 1, 3600, name)
    return max((length for length in allowed if length <= asked), default=allowed[0])


def _between(value: Any, low: float, high: float, name: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise PolicyError(f"{name} must lie between {low} and {high}, not {value!r}")
    return value
