"""How does a window get into its tables, change there and close? In the caller's transaction, with the signal."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.db.models import Q
from django.utils import timezone

from sla.contracts.selectors import assignments_between, version_at
from sla.domain.neighbours.cause import Cause, own_cause, word
from sla.domain.neighbours.detect import Contention, judge
from sla.domain.neighbours.model import Model
from sla.domain.neighbours.rules import CALM_S, LEAST_SLOWDOWN
from sla.domain.neighbours.slots import Floats
from sla.domain.neighbours.track import Span
from sla.domain.neighbours.work import usual_units, work
from sla.fleet.models import Disk
from sla.neighbours import evidence
from sla.neighbours.figures import STEP_S
from sla.neighbours.follow import Touched
from sla.neighbours.models import NeighbourWindow, Role
from sla.neighbours.rows import Row, company_of, put_disks, widened
from sla.neighbours.signals import window_changed
from sla.neighbours.store import Cursor, Minutes, moment, stored
from sla.neighbours.together import NEWS_S

# What a suspect has done before is looked for so far back.
PAST_S = 86_400
# Latency under a tenth of what the contract allows hurts nobody, however many times slower it is.
OF_THRESHOLD = 0.1
USUAL_THRESHOLD_MS = 15.0
# A window is closed so long after its last contended minute at the latest.
CLOSING_S = CALM_S + STEP_S


def open_spans(pools: Iterable[int], start: int) -> dict[int, dict[int | None, Span]]:
    """Windows that are open at that moment, by pool and disk (None: the whole pool)."""
    rows = NeighbourWindow.objects.filter(pool__in=list(pools), start__lt=moment(start)).filter(
        Q(end=None) | Q(end__gt=moment(start - CLOSING_S), evidence__until__gt=start)
    )
    found: dict[int, dict[int | None, Span]] = defaultdict(dict)
    for row in rows.order_by("start"):
        span = Span(int(row.start.timestamp()), _last_before(row, start), int(row.evidence["seen"]))
        found[row.pool_id][row.disk_id] = span
    return found


def _last_before(row: NeighbourWindow, start: int) -> int:
    """End of its last contended minute, as far as that was known at `start`."""
    return min(int(row.evidence["last"]), start)


def save(cursor: Cursor, pool: int, touched: Iterable[Touched], model: Model, now: int) -> list[NeighbourWindow]:
    """Store what these windows are now, and tell of those that are news; the pool's minutes must be stored already."""
    saved = []
    for one in touched:
        row = _row(cursor, pool, one, model)
        if row is not None:
            there = NeighbourWindow.objects.filter(pool=pool, disk=one.disk, start=moment(one.span.start)).first()
            saved.append(_put(pool, one, row, there, tell=_is_news(one, now)))
    return saved


def replace(cursor: Cursor, pool: int, heard: Sequence[tuple[Touched, Model]], start: int, end: int, now: int) -> int:
    """The same after a pool was followed again over [start, end); how many windows there are in it now.

    A window that was there before, for the same disk or pool and at the same time, is corrected and stays itself,
    wherever it begins now. Those that began in [start, end) and were not found again go.
    """
    rows = [(one, row) for one, model in heard if (row := _row(cursor, pool, one, model)) is not None]
    there = list(
        NeighbourWindow.objects.filter(pool=pool, start__lt=moment(end))
        .filter(Q(end=None) | Q(end__gt=moment(start - CLOSING_S)))
        .order_by("start")
    )
    before = _paired([one for one, _ in rows], there)
    kept = {window.pk for window in before if window is not None}
    gone = [window.pk for window in there if window.pk not in kept and window.start >= moment(start)]
    NeighbourWindow.objects.filter(pk__in=gone).delete()
    for (one, row), window in zip(rows, before, strict=True):
        _put(pool, one, row, window, tell=_is_news(one, now))
    return len(rows)


def _paired(touched: Sequence[Touched], there: Sequence[NeighbourWindow]) -> list[NeighbourWindow | None]:
    """Which stored window each one is: the one that begins with it, else the first that it meets and nobody else is."""
    at_start = {(window.disk_id, int(window.start.timestamp())): window for window in there}
    found = [at_start.get((one.disk, one.span.start)) for one in touched]
    taken = {window.pk for window in found if window is not None}
    for place, one in enumerate(touched):
        if found[place] is None:
            found[place] = next((each for each in there if each.pk not in taken and _meets(one, each)), None)
            taken |= {window.pk for window in found[place : place + 1] if window is not None}
    return found


