"""Who has to be told of an incident, by which ways? NOC people by their wishes; a customer's people of their own disks
only."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db.models import Prefetch, Q, QuerySet

from sla.accounts.models import Membership, User
from sla.domain.incidents.words import Severity
from sla.domain.notices.moments import Quiet
from sla.domain.notices.wishes import Matter, Way, Wishes
from sla.incidents.models import Incident
from sla.notifications.models import Channel, Preference


@dataclass(frozen=True, slots=True)
class Hit:
    """What an incident touches: pairs of customer and pool (None: in no pool)."""

    pairs: frozenset[tuple[int, int | None]]
    pool: int | None
    severity: Severity
    noc_only: bool

    @property
    def customers(self) -> frozenset[int]:
        return frozenset(customer for customer, _ in self.pairs)


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to somebody. `user` None: the NOC as a whole; `channel` None: mail; `customers` None: sees all (NOC)."""

    user: User | None
    channel: Channel | None
    wishes: Wishes
    customers: frozenset[int] | None

    @property
    def key(self) -> tuple[int | None, int | None]:
        """As the outbox names it."""
        return (self.user.pk if self.user else None, self.channel.pk if self.channel else None)

    def matter(self, hit: Hit) -> Matter:
        """What of it concerns this reader."""
        if self.customers is not None:
            return Matter(hit.severity, customers=hit.customers & self.customers)
        pools = frozenset({hit.pool, *(pool for _, pool in hit.pairs)} - {None})
        return Matter(hit.severity, pools=pools, customers=hit.customers)


def hit_by(incident: Incident) -> Hit:
    """One query, however many disks there are."""
    pairs = incident.disks.order_by().values_list("disk__machine__customer_id", "disk__pool_id").distinct()
    noc_only = incident.kind == Incident.Kind.WATCHER
    return Hit(frozenset(pairs), incident.pool_id, Severity(incident.severity), noc_only)


def readers_of(hit: Hit) -> Iterator[Reader]:
    """Everybody whom it may concern; what each of them wants is asked of their wishes."""
    wanted = ~Q(noc_role="")
    if not hit.noc_only and hit.customers:
        wanted |= Q(memberships__customer__in=hit.customers)
    for user in people().filter(wanted).distinct():
        yield from ways_to(user)
    for channel in Channel.objects.filter(owner=None, active=True):
        yield Reader(None, channel, Wishes(ZoneInfo("UTC"), ways_from(Severity(channel.least))), None)


def people() -> QuerySet[User]:
    """Active people with all that decides what they are told; four queries, however many they are."""
    return (
        User.objects.filter(is_active=True)
        .select_related("notices_wanted")
        .prefetch_related(
            "notices_wanted__pools",
            "notices_wanted__customers",
            Prefetch("notice_channels", Channel.objects.filter(active=True)),
            Prefetch("memberships", Membership.objects.all()),
        )
        .order_by("id")
    )


def ways_to(user: User) -> Iterator[Reader]:
    """Mail where there is an address, and each channel of theirs."""
    customers = None if user.is_noc else frozenset(m.customer_id for m in user.memberships.all())
    wanted = getattr(user, "notices_wanted", None)
    wishes = wishes_of(wanted or Preference(user=user), zone_of(user), chosen=wanted is not None)
    if user.email:
        yield Reader(user, None, wishes, customers)
    for channel in user.notice_channels.all():
        yield Reader(user, channel, _of_channel(wishes, channel), customers)


def wishes_of(wanted: Preference, zone: tzinfo, *, chosen: bool = True) -> Wishes:
    """`chosen` False: the row is not stored, so that it has no pools or customers to ask for."""
    ways = {severity: Way(getattr(wanted, severity)) for severity in Severity}
    begin, end = wanted.quiet_from, wanted.quiet_to
    return Wishes(
        zone=zone,
        ways=ways,
        pools=frozenset(pool.pk for pool in wanted.pools.all()) if chosen else frozenset(),
        customers=frozenset(customer.pk for customer in wanted.customers.all()) if chosen else frozenset(),
        quiet=Quiet(begin, end) if begin is not None and end is not None else None,
        quiet_for_pages=wanted.quiet_for_pages,
        digest_at=wanted.digest_at,
    )


def zone_of(user: User | None) -> tzinfo:
    """Their own, UTC where it is unknown."""
    try:
        return ZoneInfo(user.zone if user else "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def ways_from(least: Severity) -> dict[Severity, Way]:
    """A channel takes what is at least so bad, at once: a digest would have nobody to read it there."""
    return {one: Way.NOW if one.weight >= least.weight else Way.OFF for one in Severity}


def _of_channel(wishes: Wishes, channel: Channel) -> Wishes:
    return Wishes(
        zone=wishes.zone,
        ways=ways_from(Severity(channel.least)),
        pools=wishes.pools,
        customers=wishes.customers,
        quiet=wishes.quiet,
        quiet_for_pages=wishes.quiet_for_pages,
    )


def may_see(reader: Reader, customers: Collection[int]) -> bool:
    """Is any of it theirs?"""
    return reader.customers is None or bool(reader.customers & frozenset(customers))
