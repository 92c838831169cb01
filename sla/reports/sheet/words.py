"""How are figures and moments written? Cut and never rounded up, in the reader's language, in the contract's zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, pgettext

from sla import figures

PPB = 10**9
DASH = "–"
FAR_OVER = -999 * PPB // 100
# Currencies that people write with a sign.
SIGNS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CZK": "Kč"}


def whole(value: int | None) -> str:
    """41200 is '41,200'; unknown is a dash."""
    return DASH if value is None else number_format(value, decimal_pos=0, force_grouping=True)


def per_cent(ppb: int | None, digits: int = 2) -> str:
    """A ratio in billionths as '99.99', cut."""
    if ppb is None:
        return "?"
    step = 10 ** (7 - digits)
    sign, cut = ("−", -ppb // step) if ppb < 0 else ("", ppb // step)
    cut = -(ppb // step) if ppb < 0 else cut
    return sign + number_format(f"{cut // 10**digits}.{cut % 10**digits:0{digits}d}" if digits else str(cut), digits)


def share(ppb: int | None, digits: int = 2) -> str:
    """'99.99 %'; unknown is a dash."""
    return DASH if ppb is None else f"{per_cent(ppb, digits)} %"


def left(ppb: int | None) -> str:
    """A budget left, in whole per cent; far overspent is said so, not counted out."""
    return share(ppb, 0) if ppb is None or ppb > FAR_OVER else f"<\u00a0{share(FAR_OVER, 0)}"


def attained(sli: dict[str, int | None], digits: int = 2) -> str:
    """'98.61–98.90 %'."""
    low, high = per_cent(sli["low"], digits), per_cent(sli["high"], digits)
    if sli["low"] is None and sli["high"] is None:
        return DASH
    return f"{low} %" if low == high else f"{low}{DASH}{high} %"


def duration(ms: int) -> str:
    """'4.7 s', '3 min 20 s', '2 h 5 min'."""
    if ms < 60_000:
        return gettext("%(count)s s") % {
            "count": number_format(f"{ms // 100 / 10:.1f}", 1) if ms % 1000 else whole(ms // 1000)
        }
    minutes, seconds = divmod(ms // 1000, 60)
    if minutes < 60:
        return gettext("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": seconds}
    return gettext("%(hours)s h %(minutes)s min") % {"hours": whole(minutes // 60), "minutes": minutes % 60}


def money(cents: int | None, currency: str | None) -> str:
    """'€412.50'; a dash where no fee is known."""
    if cents is None:
        return DASH
    amount = number_format(f"{cents // 100}.{cents % 100:02d}", 2, force_grouping=True)
    if currency not in SIGNS:
        return f"{amount} {currency}".strip() if currency else amount
    return pgettext("money", "%(sign)s%(amount)s") % {"sign": SIGNS[currency], "amount": amount}


def local(unix_s: int, zone: str) -> datetime:
    return datetime.fromtimestamp(unix_s, UTC).astimezone(ZoneInfo(zone))


def day(unix_s: int, zone: str) -> str:
    """'1 November 2026'."""
    return figures.long_day(local(unix_s, zone))


def month(unix_s: int, zone: str) -> str:
    """'November 2026'."""
    return figures.month(local(unix_s, zone))


def clock(unix_s: int, zone: str) -> str:
    """'3 Nov 14:05'; the zone is printed once a page."""
    at = local(unix_s, zone)
    return f"{figures.day_of_year(at)} {at:%H:%M}"


def span(start: int, end: int | None, zone: str) -> str:
    """'3 Nov 14:05–14:20'."""
    if end is None:
        return gettext("since %(moment)s") % {"moment": clock(start, zone)}
    if local(start, zone).date() == local(end, zone).date():
        return f"{clock(start, zone)}{DASH}{local(end, zone):%H:%M}"
    return f"{clock(start, zone)} {DASH} {clock(end, zone)}"


def state(word: str) -> str:
    """The one vocabulary of states."""
    return {
        "met": pgettext("state", "met"),
        "at_risk": pgettext("state", "at risk"),
        "breached": pgettext("state", "breached"),
        "excused": pgettext("state", "excused"),
        "idle": pgettext("state", "idle"),
        "no_data": pgettext("state", "no data"),
        "maintenance": pgettext("state", "maintenance"),
    }[word]


def verdict(word: str, *, proved: bool) -> str:
    """'breached', 'likely breached'."""
    if proved:
        return state(word)
    return {
        "met": pgettext("state", "likely met"),
        "at_risk": pgettext("state", "likely at risk"),
        "breached": pgettext("state", "likely breached"),
        "excused": pgettext("state", "likely excused"),
    }.get(word, state(word))


def reason(word: str) -> str:
    """Why a month is what it is, in a sentence."""
    return {
        "SLOW": gettext("more of the covered requests were slow than the objective allows"),
        "SLOW_SLOTS": gettext("more minutes were breached than the objective allows"),
        "LOST_TIME": gettext("more time was lost to stalls and short delivery than the objective allows"),
        "LOW_COVERAGE": gettext("less of the month was observed than the contract asks for"),
        "LOW_VOLUME": gettext("there were fewer requests than the contract asks for"),
        "GAP": gettext("some requests fell into times nobody observed; they count for and against nobody"),
        "BUDGET_LOW": gettext("less than a fifth of the budget is left"),
        "NO_CONTRACT": gettext("no contract was in force"),
    }.get(word, word.replace("_", " ").lower())


def disks(count: int) -> str:
    return ngettext("%(count)s disk", "%(count)s disks", count) % {"count": whole(count)}


def size(count: int | None) -> str:
    """'40 GiB'."""
    if count is None:
        return DASH
    for unit, factor in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20)):
        if count >= factor:
            value = count * 10 // factor
            return f"{number_format(f'{value // 10}.{value % 10}', 1) if value % 10 else whole(value // 10)} {unit}"
    return f"{whole(count)} B"
