"""Which words are there for an incident? They are stored: written out, never changed."""

from enum import StrEnum


class Kind(StrEnum):
    """What an incident is about."""

    ACUTE = "acute"
    BURN = "burn"
    STALL = "stall"
    UNDER_DELIVERY = "under_delivery"
    SILENT = "silent"
    CONTENTION = "contention"
    BACKEND = "backend"
    PERIOD = "period"
    WATCHER = "watcher"


class Severity(StrEnum):
    """How soon somebody has to look: now, on a working day, never."""

    PAGE = "page"
    TICKET = "ticket"
    INFO = "info"

    @property
    def weight(self) -> int:
        """Higher is worse."""
        return ("info", "ticket", "page").index(self.value)


class Status(StrEnum):
    """Where an incident is on its way."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class Happened(StrEnum):
    """What a line of an incident's history says."""

    OPENED = "opened"
    JOINED = "joined"
    LEFT = "left"
    ESCALATED = "escalated"
    ACKNOWLEDGED = "acknowledged"
    NOTE = "note"
    REMINDED = "reminded"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    SILENCED = "silenced"


# The kinds of one disk that is slow or gives too little: they are one trouble, the first of these that holds names it.
SLOW_KINDS = (Kind.STALL, Kind.UNDER_DELIVERY, Kind.ACUTE, Kind.BURN)
# What is no trouble of this moment's storage: they keep their names whatever the pool does meanwhile.
APART_KINDS = frozenset({Kind.SILENT, Kind.PERIOD})


def shared_kind(cause: str) -> Kind:
    """What trouble of shared storage is called, by the cause of its window."""
    return Kind.BACKEND if cause in ("backend", "wider") else Kind.CONTENTION
