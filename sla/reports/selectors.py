"""Which statements may this person see, and what does a list say of each?"""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from sla.accounts.models import Customer, User
from sla.accounts.selectors import customers_visible_to
from sla.domain.period import Period, period_of
from sla.domain.statement.code import typed_code
from sla.reports.models import Statement


def statements_visible_to(user: User | AnonymousUser) -> QuerySet[Statement]:
    """All for the NOC, a customer's own for its people, none for a stranger. Newest month first; without documents."""
    found = Statement.objects.select_related("customer", "key", "supersedes", "superseded_by").defer("canonical")
    found = found.order_by("-period", "customer__name", "-issue", "-pk")
    return found if getattr(user, "is_noc", False) else found.filter(customer__in=customers_visible_to(user))


def by_code(text: str) -> Statement | None:
    """The statement that a printed code belongs to; anybody may ask who holds the page."""
    code = typed_code(text)
    found = Statement.objects.select_related("customer", "key", "superseded_by", "supersedes")
    return found.filter(code=code).first() if code else None


def statement_item(statement: Statement) -> dict[str, Any]:
    """An item of `GET /api/v1/reports`."""
    replaced = getattr(statement, "superseded_by", None)
    return {
        "id": statement.pk,
        "number": statement.number,
        "customer": statement.customer.name,
        "period": statement.period,
        "issue": statement.issue,
        "supersedes": statement.supersedes.number if statement.supersedes else None,
        "superseded_by": replaced.number if replaced else None,
        "reason": statement.reason or None,
        "frozen_at": int(statement.frozen_at.timestamp()),
        "digest": statement.digest,
        "code": statement.code,
        "key": statement.key.name,
        "summary": statement.summary,
    }


def last_closed_month(customer: Customer, now: datetime) -> Period:
    """The latest month that is closed by the customer's own calendar."""
    period = period_of(now, customer.zone).previous()
    return period if now >= period.closes_at else period.previous()


def after(statements: QuerySet[Statement], period: str, customer: str, issue: int, pk: int) -> QuerySet[Statement]:
    """Those that come after this one in the list."""
    same_month = Q(period=period)
    same_customer = same_month & Q(customer__name=customer)
    return statements.filter(
        Q(period__lt=period)
        | same_month & Q(customer__name__gt=customer)
        | same_customer & Q(issue__lt=issue)
        | same_customer & Q(issue=issue, pk__lt=pk)
    )
