"""What exists and what shares what: pools, hosts, machines, their agents and disks."""

from django.db import models
from django.db.models import F, Q

from sla.accounts.models import Customer, User
from sla.fleet.vantage import Vantage


class Pool(models.Model):
    """Storage that several disks share."""

    name = models.CharField(max_length=100, unique=True)
    inferred = models.BooleanField(
        default=False, help_text="found from disks that slow down together, not from inventory"
    )

    def __str__(self) -> str:
        return self.name


class Host(models.Model):
    """A hypervisor."""

    name = models.CharField(max_length=200, unique=True)

    def __str__(self) -> str:
        return self.name


class EnrolmentKey(models.Model):
    """What a new agent shows to get in: for one customer, for a time, for so many machines."""

    customer = models.ForeignKey(Customer, models.CASCADE, related_name="enrolment_keys")
    key_hash = models.BinaryField(max_length=32, unique=True)
    name = models.CharField(max_length=100)
    for_hypervisors = models.BooleanField(default=False, help_text="agents enrolled with it may send the host side")
    uses_left = models.PositiveIntegerField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.name} for {self.customer}"


class Machine(models.Model):
    """A VM or hypervisor with an agent on it. `inventory_version` goes up with every change of its disks or of the
    contracts on them, so that a web process knows when what it remembers of the machine is stale."""

    customer = models.ForeignKey(Customer, models.CASCADE, related_name="machines")
    machine_id = models.CharField(max_length=128, unique=True)
    hostname = models.CharField(max_length=255)
    host = models.ForeignKey(Host, models.SET_NULL, null=True, blank=True, related_name="machines")
    host_before = models.ForeignKey(
        Host, models.SET_NULL, null=True, blank=True, related_name="+", help_text="where it ran until it was housed"
    )
    housed_at = models.DateTimeField(null=True, blank=True)
    virtualisation = models.CharField(max_length=64, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    inventory_version = models.PositiveIntegerField(default=1)
    enrolled_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.hostname


class Agent(models.Model):
    """The program that speaks for a machine; its token is rotated by enrolling again."""

    machine = models.OneToOneField(Machine, models.CASCADE, related_name="agent")
    # Looked up by hash on every upload.
    token_hash = models.BinaryField(max_length=32, unique=True)
    host_side = models.BooleanField(default=False, help_text="enrolled with a key for hypervisors")
    version = models.CharField(max_length=32, blank=True)
    boot_id = models.CharField(max_length=64, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    # Kept by the functions that store frames: docs/decisions/0018-frames-in-order.md
    frames_until = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="Unix seconds: no frame of the machine's own disks is stored beyond; null: not known",
    )
    in_order = models.BooleanField(db_default=False, help_text="its latest upload began where what is stored had ended")
    health = models.JSONField(default=dict, blank=True, help_text="its own cost and last trouble, in its words")
    health_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"agent of {self.machine}"


class Disk(models.Model):
    """A disk is its WWN, else its serial, else its path, within its machine; never `vda` alone."""

    machine = models.ForeignKey(Machine, models.CASCADE, related_name="disks")
    identity = models.CharField(max_length=300, help_text="wwn:… or serial:… or path:…")
    device = models.CharField(max_length=100)
    serial = models.CharField(max_length=200, blank=True)
    wwn = models.CharField(max_length=200, blank=True)
    size_bytes = models.BigIntegerField(null=True, blank=True)
    rotational = models.BooleanField(null=True, blank=True)
    scheduler = models.CharField(max_length=64, blank=True)
    write_cache = models.CharField(max_length=64, blank=True)
    pool = models.ForeignKey(Pool, models.SET_NULL, null=True, blank=True, related_name="disks")
    first_seen_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True, help_text="when the machine last enrolled without it")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["machine", "identity"], name="disk_once_in_its_machine")]

    def __str__(self) -> str:
        return f"{self.machine.hostname} / {self.device}"


class PoolMembership(models.Model):
    """When a disk lay in which pool: a disk that migrates changes pool at a moment."""

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="pool_memberships")
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="memberships")
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_to=None) | Q(valid_to__gt=F("valid_from")), name="pool_membership_half_open"
            ),
            models.UniqueConstraint(fields=["disk"], condition=Q(valid_to=None), name="one_pool_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.disk} in {self.pool} from {self.valid_from:%F}"


__all__ = ["Agent", "Disk", "EnrolmentKey", "Host", "Machine", "Pool", "PoolMembership", "Vantage"]
