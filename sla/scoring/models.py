"""What came out: slots, their roll-ups to hours and days, and how each disk stands now.

Plain columns, so that SQL, `time_bucket` and any dashboard can query them. Figures add; ratios are made when read.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from sla.domain.states import Grade, Reason, State
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage


def choices(words: type[State] | type[Grade] | type[Reason]) -> list[tuple[int, str]]:
    """The choices of a stored enum of the domain."""
    return [(int(member), member.name.lower()) for member in words]


class Slot(models.Model):
    """A minute of one disk from one side: a pure function of its frames, contract version and exclusions.

    Replaced, never added to. A hypertable. NULL is unknown.
    """

    pk = models.CompositePrimaryKey("disk", "vantage", "start")
    disk = models.ForeignKey(Disk, models.CASCADE, related_name="slots", db_index=False)
    vantage = models.SmallIntegerField(choices=Vantage)
    start = models.DateTimeField()
    term = models.IntegerField(help_text="id of the contract version that judged it; 0: none")
    excluded = models.BooleanField(help_text="in a maintenance window that takes its time out of the SLA")
    state = models.SmallIntegerField(choices=choices(State))
    proved = models.BooleanField()
    reason = models.SmallIntegerField(choices=choices(Reason))
    grade = models.SmallIntegerField(choices=choices(Grade))
    observed_s = models.SmallIntegerField()
    fine_ms = models.IntegerField(help_text="the coarsest cadence used; 0: not said")
    read_ios = models.IntegerField()
    write_ios = models.IntegerField()
    read_bytes = models.BigIntegerField()
    write_bytes = models.BigIntegerField()
    read_ms = models.IntegerField()
    write_ms = models.IntegerField()
    queue_ms = models.IntegerField()
    in_flight = models.IntegerField(help_text="at its end")
    eligible_low = models.IntegerField()
    eligible = models.IntegerField(help_text="covered I/Os by estimate; the others are excess")
    eligible_high = models.IntegerField()
    slow_low = models.IntegerField()
    slow = models.IntegerField()
    slow_high = models.IntegerField()
    lost_ms = models.IntegerField()
    gap_ios = models.BigIntegerField(help_text="I/Os between the slot before (or frames of this one) that no frame saw")
    gap_ms = models.BigIntegerField()
    p50_us = models.IntegerField(null=True)
    p95_us = models.IntegerField(null=True)
    p99_us = models.IntegerField(null=True)
    first_boot = models.BigIntegerField()
    first_ios = models.BigIntegerField(null=True, help_text="cumulative reads + writes where its frames begin")
    first_ms = models.BigIntegerField(null=True)
    last_boot = models.BigIntegerField()
    last_ios = models.BigIntegerField(null=True)
    last_ms = models.BigIntegerField(null=True)
    hist = models.BinaryField(help_text="pairs of R40 position and count, little-endian uint32")

    def __str__(self) -> str:
        return f"{self.disk_id} {Vantage(self.vantage).label} {self.start:%F %H:%M} {State(self.state).word}"


class RollUp(models.Model):
    """Slots added up over one disk, side, contract version and both sides of exclusion: everything is a sum."""

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="+", db_index=False)
    vantage = models.SmallIntegerField(choices=Vantage)
    start = models.DateTimeField()
    term = models.IntegerField()
    excluded = models.BooleanField()
    grade = models.SmallIntegerField(choices=choices(Grade), help_text="the worst")
    slots = models.IntegerField()
    slots_met = models.IntegerField()
    slots_met_proved = models.IntegerField()
    slots_breached = models.IntegerField()
    slots_breached_proved = models.IntegerField()
    slots_excused = models.IntegerField()
    slots_idle = models.IntegerField()
    slots_no_data = models.IntegerField()
    observed_s = models.IntegerField()
    read_ios = models.BigIntegerField()
    write_ios = models.BigIntegerField()
    read_bytes = models.BigIntegerField()
    write_bytes = models.BigIntegerField()
    read_ms = models.BigIntegerField()
    write_ms = models.BigIntegerField()
    queue_ms = models.BigIntegerField()
    eligible_low = models.BigIntegerField()
    eligible = models.BigIntegerField()
    eligible_high = models.BigIntegerField()
    slow_low = models.BigIntegerField()
    slow = models.BigIntegerField()
    slow_high = models.BigIntegerField()
    lost_ms = models.BigIntegerField()
    gap_ios = models.BigIntegerField()
    gap_ms = models.BigIntegerField()
    # NULL while the merged histogram is still to be made; the sums beside it are never late.
    hist = models.BinaryField(null=True)

    class Meta:
        abstract = True


class Hour(RollUp):
    """An hour of UTC: what months and what-if are computed from. A hypertable."""

    pk = models.CompositePrimaryKey("disk", "vantage", "start", "term", "excluded")

    def __str__(self) -> str:
        return f"{self.disk_id} {Vantage(self.vantage).label} {self.start:%F %H}:00"


class Day(RollUp):
    """A day of UTC, added up from its hours: the inside of a month, so that a month of a fleet is few rows."""

    pk = models.CompositePrimaryKey("disk", "vantage", "start", "term", "excluded")

    def __str__(self) -> str:
        return f"{self.disk_id} {Vantage(self.vantage).label} {self.start:%F}"


class DiskNow(models.Model):
    """How a disk stands now, by its contract's vantage: one row a disk, so that a list of ten thousand is one query.

    No index but the key: every column changes each minute, and without one the update stays on its page; sorting ten
    thousand rows for a list costs less than keeping them sorted.
    """

    disk = models.OneToOneField(Disk, models.CASCADE, primary_key=True, related_name="now")
    vantage = models.SmallIntegerField(choices=Vantage, default=Vantage.GUEST)
    state = models.SmallIntegerField(choices=choices(State), default=State.NO_DATA)
    proved = models.BooleanField(default=True)
    # Position of the state in `WORST_FIRST`.
    rank = models.SmallIntegerField(default=99)
    reasons = ArrayField(models.CharField(max_length=40), default=list)
    period = models.CharField(max_length=7, default="")
    period_state = models.SmallIntegerField(choices=choices(State), default=State.NO_DATA)
    term = models.IntegerField(default=0)
    ios = models.BigIntegerField(default=0)
    eligible = models.BigIntegerField(default=0)
    slow = models.BigIntegerField(default=0)
    lost_ms = models.BigIntegerField(default=0)
    sli_low = models.FloatField(null=True)
    sli_estimate = models.FloatField(null=True)
    sli_high = models.FloatField(null=True)
    budget_total = models.FloatField(default=0, help_text="slow I/Os allowed so far")
    budget_left_low = models.FloatField(null=True)
    budget_left_estimate = models.FloatField(null=True)
    budget_left_high = models.FloatField(null=True)
    coverage = models.FloatField(null=True)
    grade = models.SmallIntegerField(choices=choices(Grade), default=Grade.C)
    # Of the last slot.
    slot_start = models.DateTimeField(null=True)
    slot_state = models.SmallIntegerField(choices=choices(State), null=True)
    await_ms = models.FloatField(null=True)
    iops = models.FloatField(null=True)
    aqu_sz = models.FloatField(null=True)
    seen_at = models.DateTimeField(null=True, help_text="end of the newest frame")
    first_at = models.DateTimeField(null=True, help_text="start of the first frame")
    busy_at = models.DateTimeField(null=True, help_text="end of the last slot that was not idle")
    covered_at = models.DateTimeField(null=True, help_text="end of the last slot that was neither idle nor excused")
    acute_at = models.DateTimeField(null=True, help_text="when the acute rule last held")
    firing = ArrayField(models.CharField(max_length=20), default=list, help_text="burn-rate rules that hold")
    burn_rate = models.FloatField(null=True, help_text="over the last hour; 1 is exactly on budget")
    updated_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.disk_id} {State(self.state).word}"


class Correction(models.Model):
    """What a closed period was found to be after it closed: numbered, and the first one is the closing itself."""

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="closings")
    vantage = models.SmallIntegerField(choices=Vantage)
    period = models.CharField(max_length=7)
    number = models.PositiveIntegerField(help_text="0 is the closing, 1 the first correction")
    score = models.JSONField(help_text="the answer of the score path at that moment")
    reason = models.CharField(max_length=300, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            # Also what a closed period is looked up by.
            models.UniqueConstraint(fields=["disk", "vantage", "period", "number"], name="correction_numbered_once")
        ]

    def __str__(self) -> str:
        return f"{self.disk_id} {self.period} no. {self.number}"
