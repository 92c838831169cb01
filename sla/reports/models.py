"""What was stated: statements with their files and signatures, the keys that signed, who held a machine when."""

import json
from functools import cached_property
from typing import Any

from django.db import models
from django.db.models import F, Q

from sla.accounts.models import Customer, User
from sla.fleet.models import Machine


class SigningKey(models.Model):
    """An Ed25519 key. The newest that is not retired signs; the public half of every key is kept for ever."""

    name = models.CharField(max_length=16, unique=True, help_text="the first 16 hex digits of the public key's SHA-256")
    public = models.BinaryField(max_length=32)
    sealed = models.BinaryField(null=True, help_text="the private half, encrypted; empty where a file holds it")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class Statement(models.Model):
    """A month of a customer as it was stated: never changed, only followed by one that names it."""

    customer = models.ForeignKey(Customer, models.CASCADE, related_name="statements")
    period = models.CharField(max_length=7)
    issue = models.PositiveIntegerField(help_text="1 is the first statement of the month, 2 its first correction")
    number = models.CharField(max_length=40, unique=True)
    supersedes = models.OneToOneField(
        "self", models.CASCADE, null=True, blank=True, related_name="superseded_by", help_text="what it corrects"
    )
    reason = models.CharField(max_length=300, blank=True)
    frozen_at = models.DateTimeField()
    closes_at = models.DateTimeField(help_text="when the last of its disks' months closed")
    canonical = models.BinaryField(help_text="the document, byte for byte as it was signed")
    digest = models.CharField(max_length=64)
    code = models.CharField(max_length=19, unique=True, help_text="what a reader types to check a printed page")
    signature = models.BinaryField(max_length=64)
    key = models.ForeignKey(SigningKey, models.PROTECT, related_name="statements")
    summary = models.JSONField(help_text="the document's own, so that a list need not open documents")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["customer", "period", "issue"], name="statement_issue_once"),
            models.CheckConstraint(
                condition=Q(issue=1, supersedes=None) | Q(issue__gt=1, supersedes__isnull=False),
                name="correction_names_the_old",
            ),
        ]
        # The lists: newest month first, of all customers or of one.
        indexes = [
            models.Index(fields=["-period", "customer", "-issue"], name="statement_newest"),
        ]

    def __str__(self) -> str:
        return self.number

    @cached_property
    def document(self) -> dict[str, Any]:
        """What was signed, read."""
        return json.loads(bytes(self.canonical))  # type: ignore[no-any-return]


class StatementFile(models.Model):
    """A piece of a file that belongs to a statement, compressed: whole files never lie in memory."""

    statement = models.ForeignKey(Statement, models.CASCADE, related_name="pieces")
    name = models.CharField(max_length=40, help_text="hours.csv, statement.pdf")
    place = models.PositiveIntegerField()
    body = models.BinaryField(help_text="zstd")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["statement", "name", "place"], name="piece_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.place}"


class Handover(models.Model):
    """A machine went from one customer to another. Written by a trigger of the database, whoever made the change."""

    machine = models.ForeignKey(Machine, models.CASCADE, related_name="handovers")
    before = models.ForeignKey(Customer, models.CASCADE, related_name="+")
    after = models.ForeignKey(Customer, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(before=F("after")), name="handover_changes_hands")]
        # Whose machine was it in this month?
        indexes = [models.Index(fields=["machine", "at"], name="handover_of_machine")]

    def __str__(self) -> str:
        return f"{self.machine}: {self.before} to {self.after}"


class Batch(models.Model):
    """A month being stated for everybody, and how far it is."""

    period = models.CharField(max_length=7)
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    customers = models.PositiveIntegerField(default=0, help_text="how many are to be done")
    done = models.PositiveIntegerField(default=0)
    made = models.PositiveIntegerField(default=0, help_text="statements that are new")
    problems = models.JSONField(default=list, blank=True, help_text="[customer, sentence] of those that could not be")

    class Meta:
        ordering = ["-started_at"]

    def __str__(self) -> str:
        return f"{self.period}: {self.done} of {self.customers}"
