"""What will this contract cost those who sign it? Terms that are allowed but can surprise, each with a reason."""

from dataclasses import dataclass

from plimsoll_agent.core.r40 import EDGES_US
from sla.domain.burn import RULES, refused_because
from sla.domain.contract import Contract

MONTH_S = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Warning:
    """A code that stays, and a sentence for people."""

    code: str
    text: str


def edges_around(threshold_us: int) -> tuple[int, int] | None:
    """The R40 edges on both sides of a threshold; None where it is an edge itself (semantics §3)."""
    if threshold_us in EDGES_US:
        return None
    below = max((edge for edge in EDGES_US if edge < threshold_us), default=0)
    above = min((edge for edge in EDGES_US if edge > threshold_us), default=threshold_us)
    return int(below), int(above)


def check_contract(contract: Contract) -> list[Warning]:
    """What to say before it comes in force; empty when there is nothing to say. (What is wrong raises when parsed.)"""
    found = []
    for threshold in sorted(set(contract.thresholds_us)):
        if around := edges_around(threshold):
            low, high = around
            found.append(
                Warning(
                    "threshold_off_edge",
                    f"{threshold / 1000:g} ms lies inside the histogram bucket {low / 1000:g}–{high / 1000:g} ms: "
                    "from histograms (what-if, eBPF, hypervisor) its I/Os can be counted only as a range; "
                    f"{low / 1000:g} or {high / 1000:g} ms would be exact",
                )
            )
    for rule in RULES:
        if reason := refused_because(rule, contract.objective_ppm):
            found.append(Warning("burn_rule_never_fires", reason))
    if contract.depth == 0:
        found.append(
            Warning(
                "depth_0",
                f"at {contract.iops} IOPS the ideal disk serves less than one request in the threshold: a request that "
                "meets another one is excess",
            )
        )
    if contract.iops * MONTH_S < contract.min_eligible:
        found.append(
            Warning(
                "volume_out_of_reach",
                f"a verdict needs {contract.min_eligible} I/Os a period, a month at the full {contract.iops} IOPS has "
                f"{contract.iops * MONTH_S}",
            )
        )
    return found
