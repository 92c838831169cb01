"""What do the guest's agent and the host's say of a disk, in words for who reads it? The last day of both."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, ngettext

from sla import figures
from sla.accounts.models import User
from sla.accounts.selectors import is_noc
from sla.fleet.models import Agent, Disk
from sla.scoring.sides import sides
from sla.web import agent_health

DAY_S = 86_400
# From this share of its time on, what the guest waits beyond the host is worth a sentence of its own.
NOTABLE = 0.2
# Less of the guest's minutes seen by the host is too little to speak of both sides.
WHOLE = 0.95
Said = dict[str, Any]


def both_sides(disk: Disk, user: User, now: datetime) -> Said | None:
    """The card of the disk's page; None where only one side measures."""
    end = int(now.timestamp()) // 60 * 60
    got = sides(disk.pk, end - DAY_S, end)
    if got is None or got["guest"] is None or got["host"] is None:
        return None
    mine = is_noc(user)
    both = got["both"]
    seen = got["host"]["observed_s"] / max(got["guest"]["observed_s"], 1)
    words = [_agreed(both, mine=mine), *_beyond(both, mine=mine), *_unseen(seen, mine=mine)]
    state, word = _verdict(both, seen)
    return {
        "state": state,
        "word": word,
        "heads": [gettext("Guest"), gettext("Host")] if mine else [gettext("Your machine"), gettext("Our host")],
        "words": words,
        "rows": [*_rows(got), (gettext("clock, against the server’s"), *_clocks(disk))],
    }


def _verdict(both: Said | None, seen: float) -> tuple[str, str]:
    if both is None:
        return "no_data", gettext("no common minute")
    if both["disputed"]:
        return "breached", gettext("differ")
    return ("met", gettext("agree")) if seen >= WHOLE else ("no_data", gettext("agree where both saw"))


def _agreed(both: Said | None, *, mine: bool) -> str:
    if both is None:
        return gettext("No minute was seen whole from both sides.")
    counts = {"same": figures.whole(both["slots"] - both["disagree"]), "all": figures.whole(both["slots"])}
    if mine:
        return gettext("I/Os, bytes and time agree in %(same)s of %(all)s minutes that both saw whole.") % counts
    return (
        gettext(
            "Measured twice, in your machine and on our host: the same in %(same)s of %(all)s minutes that both saw."
        )
        % counts
    )


def _beyond(both: Said | None, *, mine: bool) -> list[str]:
    """Who owns the time that the guest waited and the host did not."""
    if both is None or not both["beyond_host_ms_per_io"] or both["time_ms"]["guest"] <= 0:
        return []
    share = 1 - both["time_ms"]["host"] / both["time_ms"]["guest"]
    told = {"ms": figures.decimal(f"{both['beyond_host_ms_per_io']:.2f}"), "share": f"{100 * share:.0f}"}
    if share < NOTABLE:
        return [gettext("Of each I/O's time %(ms)s ms (%(share)s %%) lies between the two.") % told]
    if mine:
        return [
            gettext(
                "The guest waits %(ms)s ms an I/O (%(share)s %%) that the host does not: the virtual device, stolen "
                "CPU time or the guest's own queue, not the storage."
            )
            % told
        ]
    return [
        gettext(
            "Your machine waits %(ms)s ms a request (%(share)s %%) longer than our host takes to serve it: that time "
            "lies between the two, in the virtual device, in waiting for a CPU or in the machine's own queue, not in "
            "the storage."
        )
        % told
    ]


def _unseen(seen: float, *, mine: bool) -> list[str]:
    if seen >= WHOLE:
        return []
    share = {"share": f"{int(100 * seen)}"}
    if mine:
        return [
            gettext(
                "The host's agent saw %(share)s %% of the guest's time: for the rest the guest's word stands alone."
            )
            % share
        ]
    return [gettext("Our host saw %(share)s %% of the time; for the rest only your machine's figures stand.") % share]


def _rows(got: Said) -> list[tuple[str, str, str]]:
    """The evidence of each side, line by line."""
    guest, host, both = got["guest"], got["host"], got["both"]
    rows = []
    if both is not None:
        times = [
            figures.decimal(f"{both['time_ms'][side] / both['ios'][side]:.2f}") + " ms" if both["ios"][side] else "–"
            for side in ("guest", "host")
        ]
        rows += [
            (
                gettext("I/Os of common minutes"),
                figures.whole(both["ios"]["guest"]),
                figures.whole(both["ios"]["host"]),
            ),
            (gettext("time of an I/O"), *times),
        ]
    return [
        *rows,
        (gettext("minutes seen"), *(figures.whole(one["minutes"]) for one in (guest, host))),
        (gettext("looked every"), *(_cadence(one["fine_ms"]) for one in (guest, host))),
        (gettext("I/Os between frames"), *(figures.whole(one["gap_ios"]) for one in (guest, host))),
        (gettext("queue against rate × time"), *(_little(one) for one in (guest, host))),
    ]


def _clocks(disk: Disk) -> Iterator[str]:
    """Of the machine's own agent and of its hypervisor's."""
    own, host = getattr(disk.machine, "agent", None), None
    if disk.machine.host_id:
        host = Agent.objects.filter(host_side=True, revoked_at=None, machine__host=disk.machine.host_id).first()
    for agent in (own, host):
        text = agent_health.clock(agent)
        yield gettext("%(clock)s: odd") % {"clock": text} if agent_health.is_off(agent) else text


def _cadence(fine_ms: int) -> str:
    if fine_ms >= 1_000:
        return ngettext("%d s", "%d s", fine_ms // 1_000) % (fine_ms // 1_000)
    return gettext("%d ms") % fine_ms


def _little(one: Said) -> str:
    """Little's law on the side's own figures."""
    if one["little"] is None:
        return "–"
    text = " / ".join(figures.decimal(f"{one[name]:.2f}") for name in ("aqu_sz", "iops_await"))
    return text if one["little"] else gettext("%(pair)s: odd") % {"pair": text}
