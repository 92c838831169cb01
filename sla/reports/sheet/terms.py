"""Which terms and which agreed maintenance does a statement rest on?"""

from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from sla.reports.sheet import words


def contracts(document: dict[str, Any]) -> list[dict[str, str]]:
    """Each version: its text as it was agreed, and the figures behind it."""
    found = []
    for one in document["contracts"]:
        tiers = ", ".join(
            gettext("%(credit)s %% below %(share)s %%")
            % {"credit": tier["percent"], "share": words.per_cent(tier["below_ppm"] * 1000, 1)}
            for tier in one["credit_tiers"]
        )
        fee = words.money(one["fee_cents"], one["currency"])
        told = gettext("Credit: %(tiers)s, highest only; fee a disk and month %(fee)s.") % {"tiers": tiers, "fee": fee}
        terms = gettext(
            "%(depth)s requests may wait at once, %(tolerance)s %% tolerance on the load; judged from "
            "%(coverage)s %% observed time and "
            "%(volume)s requests on; seen from the %(side)s; calendar of %(zone)s."
        ) % {
            "depth": words.whole(one["depth"]),
            "tolerance": words.per_cent(one["tolerance_ppm"] * 1000, 0),
            "coverage": words.per_cent(one["min_coverage_ppm"] * 1000, 0),
            "volume": words.whole(one["min_eligible"]),
            "side": gettext("guest") if one["vantage"] == "guest" else gettext("host"),
            "zone": one["zone"],
        }
        found.append({"name": f"{one['name']} v{one['version']}", "text": one["text"], "terms": terms, "credit": told})
    return found


def exclusions(document: dict[str, Any]) -> dict[str, Any] | None:
    """The table of maintenance windows, with both switches; None where there were none."""
    if not document["exclusions"]:
        return None
    zone = document["period"]["zone"]
    rows = []
    for one in document["exclusions"]:
        agreed = "; ".join(one["approvals"]) or (
            gettext("none recorded") if one["retroactive"] else gettext("announced before")
        )
        rows.append(
            [
                words.span(one["start"], one["end"], zone),
                one["reason"],
                words.disks(len(one["disks"])),
                gettext("taken out") if one["excludes"] else gettext("counted"),
                gettext("muted") if one["mutes"] else pgettext("alerts", "on"),
                agreed,
            ]
        )
    return {
        "heads": [
            gettext("When"),
            gettext("What"),
            gettext("Disks"),
            gettext("Its time"),
            gettext("Alerts"),
            gettext("Approval"),
        ],
        "rows": rows,
        "note": ngettext("%s window touched this month.", "%s windows touched this month.", len(rows))
        % words.whole(len(rows)),
    }
