"""Which disks does a hypervisor's agent measure too, and what does it see of each?"""

from dataclasses import dataclass

import numpy as np

from sla.demo.cast import Cast, Member
from sla.domain.evidence import Bools, Ints
from sla.simulator.host import Between
from sla.simulator.world import DAY_S, HOUR_S

# Whose machines the hypervisors are.
PROVIDER = "Harbour Hosting"
HYPERVISORS = ("hv-03",)
VERSION = "1.2.0"
# Their agents came so long before the demonstration was set up, at a whole hour.
SINCE_S = 2 * DAY_S
USUAL = Between(each_ms=0.04, share=0.03)
# On a machine whose own CPUs are overbooked an I/O is long done before the guest hears of it.
WAITING, WAITING_PLACE = Between(each_ms=0.25, share=0.45), 2
# The host's agent is restarted with every job of the hypervisor and misses a third of the minutes of one disk.
PATCHY_PLACE, PATCHY_EVERY_M, PATCHY_BLIND_M = 3, 120, range(40, 80)


@dataclass(frozen=True, slots=True)
class Side:
    """A disk as its hypervisor sees it."""

    member: Member
    between: Between
    patchy: bool

    def observed(self, starts: Ints) -> Bools:
        """At which of these moments (Unix seconds) its agent looked."""
        if not self.patchy:
            return np.ones(len(starts), np.bool_)
        return ~np.isin(starts // 60 % PATCHY_EVERY_M, PATCHY_BLIND_M)


def sides(cast: Cast) -> dict[int, Side]:
    """The disks on the hypervisors that have an agent, by number."""
    there = [member for member in cast.members if member.host in HYPERVISORS]
    return {
        member.number: Side(member, WAITING if place == WAITING_PLACE else USUAL, place == PATCHY_PLACE)
        for place, member in enumerate(there)
    }


def since(anchor: int) -> int:
    """From when on there is anything of theirs."""
    return (anchor - SINCE_S) // HOUR_S * HOUR_S
