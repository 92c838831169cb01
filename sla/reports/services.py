"""The verbs of reports: draft a month, freeze it, correct what was frozen, find what is due."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.accounts.services import record
from sla.domain.statement.canonical import canonical, digest
from sla.domain.statement.code import code_of
from sla.domain.statement.document import Head, statement
from sla.reports import closings, keys, pieces
from sla.reports.evidence import hours_csv
from sla.reports.gather import Gathered, gather
from sla.reports.locks import one_at_a_time
from sla.reports.models import Statement
from sla.reports.signals import statement_frozen
from sla.scoring import store

HOURS_FILE = "hours.csv"
LATER = "later data or terms"


class NotClosedYet(ValueError):
    """The month is open; the message says until when."""


class NothingToState(ValueError):
    """The customer had no disk in that month, or nothing has changed since it was stated."""


@contextmanager
def one_moment() -> Iterator["psycopg.Cursor[tuple]"]:
    """A transaction that sees one state of the database: sums and the hours behind them must agree."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with store.reading() as own:
            yield own


def draft(*, customer: Customer, period: str, now: datetime | None = None) -> dict:
    """The document of a month as it stands, marked as a draft: no number, no signature. PeriodError."""
    now = now or timezone.now()
    with one_moment() as cursor:
        got = gather(cursor, customer, period, now)
    return statement(_head(customer, got, now, number=None, issue=0), got.disks, got.exclusions, [])


def freeze(
    *, customer: Customer, period: str, reason: str = "", actor: User | None = None, now: datetime | None = None
) -> Statement:
    """State a closed month for good, or correct what was stated. PeriodError, NotClosedYet, NothingToState.

    A month that was stated before gets a new number that names the old one, if what it says has changed.
    """
    now = now or timezone.now()
    with one_at_a_time(customer.pk):
        closings.write_down(customer, period, now)
        if Statement.objects.filter(customer=customer, period=period).exists():
            closings.number_changes(customer, period, reason or LATER, now)
        with one_moment() as cursor:
            return _freeze(cursor, customer, period, reason, actor, now)


def _freeze(
    cursor: "psycopg.Cursor[tuple]", customer: Customer, period: str, reason: str, actor: User | None, now: datetime
) -> Statement:
    last = Statement.objects.filter(customer=customer, period=period).order_by("-issue").first()
    got = gather(cursor, customer, period, now)
    if not got.disks:
        raise NothingToState(f"{customer} had no disk in {period}: there is nothing to state")
    if now < got.closes_at:
        raise NotClosedYet(f"{period} of {customer} is open: it closes at {got.closes_at:%F %H:%M} UTC")
    issue = last.issue + 1 if last else 1
    number = f"{period}-{customer.pk:05d}-{issue}"
    head = _head(customer, got, now, number=number, issue=issue, last=last, why=reason)
    file = pieces.keep(HOURS_FILE, hours_csv(cursor, got.spans))
    document = statement(head, got.disks, got.exclusions, [file.evidence()])
    if last is not None and _said(document) == _said(last.document):
        raise NothingToState(f"{last.number} says all there is to say: nothing has changed since")
    made = _store(customer, document, last, got, now)
    file.store(made)
    record(
        verb="statement corrected" if last else "statement frozen",
        object_label=made.number,
        actor=actor,
        customer=customer,
        before={"number": last.number, "digest": last.digest} if last else None,
        after={"number": made.number, "digest": made.digest},
    )
    statement_frozen.send(Statement, statement=made)
    return made


def _head(
    customer: Customer,
    got: Gathered,
    now: datetime,
    *,
    number: str | None,
    issue: int,
    last: Statement | None = None,
    why: str = "",
) -> Head:
    return Head(
        number=number,
        issue=issue,
        supersedes=last.number if last else None,
        reason=why or (LATER if last else ""),
        issuer=settings.BASE_URL,
        made_at=int(now.timestamp()),
        customer_id=customer.pk,
        customer=customer.name,
        period=got.period.text,
        zone=got.period.zone,
        start=int(got.period.start.timestamp()),
        end=int(got.period.end.timestamp()),
        closes_at=int(got.closes_at.timestamp()),
        closed=now >= got.closes_at,
    )


# What things are called may change without anything having happened.
NAMES = frozenset({"machine", "device", "serial", "wwn", "size_bytes"})
ABOUT = frozenset({"number", "issue", "supersedes", "reason", "made_at", "issuer", "customer", "contracts", "disks"})


def _said(document: dict) -> list:
    """What a document says, without names and without what is said about its making."""
    disks = [{name: value for name, value in one.items() if name not in NAMES} for one in document["disks"]]
    terms = [{name: value for name, value in one.items() if name != "name"} for one in document["contracts"]]
    rest = {name: value for name, value in document.items() if name not in ABOUT}
    return [rest, sorted(disks, key=lambda one: (one["id"], one["span"]["start"])), terms]


def _store(customer: Customer, document: dict, last: Statement | None, got: Gathered, now: datetime) -> Statement:
    key, private = keys.signer()
    data = canonical(document)
    fingerprint = digest(data)
    return Statement.objects.create(
        customer=customer,
        period=got.period.text,
        issue=document["issue"],
        number=document["number"],
        supersedes=last,
        reason=document["reason"] or "",
        frozen_at=now,
        closes_at=got.closes_at,
        canonical=data,
        digest=fingerprint,
        code=code_of(fingerprint),
        signature=private.sign(data),
        key=key,
        summary=document["summary"],
    )
