"""What does a stored version promise, as the judge reads it?"""

from functools import lru_cache

from sla.contracts.models import ContractVersion
from sla.domain.contract import Contract
from sla.domain.contract_text import parse_contract


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Contract:
    return parse_contract(text)


def contract_of(version: ContractVersion) -> Contract:
    """The text is what was agreed, and it says everything; credit tiers stand beside it."""
    contract = _parsed(version.text)
    if not version.credit_tiers:
        return contract
    return contract.with_(credit_tiers=tuple((below, percent) for below, percent in version.credit_tiers))
