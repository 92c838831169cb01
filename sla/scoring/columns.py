"""Which columns add? The one list that slots, hours and days share, and the SQL made from it."""

from collections.abc import Iterable

from sla.domain.states import State

# Sums of slots that hours and days carry on, in the tables' order.
SUMMED = (
    "observed_s",
    "read_ios",
    "write_ios",
    "read_bytes",
    "write_bytes",
    "read_ms",
    "write_ms",
    "queue_ms",
    "eligible_low",
    "eligible",
    "eligible_high",
    "slow_low",
    "slow",
    "slow_high",
    "lost_ms",
    "gap_ios",
    "gap_ms",
)
# Counts of slots by state: name -> condition on a slot.
COUNTED = {
    "slots": "true",
    "slots_met": f"state = {State.MET:d}",
    "slots_met_proved": f"state = {State.MET:d} AND proved",
    "slots_breached": f"state = {State.BREACHED:d}",
    "slots_breached_proved": f"state = {State.BREACHED:d} AND proved",
    "slots_excused": f"state = {State.EXCUSED:d}",
    "slots_idle": f"state = {State.IDLE:d}",
    "slots_no_data": f"state = {State.NO_DATA:d}",
}
KEY = ("disk_id", "vantage", "start", "term", "excluded")
ROLLED = ("grade", *COUNTED, *SUMMED)


def slot_values(names: Iterable[str] = ROLLED) -> str:
    """Figures of ROLLED of one slot, as SQL."""
    return ", ".join(f"({COUNTED[name]})::int AS {name}" if name in COUNTED else name for name in names)


def sums_of_slots() -> str:
    """ROLLED over slots, as SQL."""
    counts = [f"count(*) FILTER (WHERE {condition})" for condition in COUNTED.values()]
    return ", ".join(["max(grade)", *counts, *(f"sum({name})" for name in SUMMED)])


def sums_of_roll_ups() -> str:
    """ROLLED over hours or days, as SQL."""
    return ", ".join(["max(grade)", *(f"sum({name})::int8" for name in (*COUNTED, *SUMMED))])
