"""Who exists: customers, people, what each may do, their tokens, and what was done."""

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import pgettext_lazy


class Customer(models.Model):
    """One who rents disks. Its zone is where its days and months begin unless a contract says otherwise."""

    name = models.CharField(max_length=200, unique=True)
    zone = models.CharField(max_length=64, default="UTC", help_text="IANA time zone")
    language = models.CharField(
        max_length=8,
        blank=True,
        default="",
        help_text="of its statements and of mail to its people; empty: the house's",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """A person. With a NOC role they see every customer; else those of their memberships."""

    class NocRole(models.TextChoices):
        NONE = "", pgettext_lazy("role", "not of the NOC")
        VIEWER = "viewer", pgettext_lazy("role", "viewer")
        OPERATOR = "operator", pgettext_lazy("role", "operator")
        ADMIN = "admin", pgettext_lazy("role", "admin")

    noc_role = models.CharField(max_length=16, choices=NocRole, blank=True, default=NocRole.NONE)
    zone = models.CharField(max_length=64, default="UTC", help_text="IANA time zone of the reader")
    language = models.CharField(
        max_length=8, blank=True, default="", help_text="of the reader; empty: as the browser asks"
    )
    by_token = ""  # the name of the API token that acts for them in this request

    class Meta(AbstractUser.Meta):
        constraints = [
            # A mail that resets a password must reach one account only; it is looked up by this expression too.
            models.UniqueConstraint(Lower("email"), condition=~Q(email=""), name="user_email_once"),
        ]

    @property
    def is_noc(self) -> bool:
        return self.is_active and bool(self.noc_role)


class Membership(models.Model):
    """A person of a customer."""

    class Role(models.TextChoices):
        VIEWER = "viewer", pgettext_lazy("role", "viewer")
        MANAGER = "manager", pgettext_lazy("role", "manager")

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    customer = models.ForeignKey(Customer, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "customer"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=["viewer", "manager"]), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.customer}: {self.role}"


class Invitation(models.Model):
    """A link, good once and for a time, that makes whoever got the mail a member of a customer or of the NOC."""

    email = models.EmailField()
    customer = models.ForeignKey(Customer, models.CASCADE, null=True, blank=True, related_name="invitations")
    role = models.CharField(max_length=16, choices=Membership.Role, blank=True)
    noc_role = models.CharField(max_length=16, choices=User.NocRole, blank=True)
    token_hash = models.BinaryField(max_length=32, unique=True)
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(customer=None, role="", noc_role__in=["viewer", "operator", "admin"])
                | Q(customer__isnull=False, role__in=["viewer", "manager"], noc_role=""),
                name="invitation_to_one_thing",
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} to {self.customer or 'the NOC'}"


class ApiToken(models.Model):
    """A reader's or writer's bearer token; acts as its user, within its scopes, from its networks, until its end."""

    class Scope(models.TextChoices):
        READ = "read", pgettext_lazy("scope", "read")
        WRITE = "write", pgettext_lazy("scope", "write")

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    token_hash = models.BinaryField(max_length=32, unique=True)
    scopes = ArrayField(models.CharField(max_length=32), default=list)
    networks = ArrayField(
        models.CharField(max_length=43), default=list, blank=True, help_text="CIDR; empty: from anywhere"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class AuditEntry(models.Model):
    """Who changed what, with what it was before and after. Only ever added to."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    actor_label = models.CharField(max_length=200, help_text="the name as it was, or the command that did it")
    customer = models.ForeignKey(Customer, models.CASCADE, null=True, blank=True, related_name="audit_entries")
    verb = models.CharField(max_length=64)
    object_label = models.CharField(max_length=200)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)

    class Meta:
        # The audit page reads newest first, of all or of one customer.
        indexes = [models.Index(fields=["-at"]), models.Index(fields=["customer", "-at"])]

    def __str__(self) -> str:
        return f"{self.at:%F %T} {self.actor_label} {self.verb} {self.object_label}"
