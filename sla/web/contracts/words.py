"""How is a contract's text said back to who types it: its terms, what they cost, or where it is wrong?"""

from dataclasses import dataclass, field

from django.utils.translation import gettext, gettext_lazy

from sla.domain.contract import Contract, ContractError
from sla.domain.contract_check import check_contract
from sla.domain.contract_print import condition
from sla.domain.contract_text import EXAMPLE, ContractTextError, parse_contract
from sla.figures import decimal, whole
from sla.web.disk_words import plain_percent

MAX_TEXT = 500
SIDES = {"guest": gettext_lazy("the guest"), "host": gettext_lazy("the host")}
BUDGETS = {
    "requests": gettext_lazy("requests"),
    "slots": gettext_lazy("minutes"),
    "both": gettext_lazy("requests and minutes"),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A text as it was understood. `before`, `word`, `after`: the text around the word that is wrong."""

    contract: Contract | None = None
    facts: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    error: str = ""
    before: str = ""
    word: str = ""
    after: str = ""


def checked(text: str) -> Checked:
    """Never raises: what is wrong is said."""
    if len(text) > MAX_TEXT:
        return Checked(error=gettext("At most 500 characters; this has %d.") % len(text))
    if not text.strip():
        return Checked(error=gettext("Type the terms, like: %s") % EXAMPLE)
    try:
        contract = parse_contract(text)
    except ContractTextError as error:
        end = error.offset + len(error.word)
        return Checked(
            error=error.hint, before=text[: error.offset], word=text[error.offset : end] or " ", after=text[end:]
        )
    except ContractError as error:
        return Checked(error=str(error))
    return Checked(contract, facts_of(contract), [warning.text for warning in check_contract(contract)])


def facts_of(contract: Contract) -> list[tuple[str, str]]:
    """The terms one by one, in words."""
    read, write = contract.read_threshold_us / 1000, contract.write_threshold_us / 1000
    within = _ms(read) if read == write else gettext("reads %s, writes %s") % (_ms(read), _ms(write))
    more = [(gettext("an empty disk may take"), _ms(contract.base_us / 1000))] if contract.base_us else []
    more += [(gettext("counted only when"), " · ".join(condition(one) for one in contract.conditions))] * bool(
        contract.conditions
    )
    return [
        (gettext("objective"), _percent(contract.objective_ppm)),
        (gettext("answered within"), within),
        (gettext("as long as the load stays under"), f"{whole(contract.iops)} IOPS"),
        (gettext("one I/O counts up to"), _size(contract.io_unit_bytes)),
        (gettext("may wait at once (depth)"), f"{contract.depth}"),
        (gettext("tolerance of the cap"), _percent(contract.tolerance_ppm)),
        (gettext("months are cut in"), contract.zone),
        (gettext("judged from"), str(SIDES[contract.vantage])),
        (gettext("budget by"), str(BUDGETS[contract.budget_by])),
        (gettext("least observed"), _percent(contract.min_coverage_ppm)),
        *more,
    ]


def tiers_said(tiers: tuple[tuple[int, int], ...]) -> str:
    """'10 % below 99 %, 30 % below 98 %'; each a bound in millionths and what is owed in percent."""
    said = gettext("%(credit)s %% below %(share)s %%")
    return ", ".join(said % {"credit": owed, "share": decimal(plain_percent(below))} for below, owed in tiers)


def _size(size: int) -> str:
    for unit, length in (("MiB", 2**20), ("KiB", 2**10)):
        if size % length == 0:
            return f"{size // length} {unit}"
    return gettext("%(count)s bytes") % {"count": whole(size)}


def _ms(value: float) -> str:
    return f"{decimal(format(value, 'g'))} ms"


def _percent(ppm: int) -> str:
    return f"{decimal(plain_percent(ppm))} %"
