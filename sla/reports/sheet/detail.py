"""What is told of a disk that stood out? Its figures, its days, what was taken out, what happened around it."""

from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from sla import figures
from sla.reports.sheet import words
from sla.reports.sheet.chart import bars, days_of
from sla.reports.sheet.table import credit

# A page holds three; who wants more opens the JSON.
MOST = 60
MOST_LINES = 6
PLAIN = ("met", "idle")


def stands_out(disk: dict[str, Any]) -> bool:
    """Is there more to say of it than its line in the table does?"""
    return (
        disk["state"] not in PLAIN
        or bool(disk["reasons"] and disk["reasons"] != ["GAP"])
        or disk["total"]["lost_ms"] >= 1000
        or disk["coverage"]["excluded_s"] > 0
        or bool(disk["contention"] or disk["incidents"])
        or disk["held"] != {"from": None, "until": None}
        or len(disk["assigned"]) > 1
    )


def details(document: dict[str, Any], disks: list[dict[str, Any]]) -> dict[str, Any]:
    """The sections, and a sentence for those left out."""
    wanted = [disk for disk in disks if stands_out(disk)]
    left_out = len(wanted) - MOST
    return {
        "items": [detail(document, disk) for disk in wanted[:MOST]],
        "left_out": ""
        if left_out <= 0
        else ngettext("%s more disk is told in the JSON.", "%s more disks are told in the JSON.", left_out)
        % words.whole(left_out),
    }


def detail(document: dict[str, Any], disk: dict[str, Any]) -> dict[str, Any]:
    total, zone = disk["total"], disk["span"]["zone"]
    chart = bars(days_of([disk], document["contracts"]), zone)
    return {
        "name": f"{disk['machine']} / {disk['device']}",
        "about": " · ".join(
            part
            for part in (
                disk["serial"] or disk["wwn"] or "",
                words.size(disk["size_bytes"]) if disk["size_bytes"] else "",
            )
            if part
        ),
        "state": disk["state"],
        "word": words.verdict(disk["state"], proved=disk["proved"]),
        "why": gettext("%s.") % "; ".join(map(words.reason, disk["reasons"])) if disk["reasons"] else "",
        "facts": facts(disk, total),
        "bars": chart,
        "lines": lines(document, disk, zone),
        "alt": gettext("Slow requests of each day against what the objective allows."),
    }


def facts(disk: dict[str, Any], total: dict[str, int]) -> list[list[str]]:
    """Label and value."""
    budget, slots, evidence = disk["budget"], disk["slots"], gettext("evidence")
    told = [
        [gettext("Attained, proved"), words.attained(disk["sli_ppb"], 3)],
        [gettext("Attained, estimate"), words.share(disk["sli_ppb"]["estimate"], 3)],
        [gettext("Requests"), words.whole(total["ios"])],
        [gettext("covered · beyond contract"), f"{words.whole(total['eligible'])} · {words.whole(disk['excess'])}"],
        [gettext("slow: at least · at most"), f"{words.whole(total['slow_low'])} · {words.whole(total['slow_high'])}"],
        [gettext("slow: likely"), words.whole(total["slow"])],
        [gettext("Lost time"), words.duration(total["lost_ms"])],
        [
            gettext("Minutes met · breached · excused"),
            f"{words.whole(slots['met'])} · {words.whole(slots['breached'])} · {words.whole(slots['excused'])}",
        ],
        [gettext("idle · not observed"), f"{words.whole(slots['idle'])} · {words.whole(slots['no_data'])}"],
        [
            gettext("Observed"),
            f"{words.share(disk['coverage']['ppm'] * 1000)}, {evidence} {disk['grade']}",
        ],
        [gettext("Credit due"), credit(disk["credit"])],
    ]
    if budget:
        left = budget["requests"]["left_ppb"]
        told.insert(
            6,
            [
                gettext("Budget left: requests · minutes"),
                f"{words.left(left['estimate'])} · {words.left(budget['slots']['left_ppb']['estimate'])}",
            ],
        )
    return told


