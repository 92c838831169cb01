"""What stands on the pages of a statement, in order? Everything as text and lengths; Typst only lays it out."""

from typing import Any

from django.utils.translation import get_language, gettext, ngettext, pgettext

from sla.reports.sheet import words
from sla.reports.sheet.chart import days_of, month_chart
from sla.reports.sheet.detail import details
from sla.reports.sheet.method import method
from sla.reports.sheet.table import groups, ranked
from sla.reports.sheet.terms import contracts, exclusions

ORDER = ("breached", "at_risk", "no_data", "excused", "idle", "met")


def sheet(document: dict[str, Any], *, code: str, digest: str, key: str) -> dict[str, Any]:
    """The sheet of a document; `code`, `digest`, `key` are empty for a draft."""
    period, disks = document["period"], ranked(document["disks"])
    zone = period["zone"]
    return {
        "lang": (get_language() or "en").split("-")[0],
        "draft": document["draft"],
        "title": gettext("SLA statement"),
        "customer": document["customer"]["name"],
        "month": words.month(period["start"], zone),
        "span": span(document),
        "number": document["number"] or gettext("Draft"),
        "about": about(document),
        "verdict": verdict(document),
        "tiles": tiles(document),
        "bar": [
            {"state": state, "word": words.state(state), "count": document["summary"]["states"][state]}
            for state in ORDER
            if document["summary"]["states"].get(state)
        ],
        "chart": month_chart(days_of(document["disks"], document["contracts"]), zone),
        "table": {**headings(), "groups": groups(document, disks)},
        "details": details(document, disks),
        "exclusions": exclusions(document),
        "contracts": contracts(document),
        "method": method(document),
        "proof": proof(document, code, digest, key),
        "labels": labels(),
    }