def _meets(one: Touched, window: NeighbourWindow) -> bool:
    ends = window.end is None or window.end > moment(one.span.start)
    return window.disk_id == one.disk and ends and (one.span.open or window.start < moment(one.span.end))


def _is_news(one: Touched, now: int) -> bool:
    return one.until > now - NEWS_S


def _row(cursor: Cursor, pool: int, one: Touched, model: Model) -> Row | None:
    minutes = stored(cursor, pool, one.span.start - PAST_S, one.until)
    return _contention(minutes, model, one) if one.disk is None else _alone(minutes, one.disk, one)


def _contention(minutes: Minutes, model: Model, one: Touched) -> Row | None:
    """A window of the pool; None while it is too small to hurt anybody."""
    found = judge(model, minutes.slots, minutes.over, one.span, usual_units(minutes.slots))
    starts = minutes.slots.starts
    inside = (starts >= one.span.start) & (starts < one.span.end)
    hot = inside & (np.nan_to_num(minutes.over) >= model.thresholds.hot)
    slower = _medians(minutes.slower[:, hot])
    latency = _medians(np.exp(minutes.slots.log_latency()[:, hot]))
    if not _hurts(minutes.disks, latency, one.span.start):
        return None
    rows = _members(minutes.disks, found, slower)
    names = {
        disk.pk: str(disk) for disk in Disk.objects.select_related("machine").filter(pk__in=_named(found, minutes))
    }
    chosen = _shown(rows)
    told = {
        "reason": evidence.reason(found, names, minutes.disks),
        "word": word(found.verdict.confidence),
        "load_growth": round(found.suspicion.rise, 4),
        "load_up": found.suspicion.load_up,
        "nobody": round(found.suspicion.nobody, 4),
        "disks": len(minutes.disks),
        "victims": sum(row["role"] == Role.VICTIM for row in rows.values()),
        "least_visible": round(float(np.exp(model.thresholds.least)), 3),
        "series": evidence.curves(minutes, one.span.start, one.span.end, chosen),
    }
    return Row(found.verdict.cause, found.severity, found.verdict.confidence, told, rows)


def _named(found: Contention, minutes: Minutes) -> list[int]:
    return [] if found.verdict.culprit is None else [minutes.disks[found.verdict.culprit]]


def _members(disks: list[int], found: Contention, slower: Floats) -> dict[int, dict[str, Any]]:
    """Every disk's part. Only who is accused is a suspect."""
    rows = {}
    for place, disk in enumerate(disks):
        slowdown = None if np.isnan(slower[place]) else float(np.exp(slower[place]))
        rise = found.suspicion.rise_at[place]
        role = Role.VICTIM if slowdown is not None and slower[place] >= LEAST_SLOWDOWN else Role.BYSTANDER
        rows[disk] = {
            "role": Role.SUSPECT if place == found.verdict.culprit else role,
            "score": round(float(found.suspicion.score[place]), 6),
            "share": round(float(found.suspicion.share[place]), 6),
            "lag_s": None if np.isnan(rise) else int(-rise * STEP_S),
            "slowdown": None if slowdown is None else round(slowdown, 4),
        }
    return rows


def _shown(rows: dict[int, dict[str, Any]]) -> list[tuple[int, str]]:
    """Whose curves stand in the evidence: suspects and the likeliest others, then who suffered most."""
    likely = sorted(rows, key=lambda disk: -rows[disk]["score"])[: evidence.SUSPECTS]
    worst = sorted(rows, key=lambda disk: -(rows[disk]["slowdown"] or 0.0))
    others = [disk for disk in worst if disk not in likely][: evidence.VICTIMS]
    return [(disk, str(rows[disk]["role"])) for disk in [*likely, *others]]


