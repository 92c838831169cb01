"""When was storage slower than its load explains, for whom, and who is suspected? Windows and the disks in them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from sla.fleet.models import Disk, Pool


class Cause(models.TextChoices):
    """Why a window opened (semantics §9)."""

    NEIGHBOUR = "neighbour", "another disk's load"
    BACKEND = "backend", "the storage behind the pool"
    WIDER = "wider", "something above several pools"
    DISK = "disk", "this disk alone"
    SELF = "self", "its own load"
    UNKNOWN = "unknown", "not known"


class Role(models.TextChoices):
    """What a disk was to a window."""

    VICTIM = "victim", "victim"
    SUSPECT = "suspect", "suspect"
    BYSTANDER = "bystander", "bystander"


class NeighbourWindow(models.Model):
    """A time in which a pool, or one disk of it, was slower than its own past at that load."""

    pool = models.ForeignKey(Pool, models.CASCADE, null=True, blank=True, related_name="neighbour_windows")
    disk = models.ForeignKey(
        Disk,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="own_windows",
        help_text="where one disk alone is slow",
    )
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, blank=True, help_text="empty while it lasts")
    severity = models.FloatField(help_text="how many times slower than expected, median over its disks and minutes")
    cause = models.CharField(max_length=12, choices=Cause)
    confidence = models.FloatField(help_text="probability that the cause (and the first suspect, if any) is right")
    evidence = models.JSONField(default=dict, blank=True)
    detected_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(end=None) | Q(end__gt=F("start")), name="neighbour_window_half_open"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="neighbour_window_confidence_is_a_probability"
            ),
            # A run over the same minutes finds the window it made before.
            models.UniqueConstraint(
                fields=["pool", "disk", "start"], nulls_distinct=False, name="neighbour_window_once"
            ),
            models.UniqueConstraint(
                fields=["pool", "disk"],
                condition=Q(end=None),
                nulls_distinct=False,
                name="one_open_neighbour_window",
            ),
        ]
        indexes = [
            # The list of windows, newest first, and "what touches this hour".
            models.Index(fields=["-start"], name="neighbour_window_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.pool or self.disk} x{self.severity:.1f} from {self.start:%F %H:%M}"


class WindowDisk(models.Model):
    """What one disk did or suffered in a window."""

    window = models.ForeignKey(NeighbourWindow, models.CASCADE, related_name="disks")
    disk = models.ForeignKey(Disk, models.CASCADE, related_name="neighbour_windows")
    role = models.CharField(max_length=10, choices=Role)
    score = models.FloatField(null=True, blank=True, help_text="probability that this disk is the culprit")
    share = models.FloatField(null=True, blank=True, help_text="its share of the pool's load in the window, 0 to 1")
    lag_s = models.IntegerField(
        null=True, blank=True, help_text="from the rise of its load to the rise of the pool's latency"
    )
    slowdown = models.FloatField(null=True, blank=True, help_text="its latency over what its load explains")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["window", "disk"], name="disk_once_in_a_window")]

    def __str__(self) -> str:
        return f"{self.disk} {self.role}"


class PoolMinute(models.Model):
    """What the disks of a pool did in a minute, side by side, and how slow that was: what baselines are learnt from,
    windows found in, and heat maps drawn from. A hypertable; replaced, never added to."""

    pk = models.CompositePrimaryKey("pool", "start")
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="minutes", db_index=False)
    start = models.DateTimeField()
    disks = ArrayField(models.IntegerField())
    figures = models.BinaryField(help_text="float32, by disk: ios, bytes, time_ms, log slowdown; see figures.py")
    signal = models.FloatField(null=True, help_text="log slowdown of the pool, its habit taken off")
    over = models.FloatField(null=True, help_text="the signal over the drift of the last calm hours")
    drift = models.FloatField()
    calm = models.BooleanField(help_text="in no window, and known: it counts as how the pool was")

    def __str__(self) -> str:
        return f"{self.pool_id} {self.start:%F %H:%M}"


class PoolBaseline(models.Model):
    """What was usual for a pool, learnt from the seven days before `at`."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="baselines")
    at = models.DateTimeField()
    disks = ArrayField(models.IntegerField())
    body = models.BinaryField(help_text="float32; see figures.py")
    thresholds = models.JSONField(help_text="opens, hot: logarithms")
    least_visible = models.FloatField(help_text="the least lasting slowdown that opens a window, times")

    class Meta:
        constraints = [
            # Also what "the newest one before this minute" is looked up by.
            models.UniqueConstraint(fields=["pool", "at"], name="baseline_once")
        ]

    def __str__(self) -> str:
        return f"{self.pool_id} {self.at:%F %H:%M}"


class PoolState(models.Model):
    """How far a pool has been followed; its row is the lock of whoever follows it."""

    pool = models.OneToOneField(Pool, models.CASCADE, primary_key=True, related_name="followed")
    first = models.DateTimeField(null=True, help_text="its first minute: baselines are learnt at times counted from it")
    through = models.DateTimeField(null=True, help_text="end of its last minute")
    relearnt = models.IntegerField(db_default=0, help_text="how often its past had changed and was learnt anew")

    def __str__(self) -> str:
        return f"{self.pool_id} through {self.through:%F %H:%M}" if self.through else f"{self.pool_id} new"


class LateMinutes(models.Model):
    """Slots of a pool that came when their minutes may have been followed already; both ends are minutes of theirs."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="late_minutes")
    first = models.DateTimeField()
    last = models.DateTimeField()
    marked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.pool_id} {self.first:%F %H:%M} to {self.last:%F %H:%M}"


__all__ = ["Cause", "LateMinutes", "NeighbourWindow", "PoolBaseline", "PoolMinute", "PoolState", "Role", "WindowDisk"]