def span(document: dict[str, Any]) -> str:
    """From midnight to midnight of its zone, and how many hours that was: clocks may change in a month."""
    period = document["period"]
    named = {
        "start": words.day(period["start"], period["zone"]),
        "end": words.day(period["end"], period["zone"]),
        "zone": period["zone"],
        "hours": words.whole((period["end"] - period["start"]) // 3600),
    }
    return gettext("%(start)s 00:00 to %(end)s 00:00, %(zone)s, %(hours)s hours") % named


def about(document: dict[str, Any]) -> list[list[str]]:
    """Label and value: when it was made and what it replaces."""
    zone = document["period"]["zone"]
    made = words.clock(document["made_at"], zone)
    if document["draft"]:
        return [[gettext("As of"), made], [gettext("Status"), gettext("so far; nothing here is final")]]
    lines = [[gettext("Statement"), document["number"]], [gettext("Frozen"), f"{words.day(document['made_at'], zone)}"]]
    if document["supersedes"]:
        lines += [[gettext("Replaces"), document["supersedes"]], [gettext("Reason"), document["reason"] or ""]]
    return lines


def verdict(document: dict[str, Any]) -> dict[str, str]:
    """The one sentence that everybody reads."""
    summary = document["summary"]
    total, broken = summary["disks"], summary["states"].get("breached", 0)
    if not total:
        return {"state": "no_data", "text": gettext("There was no disk in this month.")}
    kept = summary["states"].get("met", 0)
    if broken:
        text = ngettext(
            "%(broken)s of %(total)s disks was out of contract.",
            "%(broken)s of %(total)s disks were out of contract.",
            broken,
        ) % {"broken": words.whole(broken), "total": words.whole(total)}
        if summary["breached_proved"]:
            proved = summary["breached_proved"]
            sentence = ngettext("%(count)s is proved.", "%(count)s are proved.", proved)
            text += " " + sentence % {"count": words.whole(proved)}
        return {"state": "breached", "text": text}
    if kept == total:
        sentence = gettext("Every disk kept its contract.")
        return {
            "state": "met",
            "text": sentence if not document["draft"] else gettext("Every disk keeps its contract so far."),
        }
    others = {"kept": words.whole(kept), "total": words.whole(total)}
    return {
        "state": "at_risk" if summary["states"].get("at_risk") else "met" if kept else "no_data",
        "text": gettext("No disk was out of contract; %(kept)s of %(total)s kept it.") % others,
    }


def tiles(document: dict[str, Any]) -> list[dict[str, str]]:
    """Four figures with what they are of."""
    summary = document["summary"]
    expected = sum(
        max(0, one["coverage"]["until"] - (one["coverage"]["from"] or one["coverage"]["until"]))
        for one in document["disks"]
    )
    taken = sum(one["coverage"]["excluded_s"] for one in document["disks"])
    seen = summary["observed_s"] * 10**9 // (expected - taken) if expected > taken else None
    owed = summary["credits"]
    if owed:
        due = " + ".join(words.money(one["proved_cents"], one["currency"]) for one in owed)
        up_to = gettext("up to %s") % " + ".join(words.money(one["up_to_cents"], one["currency"]) for one in owed)
    else:
        due = words.disks(summary["credit_disks"]) if summary["credit_disks"] else pgettext("credit", "none")
        up_to = (
            gettext("in per cent of the fee, disk by disk") if summary["credit_disks"] else gettext("on the proved end")
        )
    excess = summary["excess"] * 10**9 // summary["ios"] if summary["ios"] else None
    return [
        {"label": gettext("Credit due"), "value": due, "note": up_to},
        {
            "label": gettext("Slow requests"),
            "value": words.whole(summary["slow"]["estimate"]),
            "note": gettext("between %(low)s and %(high)s of %(all)s covered")
            % {
                "low": words.whole(summary["slow"]["low"]),
                "high": words.whole(summary["slow"]["high"]),
                "all": words.whole(summary["eligible"]),
            },
        },
        {
            "label": gettext("Lost time"),
            "value": words.duration(summary["lost_ms"]),
            "note": gettext("stalls and short delivery, all disks"),
        },
        {
            "label": gettext("Observed"),
            "value": words.share(min(10**9, seen) if seen is not None else None),
            "note": gettext("of the time; %s %% of requests beyond contract") % words.per_cent(excess, 1),
        },
    ]


def headings() -> dict[str, Any]:
    return {
        "title": gettext("Disk by disk"),
        "note": gettext(
            "Worst first. The range of the attained share is proved; where it leaves the verdict open, "
            "the estimate decides and the word is “likely”."
        ),
        "heads": [
            gettext("Disk"),
            gettext("Verdict"),
            gettext("Attained"),
            gettext("Estimate"),
            gettext("Slow vs allowed"),
            gettext("Budget left"),
            gettext("by minutes"),
            gettext("Lost"),
            gettext("Observed"),
            gettext("Credit (up to)"),
        ],
        "scale": [gettext("0"), gettext("allowed"), gettext("2×")],
    }


def proof(document: dict[str, Any], code: str, digest: str, key: str) -> dict[str, Any] | None:
    """How to check it; None for a draft."""
    if document["draft"]:
        return None
    address = f"{document['issuer']}/verify"
    return {
        "title": gettext("Check it yourself"),
        "text": gettext(
            "Type the check code at %(address)s to see whether this page is genuine and still in "
            "force. With the bundle or "
            "the JSON and CSV of this statement, plimsoll-verify.py works every figure out again, "
            "offline, and names any "
            "file of which a single byte was changed."
        )
        % {"address": address},
        "lines": [
            [gettext("Check code"), code],
            [gettext("Statement SHA-256"), digest],
            *[[f"{one['name']} SHA-256", one["sha256"]] for one in document["evidence"]],
            [gettext("Signing key"), f"Ed25519 {key}"],
        ],
    }


def labels() -> dict[str, str]:
    return {
        "page": pgettext("sheet of paper", "Page"),
        "of": pgettext("page 1 of 3", "of"),
        "code": gettext("Check code"),
        "draft": gettext("DRAFT"),
        "details": gettext("What stood out"),
        "contracts": gettext("Contracts"),
        "exclusions": gettext("Maintenance"),
        "method": gettext("How it was measured and judged"),
        "bar": gettext("Disks by verdict"),
    }