def lines(document: dict[str, Any], disk: dict[str, Any], zone: str) -> list[str]:
    """What happened, one sentence each."""
    told = []
    if disk["coverage"]["excluded_s"]:
        told.append(
            gettext(
                "%(time)s were taken out as maintenance (%(ios)s requests). With that time: %(with)s; "
                "without: %(without)s."
            )
            % {
                "time": words.duration(disk["coverage"]["excluded_s"] * 1000),
                "ios": words.whole(disk["excluded_ios"]),
                "with": words.attained(disk["sli_with_excluded_time_ppb"], 3),
                "without": words.attained(disk["sli_ppb"], 3),
            }
        )
    if disk["unavailable_minutes"]:
        minutes = disk["unavailable_minutes"]
        told.append(
            ngettext("Unavailable for %s whole minute.", "Unavailable for %s whole minutes.", minutes)
            % words.whole(minutes)
        )
    told += custody(disk, zone) + versions(document, disk, zone)
    told += [contention(one, zone) for one in disk["contention"][:MOST_LINES]] + more(disk["contention"])
    told += [incident(one, zone) for one in disk["incidents"][:MOST_LINES]] + more(disk["incidents"])
    return told


def more(listed: list[Any]) -> list[str]:
    return (
        [gettext("… and %s more, in the JSON.") % words.whole(len(listed) - MOST_LINES)]
        if len(listed) > MOST_LINES
        else []
    )


def custody(disk: dict[str, Any], zone: str) -> list[str]:
    told = []
    if disk["held"]["from"] is not None:
        told.append(
            gettext("This statement begins when the disk came to this customer: %s.")
            % words.clock(disk["held"]["from"], zone)
        )
    if disk["held"]["until"] is not None:
        told.append(
            gettext("This statement ends when the disk left this customer: %s.")
            % words.clock(disk["held"]["until"], zone)
        )
    return told


def versions(document: dict[str, Any], disk: dict[str, Any], zone: str) -> list[str]:
    """A month under several versions: each one's time by its own objective."""
    if len(disk["assigned"]) < 2:
        return []
    texts = {one["term"]: f"{one['name']} v{one['version']} ({one['text']})" for one in document["contracts"]}
    return [
        gettext("From %(moment)s judged by %(contract)s.")
        % {
            "moment": words.clock(one["from"], zone) if one["from"] is not None else gettext("its first frame"),
            "contract": texts.get(one["term"], str(one["term"])),
        }
        for one in disk["assigned"]
    ]


def contention(one: dict[str, Any], zone: str) -> str:
    cause = {
        "neighbour": gettext("shared storage, another customer’s load"),
        "backend": gettext("shared storage, the provider’s back end"),
        "wider": gettext("several storage pools at the same moment"),
        "disk": gettext("this disk alone"),
        "self": gettext("its own load"),
        "unknown": gettext("shared storage, cause not known"),
    }[one["cause"]]
    told = {
        "span": words.span(one["start"], one["end"], zone),
        "cause": cause,
        "times": figures.decimal(f"{one['severity_milli'] / 1000:.1f}"),
    }
    if one["share_ppm"] is None:
        return gettext("%(span)s: %(times)s× slower than usual, %(cause)s.") % told
    return gettext("%(span)s: %(times)s× slower than usual, %(cause)s; this disk’s share of the load %(share)s %%.") % {
        **told,
        "share": words.per_cent(one["share_ppm"] * 1000, 0),
    }


def incident(one: dict[str, Any], zone: str) -> str:
    kind = {
        "acute": pgettext("incident", "slow at once"),
        "burn": pgettext("incident", "budget burning"),
        "stall": pgettext("incident", "stalled"),
        "under_delivery": pgettext("incident", "under-delivery"),
        "silent": pgettext("incident", "agent silent"),
        "contention": pgettext("incident", "contention"),
        "backend": pgettext("incident", "storage back end"),
        "period": pgettext("incident", "month out of contract"),
    }.get(one["kind"], one["kind"])
    return gettext("%(span)s: incident %(id)s, %(kind)s.") % {
        "span": words.span(one["start"], one["end"], zone),
        "id": one["id"],
        "kind": kind,
    }
