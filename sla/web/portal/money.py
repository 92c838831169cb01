"""What is owed for the month so far, in words? Cents are said only where a contract names its fee."""

from django.utils.translation import gettext

from sla.reports.sheet.words import money
from sla.scoring.liability import Owed


def owed_words(owed: dict[str, Owed]) -> list[dict[str, str]]:
    """One a currency: `{"figure", "note"}`; none where nobody owes anything."""
    found = []
    for currency, one in sorted(owed.items()):
        if not currency:
            continue
        proved, most = money(one.proved_cents, currency), money(one.up_to_cents, currency)
        note = gettext("proved") if one.proved_cents == one.up_to_cents else gettext("proved, up to %s") % most
        found.append({"figure": proved, "note": note})
    return found
