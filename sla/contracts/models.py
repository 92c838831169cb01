"""What is promised: contracts in versions, to which disks they apply and when, and what is taken out."""

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField, DateTimeRangeField, RangeBoundary, RangeOperators
from django.db import models
from django.db.models import F, Func, Q

from sla.accounts.models import Customer, User
from sla.fleet.models import Disk, Pool
from sla.fleet.vantage import Vantage


class Contract(models.Model):
    """A promise under one name; its terms stand in its versions."""

    name = models.CharField(max_length=100)
    customer = models.ForeignKey(Customer, models.CASCADE, null=True, blank=True, related_name="contracts")
    is_default = models.BooleanField(default=False, help_text="given to a disk that has just enrolled")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["customer"], condition=Q(is_default=True), name="one_default_contract", nulls_distinct=False
            ),
            models.UniqueConstraint(fields=["customer", "name"], name="contract_name_once", nulls_distinct=False),
        ]

    def __str__(self) -> str:
        return self.name


class ContractVersion(models.Model):
    """The terms. Immutable once in force. All figures are integers; `text` is what people typed and read.

    Its id is the `term` of the wire format: one version of a contract as far as seconds are concerned.
    """

    class BudgetBy(models.TextChoices):
        REQUESTS = "requests", "requests"
        SLOTS = "slots", "slots"
        BOTH = "both", "both"

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    text = models.CharField(max_length=500)
    objective_ppm = models.PositiveIntegerField(help_text="0.99 is 990000")
    read_threshold_us = models.PositiveIntegerField()
    write_threshold_us = models.PositiveIntegerField()
    iops = models.PositiveIntegerField()
    io_unit_bytes = models.PositiveIntegerField(default=262_144)
    tolerance_ppm = models.PositiveIntegerField(default=100_000)
    depth = models.PositiveIntegerField()
    base_us = models.PositiveIntegerField(default=0)
    vantage = models.SmallIntegerField(choices=Vantage, default=Vantage.GUEST)
    budget_by = models.CharField(max_length=16, choices=BudgetBy, default=BudgetBy.BOTH)
    zone = models.CharField(max_length=64, default="UTC")
    min_coverage_ppm = models.PositiveIntegerField(default=950_000)
    credit_tiers = models.JSONField(default=list, blank=True, help_text="[[below SLI in ppm, credit in percent], …]")
    fee_cents = models.BigIntegerField(null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "number"], name="version_number_once"),
            models.CheckConstraint(
                condition=Q(objective_ppm__gt=0) & Q(objective_ppm__lt=1_000_000), name="objective_inside_0_and_1"
            ),
            models.CheckConstraint(
                condition=Q(read_threshold_us__gt=0) & Q(write_threshold_us__gt=0), name="version_has_thresholds"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.text} (v{self.number})"


class Assignment(models.Model):
    """Which version judges a disk, and when: half-open, never two at once. `valid_from` None: from the first frame."""

    disk = models.ForeignKey(Disk, models.CASCADE, related_name="assignments")
    version = models.ForeignKey(ContractVersion, models.PROTECT, related_name="assignments")
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_from=None) | Q(valid_to=None) | Q(valid_to__gt=F("valid_from")),
                name="assignment_half_open",
            ),
            ExclusionConstraint(
                name="one_contract_at_a_time",
                expressions=[
                    ("disk", RangeOperators.EQUAL),
                    (
                        Func(
                            F("valid_from"),
                            F("valid_to"),
                            RangeBoundary(),
                            function="TSTZRANGE",
                            output_field=DateTimeRangeField(),
                        ),
                        RangeOperators.OVERLAPS,
                    ),
                ],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.disk}: {self.version}"


class MaintenanceWindow(models.Model):
    """Time that was agreed: it may mute alerts, be excluded from the SLA, or both: two switches."""

    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    mutes = models.BooleanField(default=True, help_text="no alerts while it lasts")
    excludes = models.BooleanField(default=False, help_text="its time is taken out of the SLA")
    reason = models.CharField(max_length=300)
    disks = models.ManyToManyField(Disk, blank=True, related_name="maintenance_windows")
    pools = models.ManyToManyField(Pool, blank=True, related_name="maintenance_windows")
    customers = models.ManyToManyField(Customer, blank=True, related_name="maintenance_windows")
    approvals = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True, blank=True)
    asks_exclusion = models.BooleanField(default=False, help_text="waits for the customers' word to be excluded")
    series = models.ForeignKey(
        "contracts.MaintenanceSeries", models.CASCADE, null=True, blank=True, related_name="windows"
    )
    planned_at = models.DateTimeField(null=True, blank=True, help_text="which turn of its series it is")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="window_half_open"),
            # A series that is laid out twice makes each window once.
            models.UniqueConstraint(fields=["series", "planned_at"], name="turn_of_a_series_once"),
        ]
        # Scoring asks for the windows that touch a span of time.
        indexes = [models.Index(fields=["ends_at", "starts_at"])]

    def __str__(self) -> str:
        return f"{self.reason}, {self.starts_at:%F %H:%M} to {self.ends_at:%F %H:%M}"


class MaintenanceSeries(models.Model):
    """Maintenance that comes again by a rule; its windows are laid out some weeks ahead."""

    rule = models.CharField(max_length=300, help_text="RFC 5545, e.g. FREQ=WEEKLY;BYDAY=SU")
    begins_local = models.CharField(max_length=16, help_text="first start on the zone's wall clock, 2026-11-22T02:00")
    minutes = models.PositiveIntegerField(help_text="how long on that clock")
    zone = models.CharField(max_length=64)
    mutes = models.BooleanField(default=True)
    excludes = models.BooleanField(default=False)
    reason = models.CharField(max_length=300)
    disks = models.ManyToManyField(Disk, blank=True, related_name="maintenance_series")
    pools = models.ManyToManyField(Pool, blank=True, related_name="maintenance_series")
    customers = models.ManyToManyField(Customer, blank=True, related_name="maintenance_series")
    laid_out_to = models.DateTimeField(help_text="windows that begin before this are there")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.reason}, {self.rule} from {self.begins_local} {self.zone}"


class MaintenanceApproval(models.Model):
    """A customer's word that time which had passed already is taken out of their SLA."""

    window = models.ForeignKey(MaintenanceWindow, models.CASCADE, related_name="words")
    customer = models.ForeignKey(Customer, models.CASCADE, related_name="+")
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    by_label = models.CharField(max_length=200)
    note = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["window", "customer"], name="one_word_of_a_customer")]

    def __str__(self) -> str:
        return f"{self.customer}: {self.by_label}, {self.at:%F %H:%M} UTC"
