"""What went wrong: incidents, the disks they hit, their history, and what was told to be quiet."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import pgettext_lazy

from sla.accounts.models import Customer, User
from sla.domain.incidents.words import Happened, Status
from sla.domain.incidents.words import Kind as KindWord
from sla.domain.incidents.words import Severity as SeverityWord
from sla.fleet.models import Disk, Machine, Pool


class Incident(models.Model):
    """One trouble with one cause. Only this folder's verbs change it, each change with its event."""

    class Kind(models.TextChoices):
        ACUTE = KindWord.ACUTE, pgettext_lazy("incident", "acute")
        BURN = KindWord.BURN, pgettext_lazy("incident", "burning budget")
        STALL = KindWord.STALL, pgettext_lazy("incident", "stalled")
        UNDER_DELIVERY = KindWord.UNDER_DELIVERY, pgettext_lazy("incident", "under-delivery")
        SILENT = KindWord.SILENT, pgettext_lazy("incident", "silent agent")
        CONTENTION = KindWord.CONTENTION, pgettext_lazy("incident", "contention")
        BACKEND = KindWord.BACKEND, pgettext_lazy("incident", "storage backend")
        PERIOD = KindWord.PERIOD, pgettext_lazy("incident", "period breached")
        WATCHER = KindWord.WATCHER, pgettext_lazy("incident", "Plimsoll itself")

    class Severity(models.TextChoices):
        PAGE = SeverityWord.PAGE, pgettext_lazy("urgency", "page")
        TICKET = SeverityWord.TICKET, pgettext_lazy("urgency", "ticket")
        INFO = SeverityWord.INFO, pgettext_lazy("urgency", "info")

    class State(models.TextChoices):
        OPEN = Status.OPEN, pgettext_lazy("incident", "open")
        ACKNOWLEDGED = Status.ACKNOWLEDGED, pgettext_lazy("incident", "acknowledged")
        RESOLVED = Status.RESOLVED, pgettext_lazy("incident", "resolved")

    kind = models.CharField(max_length=16, choices=Kind)
    key = models.CharField(max_length=100, help_text="what it is grouped by, e.g. slow:pool:7")
    severity = models.CharField(max_length=8, choices=Severity)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    suspected = models.BooleanField(default=False, help_text="only the estimate says so")
    title = models.CharField(max_length=300, help_text="as the NOC reads it")
    opened_at = models.DateTimeField()
    updated_at = models.DateTimeField(help_text="of the last event")
    joined_at = models.DateTimeField(help_text="when the last disk came in")
    quiet_at = models.DateTimeField(null=True, blank=True, help_text="since when nothing of it holds any more")
    resolved_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    announced_at = models.DateTimeField(null=True, blank=True, help_text="last event that nothing muted")
    reopened = models.PositiveIntegerField(default=0, help_text="how often it came back")
    pool = models.ForeignKey(Pool, models.SET_NULL, null=True, blank=True, related_name="incidents")
    machine = models.ForeignKey(Machine, models.SET_NULL, null=True, blank=True, related_name="incidents")
    customer = models.ForeignKey(Customer, models.SET_NULL, null=True, blank=True, related_name="incidents")
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            # Two workers that see the same trouble at once: one opens the incident, the other joins it.
            models.UniqueConstraint(fields=["key"], condition=~Q(state="resolved"), name="one_open_incident_for_a_key"),
            models.CheckConstraint(
                condition=Q(state="resolved", resolved_at__isnull=False) | Q(~Q(state="resolved"), resolved_at=None),
                name="resolved_has_its_moment",
            ),
        ]
        indexes = [
            # The list: newest first of a state, or of all; and the last one of a key, to be reopened.
            models.Index(fields=["state", "-opened_at"]),
            models.Index(fields=["-opened_at", "-id"]),
            models.Index(fields=["key", "-resolved_at"]),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        """Safe to forward: who may not see it is told there is nothing."""
        return reverse("incident", args=[self.pk])


class IncidentDisk(models.Model):
    """A disk in an incident, from when to when; it may leave and come back."""

    incident = models.ForeignKey(Incident, models.CASCADE, related_name="disks")
    disk = models.ForeignKey(Disk, models.CASCADE, related_name="incident_disks")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["incident", "disk"], name="disk_once_in_an_incident"),
            models.CheckConstraint(condition=Q(until=None) | Q(until__gte=F("since")), name="in_incident_half_open"),
        ]
        # A disk's own page asks for its incidents in a span of time.
        indexes = [models.Index(fields=["disk", "-since"])]

    def __str__(self) -> str:
        return f"{self.disk} in {self.incident}"


