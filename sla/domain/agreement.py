"""Do guest and host tell the same story of a disk? Slot by slot, within what was in flight (semantics §10)."""

from dataclasses import dataclass

import numpy as np

from sla.domain.evidence import Bools, Ints

# Clocks kept by NTP lie within a second of each other: that much of a minute's I/O may fall into the next slot.
CLOCK_SHARE = 60
# Each side prints its times cut to whole ms, twice a direction.
ROUNDING_MS = 4


@dataclass(frozen=True, slots=True)
class Side:
    """S slots of one side, in time: completed I/Os, bytes, summed ms, in flight at the end."""

    ios: Ints
    size_bytes: Ints
    time_ms: Ints
    in_flight: Ints


@dataclass(frozen=True, slots=True)
class Agreement:
    """Which slots agree, and what the guest waited beyond the host (virtio, steal, its own queue), in ms: (S,)."""

    ios: Bools
    size_bytes: Bools
    time: Bools
    beyond_host_ms: Ints

    @property
    def disputed(self) -> Bools:
        """A slot in which anything differs by more than can be explained."""
        return ~(self.ios & self.size_bytes & self.time)


def compare(guest: Side, host: Side) -> Agreement:
    """The same slots from both sides.

    I/Os and bytes may differ by what was in flight where the slot began and ended and by a second of the clocks; a
    guest never waits less than the host took to serve it.
    """
    before = [np.concatenate((side.in_flight[:1], side.in_flight[:-1])) for side in (guest, host)]
    most_ios = np.maximum(guest.ios, host.ios)
    ios = before[0] + before[1] + guest.in_flight + host.in_flight + -(-most_ios // CLOCK_SHARE)
    share = np.divide(ios, most_ios, out=np.ones(len(ios)), where=most_ios > 0)
    beyond = guest.time_ms - host.time_ms
    return Agreement(
        ios=np.abs(guest.ios - host.ios) <= ios,
        size_bytes=np.abs(guest.size_bytes - host.size_bytes) <= share * np.maximum(guest.size_bytes, host.size_bytes),
        time=beyond >= -ROUNDING_MS - np.ceil(share * host.time_ms).astype(np.int64),
        beyond_host_ms=beyond,
    )
