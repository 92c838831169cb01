"""What do the readable files of a bundle say? The contracts as agreed, what was taken out and by whose leave."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

from sla.reports.models import Statement

README = """Plimsoll: everything that statement {number} rests on

Customer  {customer}
Month     {period}, calendar of {zone}
Frozen    {frozen} UTC
{corrects}Check it, offline, with Python 3.9 or newer:

    python -m pip install cryptography
    python plimsoll-verify.py THIS.zip

It checks every signature and digest, works every figure out again and names any file of which one byte was changed.
Compare the key it names with the one at {issuer}/verify.

statement.json       what was stated, signed (Ed25519 over its canonical JSON)
statement.pdf        the same on paper
contract.txt         the terms in force
exclusions.csv       maintenance that touched the month, with both switches and approvals
hours.csv            every disk, every hour: what the month is added up from; its digest stands in the statement
{minutes}evidence.json        digests of all these files, signed when this bundle was made
public-key.pem       the key that signed the statement
plimsoll-verify.py   the program that checks all of this

Times are Unix seconds, UTC. Unknown is an empty field, never 0.
state: 1 maintenance, 2 no data, 3 idle, 4 breached, 5 excused, 6 met. grade: 1 A, 2 B, 3 C.
case of a second: 1 normal, 2 pro rata, 3 excused, 4 under-delivery, 5 stalled, 6 idle, 7 not observed.
"""
MINUTES = """slots.csv            every minute{which}: what the hours are added up from
seconds.csv          the seconds of the minutes that cost most, while they are kept: what minutes are added up from
"""
NO_MINUTES = """
There are no minutes in this bundle: they are older than minutes are kept, or belong to a later correction. The hours
are those that were signed for.

"""


def readme(statement: Statement, document: dict[str, Any], held: set[int]) -> bytes:
    """README.txt; `held`: the disks whose minutes are in the bundle."""
    every = {one["id"] for one in document["disks"]}
    which = "" if held == every else f" of {len(held)} of {len(every)} disks"
    return README.format(
        number=statement.number,
        customer=document["customer"]["name"],
        period=document["period"]["text"],
        zone=document["period"]["zone"],
        frozen=f"{statement.frozen_at:%Y-%m-%d %H:%M}",
        corrects=f"Corrects  {document['supersedes']}\n\n" if document["supersedes"] else "\n",
        issuer=document["issuer"],
        minutes=MINUTES.format(which=which) if held else NO_MINUTES,
    ).encode()


def contracts(document: dict[str, Any]) -> bytes:
    """contract.txt: each version's text and the disks it judged."""
    told = []
    for one in document["contracts"]:
        told.append(f"{one['name']}, version {one['version']} (term {one['term']})\n\n    {one['text']}\n")
        told += [f"    {name} = {value}" for name, value in one.items() if isinstance(value, int | str)]
        tiers = ", ".join(f"{tier['percent']} % below {tier['below_ppm'] / 10_000:g} %" for tier in one["credit_tiers"])
        told.append(f"    credit: {tiers}, highest only\n")
        for disk in document["disks"]:
            for part in disk["assigned"]:
                if part["term"] == one["term"]:
                    told.append(f"    {disk['machine']} / {disk['device']}: {_span(part['from'], part['until'])}")
        told.append("")
    return "\n".join(told).encode()


def _span(start: int | None, end: int | None) -> str:
    return f"{_moment(start, 'its first frame')} to {_moment(end, 'now')}"


def _moment(unix_s: int | None, otherwise: str) -> str:
    return otherwise if unix_s is None else f"{datetime.fromtimestamp(unix_s, UTC):%Y-%m-%d %H:%M:%S} UTC"


def exclusions(document: dict[str, Any]) -> bytes:
    """exclusions.csv."""
    text = io.StringIO()
    names = ("id", "start", "end", "reason", "excludes", "mutes", "made_at", "made_by", "retroactive")
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*names, "approvals", "disks"])
    for one in document["exclusions"]:
        row = [int(one[name]) if isinstance(one[name], bool) else safe(one[name]) for name in names]
        table.writerow([*row, safe("; ".join(one["approvals"])), " ".join(map(str, one["disks"]))])
    return text.getvalue().encode()


def safe(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
