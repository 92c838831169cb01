"""Which disk, side and stretch of time does a frame claim, and may it?"""

from dataclasses import dataclass
from typing import NamedTuple

from sla.fleet.vantage import Vantage
from sla.telemetry.inventory import Inventory
from sla.telemetry.models import Source
from sla.telemetry.refusal import BAD_SHAPE, BAD_VALUE, FORBIDDEN_VANTAGE, FUTURE, TOO_OLD, Refusal, shown
from sla.telemetry.wire import Key

VANTAGES = {choice.label: int(choice) for choice in Vantage}
SOURCES = {choice.label: int(choice) for choice in Source}
MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Span:
    """The Unix seconds that may be sent now: evidence older than it is kept is refused, and so is the future."""

    oldest: int
    latest: int


class Address(NamedTuple):
    """Where a frame belongs, in the database's terms."""

    disk: int
    vantage: int
    source: int


def check_time(key: Key, span: Span) -> None:
    """Refusal where the steps do not fit a UTC minute, or lie in the future or too far back."""
    start, step, n = key.start, key.step_s, key.n
    if step < 1 or MINUTE_S % step:
        raise Refusal(BAD_SHAPE, f"step_s is {shown(step)}: it must divide 60")
    if n < 1 or n * step > MINUTE_S:
        raise Refusal(BAD_SHAPE, f"n is {shown(n)}: with step_s {step} a frame has 1 to {MINUTE_S // step} steps")
    if start % step:
        raise Refusal(BAD_SHAPE, f"start is {shown(start)}: it must be a multiple of step_s {step}")
    if start % MINUTE_S + n * step > MINUTE_S:
        raise Refusal(BAD_SHAPE, f"start {shown(start)} with n {n} crosses a UTC minute: cut the frame there")
    if start + n * step > span.latest:
        raise Refusal(FUTURE, f"start {shown(start)}: the frame ends over 120 s ahead; check the machine's clock")
    if start < span.oldest:
        raise Refusal(TOO_OLD, f"start {shown(start)} is before {span.oldest}: frames are not kept that long")


def locate(key: Key, inventory: Inventory, *, host_side: bool) -> Address:
    """Refusal where a word is unknown, the disk is not this machine's, or the side is not this agent's to speak for."""
    vantage = VANTAGES.get(key.vantage)
    if vantage is None:
        raise Refusal(BAD_VALUE, f"vantage is {shown(key.vantage)}: it must be guest or host")
    source = SOURCES.get(key.source)
    if source is None:
        raise Refusal(BAD_VALUE, f"source is {shown(key.source)}: it must be one of {', '.join(SOURCES)}")
    if vantage == Vantage.HOST and not host_side:
        raise Refusal(FORBIDDEN_VANTAGE, "vantage 'host' needs an agent enrolled with a key for hypervisors")
    if vantage == Vantage.HOST and ("/" in key.device and key.device not in inventory.by_device):
        return Address(inventory.guest_disk(key.device, key.serial, key.start), vantage, source)
    return Address(inventory.disk(key.device, key.serial, key.wwn), vantage, source)
