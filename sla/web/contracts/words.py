"""How is a contract's text said back to who types it: its terms, what they cost, or where it is wrong?"""

from dataclasses import dataclass, field

from django.utils.translation import gettext

from sla.domain.contract import Contract, ContractError
from sla.domain.contract_check import check_contract
from sla.domain.contract_print import condition
from sla.domain.contract_text import EXAMPLE, ContractTextError, parse_contract
from sla.web.disk_words import plain_percent

MAX_TEXT = 500


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
    within = f"{read:g} ms" if read == write else gettext("reads %g ms, writes %g ms") % (read, write)
    more = [(gettext("an empty disk may take"), f"{contract.base_us / 1000:g} ms")] if contract.base_us else []
    more += [(gettext("counted only when"), " · ".join(condition(one) for one in contract.conditions))] * bool(
        contract.conditions
    )
    return [
        (gettext("objective"), f"{plain_percent(contract.objective_ppm)} %"),
        (gettext("answered within"), within),
        (gettext("as long as the load stays under"), f"{contract.iops:,} IOPS"),
        (gettext("one I/O counts up to"), _size(contract.io_unit_bytes)),
        (gettext("may wait at once (depth)"), f"{contract.depth}"),
        (gettext("tolerance of the cap"), f"{plain_percent(contract.tolerance_ppm)} %"),
        (gettext("months are cut in"), contract.zone),
        (gettext("judged from"), contract.vantage),
        (gettext("budget by"), contract.budget_by),
        (gettext("least observed"), f"{plain_percent(contract.min_coverage_ppm)} %"),
        *more,
    ]


def _size(size: int) -> str:
    for unit, length in (("MiB", 2**20), ("KiB", 2**10)):
        if size % length == 0:
            return f"{size // length} {unit}"
    return f"{size} bytes"
