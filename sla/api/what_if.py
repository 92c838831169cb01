"""What would a month have been worth under other terms? For one disk exactly, for all of them by estimate."""

from typing import Any

from django.http import HttpRequest
from ninja import Router

from sla.api.disks import visible_disk
from sla.api.errors import Refused
from sla.domain.contract import Contract, ContractError
from sla.domain.contract_text import ContractTextError, parse_contract
from sla.domain.period import Period, PeriodError, parse_period
from sla.scoring import listing
from sla.scoring.what_if import summary, what_if_from_frames, what_if_from_hours

router = Router(tags=["what-if"])
MAX_TEXT = 500
# A month of a thousand disks takes about two seconds from hours; more is for `manage.py what_if`, which shows progress.
MAX_DISKS = 1_000


def _terms(contract: str, period: str) -> tuple[Contract, Period]:
    if len(contract) > MAX_TEXT:
        raise Refused(422, "bad_value", f"contract has {len(contract)} characters, at most {MAX_TEXT}", "contract")
    try:
        terms = parse_contract(contract)
        return terms, parse_period(period, terms.zone)
    except ContractTextError as error:
        raise Refused(422, "bad_contract", str(error), "contract") from error
    except ContractError as error:
        raise Refused(422, "bad_contract", str(error), "contract") from error
    except PeriodError as error:
        raise Refused(422, "bad_value", str(error), "period") from error


@router.get("/disks/{int:disk_id}/what-if", summary="One disk's month under other terms")
def one(request: HttpRequest, disk_id: int, contract: str, period: str, exact: bool = False) -> dict[str, Any]:
    """From its hours, and then only as an estimate; `exact` from its frames while they are kept."""
    disk = visible_disk(request, disk_id)
    terms, month = _terms(contract, period)
    if exact:
        return what_if_from_frames(disk.pk, month, terms).said(terms)
    (answer,) = what_if_from_hours([disk.pk], month, terms)
    return answer.said(terms)


@router.get("/what-if", summary="A month of all disks under other terms")
def fleet(request: HttpRequest, contract: str, period: str, customer: str = "", pool: str = "") -> dict[str, Any]:
    """Of the disks that the caller may see, from their hours: how many would have been met and breached."""
    terms, month = _terms(contract, period)
    wanted = listing.Filter(customer=customer, pool=pool)
    disks = list(listing.listed(request.user, wanted).values_list("pk", flat=True)[: MAX_DISKS + 1])
    if len(disks) > MAX_DISKS:
        said = f"over {MAX_DISKS} disks: name a customer or a pool, or use manage.py what_if"
        raise Refused(422, "too_many_disks", said, "pool")
    return summary(list(what_if_from_hours(disks, month, terms)), terms)
