"""What was measured, once: frames of evidence, and which slots they make due."""

from django.db import models

from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage


class Source(models.IntegerChoices):
    """The best evidence in a frame."""

    DISKSTATS = 1, "diskstats"
    EBPF = 2, "ebpf"
    QMP = 3, "qmp"
    IMPORT = 4, "import"


class Frame(models.Model):
    """Up to a minute of one disk from one side, as received: a hypertable, one row a frame.

    `body` is the stored layout of `plimsoll_agent.core.layout` (docs/frame-layout.md). Never changed once accepted.
    """

    pk = models.CompositePrimaryKey("disk", "vantage", "start")
    # Without a constraint, as that of `DueSlot`: docs/decisions/0016-what-an-upload-leaves-out.md
    disk = models.ForeignKey(Disk, models.CASCADE, related_name="frames", db_index=False, db_constraint=False)
    vantage = models.SmallIntegerField(choices=Vantage)
    start = models.DateTimeField()
    step_s = models.SmallIntegerField()
    n = models.SmallIntegerField()
    source = models.SmallIntegerField(choices=Source)
    boot = models.BigIntegerField(
        help_text="the first 8 bytes of the SHA-256 of the boot id: counters chain within a boot"
    )
    received_at = models.DateTimeField()
    body = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.disk_id} {Vantage(self.vantage).label} {self.start:%F %T} +{self.n * self.step_s} s"


class DueSlot(models.Model):
    """A minute that must be scored (again): appended in the transaction that stores its frame, deleted in the one that
    scores it.

    Only ever appended, never updated: two marks for one minute cost a second scoring, a lost mark would cost a slot.
    Whoever claims marks (FOR UPDATE SKIP LOCKED) must then lock the disks (`lock_disks`) and only after that read the
    frames: else a slower worker could overwrite a slot with what it read before a later frame came.
    """

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    vantage = models.SmallIntegerField(choices=Vantage)
    start = models.DateTimeField(help_text="the minute")
    marked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.disk_id} {Vantage(self.vantage).label} {self.start:%F %H:%M}"