def _hurts(disks: list[int], latency: Floats, start: int, part: float = OF_THRESHOLD) -> bool:
    """Is what most disks took in the window that part of their contracts' threshold or more?"""
    at = moment(start)
    terms = assignments_between(disks, at, moment(start + STEP_S))
    allowed = []
    for disk in disks:
        version = version_at(terms.get(disk, []), at)
        allowed.append(
            USUAL_THRESHOLD_MS if version is None else min(version.read_threshold_us, version.write_threshold_us) / 1000
        )
    share = latency / np.array(allowed)
    known = share[np.isfinite(share)]
    return bool(len(known)) and float(np.median(known)) >= part


def _alone(minutes: Minutes, disk: int, one: Touched) -> Row | None:
    """A window of one disk."""
    if disk not in minutes.disks:
        return None
    place, starts = minutes.disks.index(disk), minutes.slots.starts
    inside = (starts >= one.span.start) & (starts < one.span.end)
    slower = minutes.slower[place, inside]
    latency = float(_medians(np.exp(minutes.slots.log_latency()[[place]][:, inside]))[0])
    if not _hurts([disk], np.array([latency]), one.span.start):
        return None
    asked = work(minutes.slots, usual_units(minutes.slots))[place]
    before = asked[(starts < one.span.start) & (starts >= one.span.start - 3_600)]
    during, usual = float(np.median(asked[inside])), float(np.median(before)) if len(before) else 0.0
    quantile = float(np.mean(asked[~inside] <= during)) if (~inside).any() else 0.0
    cause = own_cause(quantile, during / max(usual, 1e-9))
    if cause == Cause.SELF and not _hurts([disk], np.array([latency]), one.span.start, 1.0):
        return None  # at its own cap, as capped disks are many times a day, and still within its contract
    severity = float(np.exp(_medians(slower[None, :])[0]))
    name = str(Disk.objects.select_related("machine").get(pk=disk))
    told = {
        "reason": evidence.reason_alone(cause, severity, name),
        "word": word(ALONE_CONFIDENCE),
        "load_growth": round(during / usual - 1, 4) if usual else None,
        "series": evidence.curves(minutes, one.span.start, one.span.end, [(disk, Role.VICTIM.value)]),
    }
    part = {"role": Role.VICTIM, "score": None, "share": None, "lag_s": None, "slowdown": round(severity, 4)}
    return Row(cause, severity, ALONE_CONFIDENCE, told, {disk: part})


# Four of five minutes beyond five deviations leave little doubt that the disk is slow; less about why.
ALONE_CONFIDENCE = 0.8


def _medians(rows: Floats) -> Floats:
    """Of each row; NaN where nothing is known."""
    result = np.full(len(rows), np.nan)
    known = np.isfinite(rows).any(axis=1)
    if known.any():
        result[known] = np.nanmedian(rows[known], axis=1)
    return result


def _put(pool: int, one: Touched, row: Row, window: NeighbourWindow | None, *, tell: bool) -> NeighbourWindow:
    """Insert, or update the one that is there; nothing is written, nobody told, where nothing changed."""
    now = timezone.now()
    end = None if one.span.open else moment(one.span.end)
    company = None if window is None else company_of(window)
    row = row if company is None else widened(row, company)
    told = {**row.evidence, "seen": one.span.seen, "last": one.span.end, "until": one.until}
    if window is not None and one.span.open and int(window.evidence["until"]) > one.until:
        return window  # seen further before: what it is halfway through is no news
    fields = {
        "start": moment(one.span.start),
        "end": end,
        "severity": round(row.severity, 4),
        "cause": row.cause.value,
        "confidence": round(min(max(row.confidence, 0.0), 1.0), 4),
        "evidence": told,
    }
    if window is not None and all(getattr(window, name) == value for name, value in fields.items()):
        return window
    change = "opened" if window is None else "closed" if end and window.end is None else "updated"
    if window is None:
        window = NeighbourWindow(pool_id=pool, disk_id=one.disk, detected_at=now)
    for name, value in fields.items():
        setattr(window, name, value)
    window.updated_at = now
    window.save()
    put_disks(window, row.disks)
    if tell:
        window_changed.send(sender=NeighbourWindow, window=window, change=change)
        if change == "opened" and end is not None:
            window_changed.send(sender=NeighbourWindow, window=window, change="closed")
    return window