class IncidentEvent(models.Model):
    """A line of the history: only ever added to (a trigger refuses anything else)."""

    class Kind(models.TextChoices):
        OPENED = Happened.OPENED, "opened"
        JOINED = Happened.JOINED, "joined"
        LEFT = Happened.LEFT, "left"
        ESCALATED = Happened.ESCALATED, "escalated"
        ACKNOWLEDGED = Happened.ACKNOWLEDGED, "acknowledged"
        NOTE = Happened.NOTE, "note"
        REMINDED = Happened.REMINDED, "reminded"
        RESOLVED = Happened.RESOLVED, "resolved"
        REOPENED = Happened.REOPENED, "reopened"
        SILENCED = Happened.SILENCED, "silenced"

    incident = models.ForeignKey(Incident, models.CASCADE, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind)
    actor = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    note = models.CharField(max_length=2000, blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["incident", "id"]),  # its history
            models.Index(fields=["-at"]),  # what happened in the last hour
        ]

    def __str__(self) -> str:
        return f"{self.at:%F %T} {self.kind} {self.incident_id}"


class Silence(models.Model):
    """Told to be quiet: incidents go on and are shown, nobody is notified. Every field that is set must fit."""

    author = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    author_label = models.CharField(max_length=200)
    reason = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    kinds = ArrayField(models.CharField(max_length=16, choices=Incident.Kind), default=list, blank=True)
    incident = models.ForeignKey(Incident, models.CASCADE, null=True, blank=True, related_name="silences")
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, blank=True, related_name="silences")
    machine = models.ForeignKey(Machine, models.CASCADE, null=True, blank=True, related_name="silences")
    customer = models.ForeignKey(Customer, models.CASCADE, null=True, blank=True, related_name="silences")
    disk = models.ForeignKey(Disk, models.CASCADE, null=True, blank=True, related_name="silences")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="silence_half_open")]
        # Every event asks which silences hold now.
        indexes = [models.Index(fields=["ends_at"])]

    def __str__(self) -> str:
        return f"{self.reason} (until {self.ends_at:%F %H:%M} UTC)"


class Mark(models.Model):
    """A disk or a contention window that has to be looked at: what is due stands here, whatever becomes of the broker.

    Appended in the transaction that changed it, taken with SKIP LOCKED.
    """

    disk = models.ForeignKey(Disk, models.CASCADE, null=True, db_index=False, db_constraint=False, related_name="+")
    window_id = models.BigIntegerField(null=True)
    marked_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"disk {self.disk_id}" if self.disk_id else f"window {self.window_id}"


class JobRun(models.Model):
    """When a task of the schedule last ran, how long it took, what it said: one row a task."""

    task = models.CharField(max_length=100, primary_key=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ok_at = models.DateTimeField(null=True, help_text="start of the last run that ended well")
    steady_since = models.DateTimeField(null=True, help_text="since when it runs without a break")
    duration_ms = models.IntegerField(null=True)
    longest_ms = models.IntegerField(default=0)
    runs = models.BigIntegerField(default=0)
    failures = models.BigIntegerField(default=0)
    said = models.CharField(max_length=500, blank=True)
    error = models.CharField(max_length=500, blank=True, help_text="of the last run that failed")
    failed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.task} at {self.started_at:%F %T}"
