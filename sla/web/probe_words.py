"""How is an active test said in sentences? Loads and rates are cut, times rounded up: nothing is flattered."""

from math import ceil, floor
from typing import Any

from django.utils.translation import gettext, ngettext

from sla import figures
from sla.contracts.selectors import milliseconds
from sla.probes.judge import Judged, Terms
from sla.probes.models import Record


def tipping_words(judged: Judged, terms: Terms, *, by_contract: bool) -> str:
    """One or two sentences: where it tips, and what that is beside the promise. A load is cut, never rounded up."""
    promise = {
        "share": figures.decimal(f"{terms.objective_ppm / 10_000:.4f}".rstrip("0").rstrip(".")),
        "limit": f"{milliseconds(terms.threshold_us):g}",
    }
    if judged.tipping_iops is None:
        return gettext("Not even one request at a time keeps %(share)s %% under %(limit)s ms.") % promise
    found = {**promise, "iops": figures.whole(floor(judged.tipping_iops)), "many": judged.tipping_concurrency}
    if judged.beyond:
        text = gettext("%(share)s %% stay under %(limit)s ms up to %(iops)s IOPS; no load that was tried breaks it.")
    else:
        text = gettext("%(share)s %% stay under %(limit)s ms up to %(iops)s IOPS (%(many)s in flight), and no further.")
    words = text % found
    if judged.reached is None:
        return words
    load = {"load": figures.whole(terms.iops)}
    if judged.reached:
        carried = (
            gettext("The contract's %(load)s IOPS are carried.")
            if by_contract
            else gettext("The %(load)s IOPS that were asked for are carried.")
        )
    elif judged.beyond:
        carried = gettext("%(load)s IOPS were not reached: the test did not go so far.")
    else:
        carried = (
            gettext("The contract promises that up to %(load)s IOPS.")
            if by_contract
            else gettext("%(load)s IOPS were asked for.")
        )
    return f"{words} {carried % load}"


def load_words(said: dict[str, Any]) -> str:
    share = said["write_percent"]
    what = gettext("reads") if share == 0 else gettext("writes") if share == 100 else gettext("%d %% writes") % share
    size = f"{said['block_bytes'] / 1024:g} KiB"
    return gettext("random %(what)s of %(size)s, made by %(engine)s") % {
        "what": what,
        "size": size,
        "engine": "fio" if said["engine"] == "fio" else gettext("the agent"),
    }


def fsync_sentences(said: dict[str, Any]) -> list[str]:
    """What a database that writes a log would get: alone, beside a flood, among others."""
    alone, flood, several = said["alone"], said["beside_flood"], said["several_writers"]
    told = [
        gettext("A database that writes a log commits %(rate)s times a second here, 99 of 100 within %(p99)s ms.")
        % {"rate": _rate(alone["commits_per_s"]), "p99": time_ms(alone["p99_ms"], 1)}
    ]
    beside = {"rate": _rate(flood["commits_per_s"]), "worst": time_ms(flood["worst_ms"], 0)}
    if alone["commits_per_s"]:
        beside["share"] = f"{floor(100 * flood['commits_per_s'] / alone['commits_per_s'])}"
        text = gettext(
            "Beside a flood of buffered writes it gets %(rate)s a second, %(share)s %% of that; "
            "the longest took %(worst)s ms."
        )
    else:
        text = gettext("Beside a flood of buffered writes it gets %(rate)s a second; the longest took %(worst)s ms.")
    told.append(text % beside)
    told.append(
        gettext("%(writers)s such databases at once get %(rate)s a second together, the slowest of them %(least)s.")
        % {
            "writers": several["writers"],
            "rate": _rate(several["commits_per_s"]),
            "least": _rate(several["slowest_writer_per_s"]),
        }
    )
    return told


def durability_words(record: Record) -> tuple[str, str]:
    """The verdict in a sentence and the state whose icon stands beside it."""
    count = {"count": figures.whole(record.acknowledged)}
    if record.checked_at is None:
        text = ngettext(
            "%(count)s block was acknowledged to this server; nobody has looked yet whether it is there.",
            "%(count)s blocks were acknowledged to this server; nobody has looked yet whether they are there.",
            record.acknowledged,
        )
        return text % count, "no_data"
    if record.lost:
        found = {**count, "lost": figures.whole(record.lost)}
        if record.restarted:
            text = gettext(
                "This disk lies: %(lost)s of %(count)s acknowledged blocks were not there after the restart."
            )
        else:
            text = gettext("%(lost)s of %(count)s acknowledged blocks are not there, without any restart.")
        return text % found, "breached"
    if not record.restarted:
        text = gettext(
            "All %(count)s acknowledged blocks are there, but the machine has not restarted: nothing is shown."
        )
        return text % count, "no_data"
    return gettext("All %(count)s acknowledged blocks were there after the restart.") % count, "met"


def figure(value: float | None, places: int) -> str:
    """Cut to so many places; a dash where it is unknown."""
    if value is None:
        return "–"
    if places == 0:
        return figures.whole(floor(value))
    cut = floor(value * 10**places) / 10**places
    return figures.decimal(f"{cut:.{places}f}") if cut < 10_000 else figures.whole(floor(cut))


def time_ms(value: float | None, places: int) -> str:
    """The same, rounded up."""
    return figure(None if value is None else ceil(value * 10**places - 1e-6) / 10**places + 1e-9, places)


def _rate(value: float) -> str:
    """A small rate keeps a place: 0.4 commits a second are not none."""
    return figure(value, 0 if value >= 10 else 1)
