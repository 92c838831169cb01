"""How is an incident called? One line that says what, where, and how many."""

from sla.domain.incidents.words import Kind

OF_ONE = {
    Kind.ACUTE: "is slow",
    Kind.BURN: "burns its budget too fast",
    Kind.STALL: "stalled",
    Kind.UNDER_DELIVERY: "delivers less than its contract",
    Kind.SILENT: "is silent",
    Kind.CONTENTION: "suffers from contention",
    Kind.BACKEND: "suffers from its storage backend",
    Kind.PERIOD: "cannot meet its contract this month",
}
OF_MANY = {
    Kind.ACUTE: "are slow",
    Kind.BURN: "burn their budgets too fast",
    Kind.STALL: "stalled",
    Kind.UNDER_DELIVERY: "deliver less than their contracts",
    Kind.SILENT: "are silent",
    Kind.CONTENTION: "suffer from contention",
    Kind.BACKEND: "suffer from their storage backend",
    Kind.PERIOD: "cannot meet their contracts this month",
}


def title(kind: Kind, disks: int, one: str, place: str) -> str:
    """`one`: the name of a disk; `place`: what many of them share, e.g. 'of pool ssd-3', may be empty."""
    if disks == 1:
        return f"{one} {OF_ONE[kind]}"
    return " ".join(part for part in (str(disks), "disks", place, OF_MANY[kind]) if part)


def silent_title(machine: str) -> str:
    """The agent speaks for all disks of its machine."""
    return f"the agent of {machine} is silent"
