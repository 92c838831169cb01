"""What of the audit trail is asked for? The filters of the page and of its file, out of the address."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from sla.accounts.audit import Wanted
from sla.accounts.models import Customer
from sla.accounts.selectors import customers_visible_to


class AuditForm(forms.Form):
    """All may be left out. Days are of UTC, and whole: `until` is the last one."""

    who = forms.CharField(required=False, max_length=100, label=gettext_lazy("Who"))
    verb = forms.CharField(required=False, max_length=64, label=gettext_lazy("Did"))
    what = forms.CharField(required=False, max_length=100, label=gettext_lazy("To what"))
    customer = forms.ModelChoiceField(Customer.objects.none(), required=False, label=gettext_lazy("Customer"))
    since = forms.DateField(required=False, label=gettext_lazy("From"))
    until = forms.DateField(required=False, label=gettext_lazy("To"))

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.GET)
        self.fields["customer"].queryset = customers_visible_to(request.user).order_by("name")

    def wanted(self) -> Wanted:
        """What is odd is left out, and said beside its field."""
        self.is_valid()
        asked: dict[str, Any] = self.cleaned_data
        until = asked.get("until")
        return Wanted(
            who=asked.get("who", ""),
            verb=asked.get("verb", ""),
            what=asked.get("what", ""),
            customer=asked["customer"].pk if asked.get("customer") else None,
            since=_midnight(asked.get("since")),
            until=_midnight(until + timedelta(days=1) if until and until < date.max else None),
        )

    def query(self, **more: Any) -> str:
        """The address of the same with something beside it."""
        kept = {name: value for name, value in self.data.items() if name in self.fields and value}
        return urlencode({**kept, **more})


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time(), UTC) if day else None
