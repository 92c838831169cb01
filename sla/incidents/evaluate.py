"""Do the rules hold for the disks that changed? Claim marks, look, open, join, leave, resolve: one transaction.

It may run twice. One worker at a time: what is one cause must become one incident."""

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import psycopg
from django.db import DataError, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils import timezone

from sla.domain.incidents.condition import Condition, conditions
from sla.domain.incidents.fleet import our_fault
from sla.domain.incidents.group import site_of
from sla.incidents import marks
from sla.incidents.cases import Case, settle_case
from sla.incidents.look import Seen, looks
from sla.incidents.models import Incident, IncidentDisk, JobRun
from sla.incidents.open_cases import case_for, family_of, load, with_members
from sla.neighbours.models import WindowDisk
from sla.scoring import store
from sla.scoring.models import DiskNow

logger = logging.getLogger(__name__)
# Held to the end of the transaction; any number that nobody else takes.
LOCK = 7_460_533
# Marks a transaction takes: two hundred disks of a pool that fail together are one batch, and said within a second.
BATCH = 250
BATCHES = 80
# Disks looked at again in one transaction because they are in an open incident.
SWEEP = 1_000
# A server that was away sees everybody silent: it judges silence only after it has listened this long.
LISTEN_S = 240
ODD = (ValueError, ArithmeticError, LookupError, TypeError, DataError)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What one call did."""

    marks: int
    disks: int


def evaluate_due(*, batch: int = BATCH, batches: int = BATCHES, now: datetime | None = None) -> Evaluated:
    """Look at the disks that are marked. Where another worker is at it, nothing: it sees the marks too."""
    claimed = looked = 0
    for _ in range(batches):
        try:
            got, disks = _batch(batch, now)
        except ODD as error:
            logger.exception("%d marked disks cannot be looked at (%s): trying them one by one", batch, error)
            got, disks = _singly(batch, now)
        claimed, looked = claimed + got, looked + disks
        if got < batch:
            break
    return Evaluated(claimed, looked)


def _batch(limit: int, now: datetime | None) -> tuple[int, int]:
    with store.transacting() as cursor:
        if not alone(cursor):
            return 0, 0
        got, disks, windows = marks.claim(cursor, limit)
        disks |= disks_of_windows(windows)
        evaluate(cursor, disks, now or timezone.now())
        return got, len(disks)


def _singly(limit: int, now: datetime | None) -> tuple[int, int]:
    """One mark a transaction; the odd one goes, or it would come up for ever. The sweep looks at its disk again."""
    got = looked = 0
    while got < limit:
        with store.transacting() as cursor:
            if not alone(cursor):
                break
            claimed, disks, windows = marks.claim(cursor, 1)
            disks |= disks_of_windows(windows)
            try:
                with transaction.atomic():
                    evaluate(cursor, disks, now or timezone.now())
            except ODD:
                logger.exception("the rules were not applied to disks %s", sorted(disks))
        got, looked = got + claimed, looked + len(disks)
        if not claimed:
            break
    return got, looked


def alone(cursor: "psycopg.Cursor[tuple]") -> bool:
    """Is no other worker judging incidents? Held until the transaction ends."""
    return bool(cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK]).fetchone()[0])


def disks_of_windows(windows: Collection[int]) -> set[int]:
    """Everybody who suffers in these windows."""
    return set(WindowDisk.objects.filter(window__in=windows).values_list("disk", flat=True)) if windows else set()


def sweep(*, now: datetime | None = None) -> int:
    """Look again at every disk that is in an open incident, and let quiet incidents end; how many disks."""
    active = sorted(
        IncidentDisk.objects.exclude(incident__state=Incident.State.RESOLVED)
        .filter(until=None)
        .values_list("disk", flat=True)
        .distinct()
    )
    for at in range(0, len(active), SWEEP):
        with store.transacting() as cursor:
            if alone(cursor):
                evaluate(cursor, active[at : at + SWEEP], now or timezone.now())
    with store.transacting() as cursor:
        if alone(cursor):
            _end_quiet(now or timezone.now())
    return len(active)


def _end_quiet(now: datetime) -> None:
    """Incidents in which nothing holds any more, or whose disks are gone from the inventory."""
    active = IncidentDisk.objects.filter(incident=OuterRef("pk"), until=None)
    quiet = (
        Incident.objects.select_for_update(of=("self",))
        .select_related("pool", "machine", "customer")
        .exclude(state=Incident.State.RESOLVED)
        .exclude(kind=Incident.Kind.WATCHER)
        .filter(Q(quiet_at__isnull=False) | ~Exists(active))
    )
    for case in with_members(quiet.order_by("pk")):
        settle_case(case, now)


def evaluate(cursor: "psycopg.Cursor[tuple]", disks: Collection[int], now: datetime) -> None:
    """Apply the rules to these disks. The caller is alone."""
    if not disks:
        return
    members = IncidentDisk.objects.filter(disk__in=disks, until=None).exclude(incident__state=Incident.State.RESOLVED)
    before = {disk: got.get("firing_lost", ()) for disk, got in members.values_list("disk", "figures")}
    seen = looks(cursor, disks, now, before)
    sites = {site_of(one.look.pool, one.look.machine) for one in seen}
    cases = load(disks, sites, wider=any(one.look.wider for one in seen))
    held = {one.disk.pk: {found.family: found for found in conditions(one.look, now.timestamp())} for one in seen}
    _gone(cases, {one.disk.pk for one in seen}, disks, now)
    wanted: list[tuple[Seen, Condition]] = []
    for one in seen:
        wanted += _known(cases, one, dict(held[one.disk.pk]), now)
    for one, condition in _believed(wanted, cases, now):
        case_for(cases, one, condition, now).join(one, condition, now)
    for case in cases:
        if case.began or case.joined or case.left or case.changed or case.incident.quiet_at:
            settle_case(case, now)


def _gone(cases: Iterable[Case], there: Collection[int], asked: Collection[int], now: datetime) -> None:
    """Disks that were deleted from inventory or from judging leave."""
    for case in cases:
        for member in case.active:
            if member.disk_id in asked and member.disk_id not in there:
                case.leave(member.disk_id, now)


def _known(
    cases: Iterable[Case], seen: Seen, held: dict[str, Condition], now: datetime
) -> list[tuple[Seen, Condition]]:
    """What is in an incident already stays or leaves it; returned is what is in none. In maintenance nothing opens."""
    for case in cases:
        member = case.members.get(seen.disk.pk)
        if member is None or member.until is not None:
            continue
        family = family_of(case.incident.key)
        condition = held.get(family)
        if condition is None or (family == "period" and not case.incident.key.endswith(seen.look.period)):
            case.leave(seen.disk.pk, now)
        else:
            case.keep(seen, condition)
            del held[family]
    return [] if seen.look.mute else [(seen, condition) for condition in held.values()]


def _believed(wanted: list[tuple[Seen, Condition]], cases: list[Case], now: datetime) -> list[tuple[Seen, Condition]]:
    """Without the silence of a fleet that we do not hear: then the fault is ours, and the auditor's to tell."""
    silent = [one for one in wanted if one[1].family == "silent"]
    if not silent:
        return wanted
    if not listened(now) or nobody_is_heard(now):
        return [one for one in wanted if one[1].family != "silent"]
    return wanted


def listened(now: datetime) -> bool:
    """Have the workers been settling frames without a break for long enough to know what silence is?"""
    run = JobRun.objects.filter(task="sla.scoring.settle_due").first()
    # Without any record nobody runs the schedule (a command, a test): whoever calls knows what they do.
    return run is None or run.steady_since is None or now - run.steady_since >= timedelta(seconds=LISTEN_S)


def nobody_is_heard(now: datetime) -> bool:
    """Most machines that sent something within the last day are silent."""
    newest = (
        DiskNow.objects.filter(seen_at__gte=now - timedelta(days=1))
        .values("disk__machine")
        .annotate(last=Max("seen_at"))
        .values_list("last", flat=True)
    )
    moments = list(newest)
    silent = sum(now - moment > timedelta(seconds=LISTEN_S - 60) for moment in moments)
    return our_fault(silent, len(moments))


__all__ = ["Evaluated", "evaluate_due", "nobody_is_heard", "sweep"]
