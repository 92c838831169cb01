"""Active tests that somebody made of a disk, and what the server itself witnessed of them."""

from django.db import models
from django.db.models import F, Q

from sla.fleet.models import Disk


class Probe(models.Model):
    """One test as its agent told it; what it said is never changed. `ended_at` is None while a test is witnessed."""

    class Kind(models.TextChoices):
        STEPS = "steps", "load in steps"
        FSYNC = "fsync", "fsync rates"
        DURABILITY = "durability", "durability"

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="probes", db_index=False)
    uid = models.UUIDField(help_text="chosen by the agent: the same test told twice is one")
    kind = models.CharField(max_length=16, choices=Kind)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField()
    said = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["disk", "uid"], name="probe_once_a_disk"),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")), name="probe_ends_later"
            ),
        ]
        # The page of a disk and the API list: newest first.
        indexes = [models.Index(fields=["disk", "-started_at", "-id"], name="probe_of_a_disk")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.disk} at {self.started_at:%F %T}"


class Record(models.Model):
    """What the server witnessed of a durability test: blocks 0 … acknowledged - 1 were fsynced, so the disk said.

    `missing` are runs [first, last] of acknowledged blocks that were not there when the agent looked; None: it has
    not looked yet. `restarted`: the machine had started anew in between, without which a look proves nothing.
    """

    probe = models.OneToOneField(Probe, models.CASCADE, related_name="record", primary_key=True)
    target = models.CharField(max_length=64, help_text="hash of the file's place, which is not told")
    acknowledged = models.BigIntegerField(default=0)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    restarted = models.BooleanField(null=True, blank=True)
    lost = models.BigIntegerField(null=True, blank=True)
    missing = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(lost=None) | Q(lost__gte=0, lost__lte=F("acknowledged")), name="lost_were_acknowledged"
            )
        ]

    def __str__(self) -> str:
        return f"{self.acknowledged} acknowledged blocks of {self.probe_id}"
