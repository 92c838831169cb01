"""What did they type as fee and credits? `49.90 EUR` and `10% below 99%, 30% below 98%`."""

import re
from decimal import Decimal
from itertools import pairwise

from sla.domain.contract import PPM
from sla.domain.contract_print import percent

MOST_TIERS = 8
FEE = re.compile(r"(\d{1,12})(?:[.,](\d{2}))? ?([A-Za-z]{3})")
TIER = re.compile(r"(\d{1,3}) ?% below (\d{1,2}(?:\.\d{1,4})?) ?%")


class PriceError(ValueError):
    """The text names no price; the message holds the word that is wrong and what would do."""


def parse_fee(text: str) -> tuple[int | None, str]:
    """'49.90 EUR' is (4990, 'EUR'); '' is (None, ''): not said. Raises PriceError."""
    if not text.strip():
        return None, ""
    found = FEE.fullmatch(text.strip())
    if not found:
        raise PriceError(f"{text.strip()[:40]!r} is no fee: write an amount and a currency, like 49.90 EUR")
    return int(found[1]) * 100 + int(found[2] or 0), found[3].upper()


def print_fee(cents: int | None, currency: str) -> str:
    """(4990, 'EUR') is '49.90 EUR'."""
    return "" if cents is None else f"{cents // 100}.{cents % 100:02d} {currency}".strip()


def parse_tiers(text: str) -> tuple[tuple[int, int], ...]:
    """'10% below 99%, 30% below 98%' is ((990000, 10), (980000, 30)), the mildest first. Raises PriceError.

    A lower SLI must owe more: else a worse month would be cheaper.
    """
    found = []
    for part in filter(None, (part.strip() for part in re.split(r"[,;\n]", text))):
        tier = TIER.fullmatch(part)
        if not tier:
            raise PriceError(f"{part[:40]!r} is no credit: write like 10% below 99%")
        below, owed = int(Decimal(tier[2]) * 10_000), int(tier[1])
        if not (0 < below < PPM and 0 < owed <= 100):
            raise PriceError(f"{part!r}: the credit is 1% to 100% and the bound lies between 0% and 100%")
        found.append((below, owed))
    found.sort(reverse=True)
    for (above, less), (below, more) in pairwise(found):
        if above == below:
            raise PriceError(f"below {percent(above)} is said twice")
        if more <= less:
            raise PriceError(f"below {percent(below)} must owe more than the {less}% below {percent(above)}")
    if len(found) > MOST_TIERS:
        raise PriceError(f"{len(found)} credits: at most {MOST_TIERS}")
    return tuple(found)


def print_tiers(tiers: tuple[tuple[int, int], ...]) -> str:
    """The text that `parse_tiers` reads."""
    return ", ".join(f"{owed}% below {percent(below)}" for below, owed in tiers)
