"""What is to be told to whom: the outbox, what people want, and other ways than mail to reach them."""

from datetime import time

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, pgettext_lazy

from sla.accounts.models import Customer, User
from sla.domain.incidents.words import Severity
from sla.domain.notices.wishes import Way
from sla.fleet.models import Pool
from sla.incidents.models import Incident

WAYS = [
    (Way.NOW.value, gettext_lazy("at once")),
    (Way.DIGEST.value, gettext_lazy("in a digest")),
    (Way.OFF.value, pgettext_lazy("how often", "never")),
]
WAY_WORDS = [way for way, _ in WAYS]
SEVERITIES = [
    (Severity.PAGE.value, pgettext_lazy("urgency", "page")),
    (Severity.TICKET.value, pgettext_lazy("urgency", "ticket")),
    (Severity.INFO.value, pgettext_lazy("urgency", "info")),
]


class Preference(models.Model):
    """What one person wants. Who has never chosen has no row, and gets the defaults."""

    user = models.OneToOneField(User, models.CASCADE, related_name="notices_wanted")
    page = models.CharField(max_length=8, choices=WAYS, default=Way.NOW.value)
    ticket = models.CharField(max_length=8, choices=WAYS, default=Way.NOW.value)
    info = models.CharField(max_length=8, choices=WAYS, default=Way.DIGEST.value)
    pools = models.ManyToManyField(Pool, blank=True, related_name="+")
    customers = models.ManyToManyField(Customer, blank=True, related_name="+")
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_to = models.TimeField(null=True, blank=True)
    quiet_for_pages = models.BooleanField(default=False, help_text="quiet hours hold pages too")
    digest_at = models.TimeField(default=time(8))
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(quiet_from=None, quiet_to=None) | Q(quiet_from__isnull=False, quiet_to__isnull=False),
                name="quiet_has_both_ends",
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{name}__in": [way.value for way in Way]}), name=f"way_of_{name}_known"
                )
                for name in ("page", "ticket", "info")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: page {self.page}, ticket {self.ticket}, info {self.info}"


class Channel(models.Model):
    """Another way than mail: a signed webhook or a service that Apprise knows. Its address is a secret: it is sealed.

    Of a person, who is told what they may see; or of the NOC as a whole (`owner` empty).
    """

    class Kind(models.TextChoices):
        WEBHOOK = "webhook", gettext_lazy("signed webhook")
        APPRISE = "apprise", gettext_lazy("message service")

    owner = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="notice_channels")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=100)
    address = models.BinaryField(help_text="sealed")
    secret = models.BinaryField(help_text="sealed; what a webhook is signed with")
    shown = models.CharField(max_length=200, help_text="as much of the address as may be shown")
    least = models.CharField(max_length=8, choices=SEVERITIES, default=Severity.TICKET.value)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["webhook", "apprise"]), name="channel_kind_known"),
            models.CheckConstraint(condition=Q(least__in=[one.value for one in Severity]), name="channel_least_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.shown})"


class Notice(models.Model):
    """A row of the outbox: one thing told to one person, by mail or by one channel.

    Written in the transaction that changes the incident. What is sent is rendered before the first try and kept, with
    a Message-ID that was fixed at writing: a repeat is the same mail, and mail systems fold it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("notice", "waiting")
        SENDING = "sending", pgettext_lazy("notice", "being sent")
        SENT = "sent", pgettext_lazy("notice", "sent")
        FAILED = "failed", pgettext_lazy("notice", "to be tried again")
        GIVEN_UP = "given_up", pgettext_lazy("notice", "given up")
        FOLDED = "folded", pgettext_lazy("notice", "told in another")
        KEPT = "kept", pgettext_lazy("notice", "kept here")

    class Topic(models.TextChoices):
        OPENED = "opened", pgettext_lazy("notice", "opened")
        ESCALATED = "escalated", pgettext_lazy("notice", "escalated")
        REOPENED = "reopened", pgettext_lazy("notice", "came back")
        REMINDED = "reminded", pgettext_lazy("notice", "reminder")
        RESOLVED = "resolved", pgettext_lazy("notice", "recovered")
        DIGEST = "digest", pgettext_lazy("notice", "digest")
        TEST = "test", pgettext_lazy("notice", "test")
        STATEMENT = "statement", pgettext_lazy("notice", "statement")

    person = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="notices")
    channel = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="notices")
    incident = models.ForeignKey(Incident, models.CASCADE, null=True, blank=True, related_name="notices")
    topic = models.CharField(max_length=12, choices=Topic)
    occasion = models.CharField(max_length=40, help_text="which turn of the incident it tells, e.g. begun.0")
    severity = models.CharField(max_length=8, choices=SEVERITIES)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    gathered = models.BooleanField(default=False, help_text="waits to go out together with others")
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    next_at = models.DateTimeField()
    give_up_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=500, blank=True)
    message_id = models.CharField(max_length=200, unique=True)
    sent_to = models.CharField(
        max_length=254, blank=True, help_text="the address it went to, as far as it may be shown"
    )
    folded_into = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="holds")
    rendered_at = models.DateTimeField(null=True, blank=True, help_text="empty until its first try")
    subject = models.CharField(max_length=300, blank=True)
    plain = models.TextField(blank=True)
    html = models.TextField(blank=True)
    chart = models.BinaryField(null=True, blank=True, help_text="PNG")
    chart_alt = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            # An incident that grows to 200 disks says so 200 times: the second notice of the same turn finds the first.
            models.UniqueConstraint(
                fields=["incident", "occasion", "person", "channel"],
                condition=Q(incident__isnull=False),
                nulls_distinct=False,
                name="notice_once",
            ),
            models.CheckConstraint(
                condition=Q(person__isnull=False) | Q(channel__isnull=False), name="notice_has_a_reader"
            ),
        ]
        indexes = [
            # What is due: the few that are neither sent nor given up.
            models.Index(
                fields=["next_at", "id"],
                condition=Q(state__in=["queued", "sending", "failed"]),
                name="notice_due",
            ),
            # The page: newest first, of all or of one state; and what an incident or a person was told.
            models.Index(fields=["-id", "state"], name="notice_newest"),
            models.Index(fields=["state", "-id"], name="notice_of_state"),
            models.Index(fields=["incident", "id"], name="notice_of_incident"),
            # How the outbox stands: what was written within a day.
            models.Index(fields=["-created_at"], name="notice_written"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} to {self.person or self.channel}: {self.state}"


class Server(models.Model):
    """How a way out stands as a whole: a mail server that is away is asked once in a while, not once a mail."""

    name = models.CharField(max_length=16, primary_key=True)
    failures = models.PositiveIntegerField(default=0, help_text="in a row")
    failing_since = models.DateTimeField(null=True, blank=True)
    resting_until = models.DateTimeField(null=True, blank=True)
    ok_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=500, blank=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.last_error or 'well'}"
