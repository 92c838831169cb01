"""When was storage slower than its load explains, for whom, and who is suspected? Windows and the disks in them."""

from django.db import models
from django.db.models import F, Q

from sla.fleet.models import Disk, Pool


class Cause(models.TextChoices):
    """Why a window opened (semantics §9)."""

    NEIGHBOUR = "neighbour", "another disk's load"
    BACKEND = "backend", "the storage behind the pool"
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


__all__ = ["Cause", "NeighbourWindow", "Role", "WindowDisk"]
