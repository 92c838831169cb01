"""What is owed for the month so far, in words? Cents are said only where a contract names its fee."""

from django.utils.translation import gettext

from sla.scoring.liability import Owed

SIGNS = {"EUR": "€", "USD": "$", "GBP": "£", "CZK": "Kč"}


def amount(cents: int, currency: str) -> str:
    """€4.12; 12.00 JPY where the sign is not known."""
    figure = f"{cents // 100:,}.{cents % 100:02}"
    sign = SIGNS.get(currency)
    return f"{sign}{figure}" if sign else f"{figure} {currency}".strip()


def owed_words(owed: dict[str, Owed]) -> list[dict[str, str]]:
    """One a currency: `{"figure", "note"}`; none where nobody owes anything."""
    found = []
    for currency, one in sorted(owed.items()):
        if not currency:
            continue
        proved, most = amount(one.proved_cents, currency), amount(one.up_to_cents, currency)
        note = gettext("proved") if one.proved_cents == one.up_to_cents else gettext("proved, up to %s") % most
        found.append({"figure": proved, "note": note})
    return found
