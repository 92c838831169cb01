"""Which line does each disk get in the table? Its verdict, share, budgets and credit, grouped by contract."""

from typing import Any

from sla.reports.sheet import words

RANK = {"breached": 0, "at_risk": 1, "no_data": 2, "excused": 3, "idle": 5, "met": 4}
PPB = 10**9
TOP = 2.0


def ranked(disks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Worst first, and within a verdict the least attained first."""

    def place(one: dict[str, Any]) -> tuple[Any, ...]:
        estimate = one["sli_ppb"]["estimate"]
        budget = one["budget"]["requests"]["left_ppb"]["estimate"] if one["budget"] else None
        return (
            RANK.get(one["state"], 9),
            not (one["state"] == "breached" and one["proved"]),
            budget is None,
            budget or 0,
            estimate is None,
            one["machine"],
            one["device"],
        )

    return sorted(disks, key=place)


def groups(document: dict[str, Any], disks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One group a contract version, in the order of their worst disk."""
    contracts = {one["term"]: one for one in document["contracts"]}
    found: dict[Any, list[dict[str, Any]]] = {}
    for disk in disks:
        found.setdefault(disk["term"], []).append(row(disk, contracts.get(disk["term"])))
    return [
        {
            "contract": contracts[term]["text"] if term in contracts else words.reason("NO_CONTRACT"),
            "about": f"{contracts[term]['name']} v{contracts[term]['version']} · {words.disks(len(rows))}"
            if term in contracts
            else words.disks(len(rows)),
            "rows": rows,
        }
        for term, rows in found.items()
    ]


def row(disk: dict[str, Any], contract: dict[str, Any] | None) -> dict[str, Any]:
    """A line of text, and the bullet that shows the slow share's range against the objective."""
    budget, owed = disk["budget"], disk["credit"]
    left = budget["requests"]["left_ppb"]["estimate"] if budget else None
    by_slots = budget["slots"]["left_ppb"]["estimate"] if budget else None
    return {
        "name": f"{disk['machine']} / {disk['device']}",
        "state": disk["state"],
        "word": words.verdict(disk["state"], proved=disk["proved"]),
        "attained": words.attained(disk["sli_ppb"]),
        "estimate": words.share(disk["sli_ppb"]["estimate"]),
        "bullet": bullet(disk, contract),
        "budget": words.left(left),
        "slots": words.left(by_slots),
        "lost": words.duration(disk["total"]["lost_ms"]) if disk["total"]["lost_ms"] else words.DASH,
        "coverage": words.share(disk["coverage"]["ppm"] * 1000, 1),
        "credit": credit(owed),
    }


def credit(owed: dict[str, Any] | None) -> str:
    """'10 %', '10 % (30 %)': due, and in brackets what it could be at most."""
    if owed is None:
        return words.DASH
    due = words.money(owed["proved_cents"], owed["currency"]) if owed["proved_cents"] else f"{owed['proved_percent']} %"
    if owed["up_to_percent"] == owed["proved_percent"]:
        return due if owed["proved_percent"] else words.DASH
    most = words.money(owed["up_to_cents"], owed["currency"]) if owed["up_to_cents"] else f"{owed['up_to_percent']} %"
    return f"{due} ({most})"


def bullet(disk: dict[str, Any], contract: dict[str, Any] | None) -> dict[str, Any] | None:
    """The slow share in allowances, cut at the scale's end; None where it is unknown."""
    if contract is None or disk["sli_ppb"]["estimate"] is None:
        return None
    allowed = (10**6 - contract["objective_ppm"]) * 1000
    burns = {end: None if value is None else (PPB - value) / allowed for end, value in disk["sli_ppb"].items()}
    low, high = burns["high"], burns["low"]
    return {
        "low": min(low or 0.0, TOP),
        "estimate": min(burns["estimate"] or 0.0, TOP),
        "high": TOP if high is None else min(high, TOP),
        "beyond": high is None or high > TOP,
    }
