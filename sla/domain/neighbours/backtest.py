"""What would have been found in an exported file? The answer of `detect_log`, as plain data."""

from typing import Any

import numpy as np

from sla.domain.neighbours.cause import Cause, word
from sla.domain.neighbours.detect import Contention, Found, detect
from sla.domain.neighbours.export import Export
from sla.domain.neighbours.fail_slow import fail_slow
from sla.domain.neighbours.groups import groups
from sla.domain.neighbours.slots import PoolSlots
from sla.domain.neighbours.wider import Company, Onset, together


def backtest(export: Export) -> dict[str, Any]:
    """Windows of every pool, oldest first; disks, the slowest for their load first.

    Beside what is promised: `own_windows` of single disks, and per pool what could have been seen.
    """
    seen: list[tuple[str, list[str], PoolSlots, Contention]] = []
    alone: list[dict[str, Any]] = []
    disks: list[dict[str, Any]] = []
    pools: list[dict[str, Any]] = []
    for name, (members, slots) in sorted(_pools(export).items()):
        found = detect(slots)
        inferred = name not in export.pools
        pools.append(_pool(name, members, slots, found, inferred))
        if found is not None:
            seen += [(name, members, slots, one) for one in found.contentions]
            alone += _alone(name, members, found)
    wide = together(
        [_onset(at, one[0], one[3]) for at, one in enumerate(seen)],
        len(pools),
        export.step_s,
        min((int(one[2].starts[0]) for one in seen), default=0),
    )
    windows = [_window(*one, wide.get(at)) for at, one in enumerate(seen)]
    for name, (members, slots) in sorted(export.pools.items()):
        slow = fail_slow(slots)
        disks += [
            {
                "disk": disk,
                "pool": name or None,
                "slow_score": _number(slow.score[place]),
                "slowdown": _number(slow.slowdown[place]),
                "fail_slow": bool(slow.failing[place]),
            }
            for place, disk in enumerate(members)
        ]
    disks.sort(key=lambda one: (one["slow_score"] is None, -(one["slow_score"] or 0.0), one["disk"]))
    return {
        "step_s": export.step_s,
        "windows": sorted(windows, key=lambda one: (one["start"], one["pool"])),
        "disks": disks,
        "own_windows": sorted(alone, key=lambda one: (one["start"], one["pool"], one["disk"])),
        "pools": pools,
    }


def _onset(at: int, pool: str, one: Contention) -> Onset:
    return Onset(at, pool, one.span.start, one.suspicion.load_up, one.verdict.culprit is not None)


def _pools(export: Export) -> dict[str, tuple[list[str], PoolSlots]]:
    """The file's pools; disks without one in groups that move together, called so."""
    known = {name: one for name, one in export.pools.items() if name}
    if "" in export.pools:
        members, slots = export.pools[""]
        for number, group in enumerate(groups(slots), 1):
            places = np.array(group)
            part = PoolSlots(
                slots.step_s, slots.starts, slots.ios[places], slots.size_bytes[places], slots.time_ms[places]
            )
            known[f"inferred-{number}"] = ([members[place] for place in group], part)
    return known


def _window(
    pool: str, members: list[str], slots: PoolSlots, one: Contention, company: Company | None
) -> dict[str, Any]:
    accused = one.verdict.culprit is not None and company is None
    confidence = one.verdict.confidence if company is None else company.confidence
    return {
        "pool": pool,
        "start": one.span.start,
        "end": one.span.end,
        "severity": round(one.severity, 3),
        "cause": one.verdict.cause.value if company is None else Cause.WIDER.value,
        "confidence": round(confidence, 4),
        "confidence_word": word(confidence),
        # Whom nobody would accuse is not named.
        "suspects": [
            {
                "disk": members[suspect.disk],
                "score": round(suspect.score, 4),
                "share": round(suspect.share, 4),
                "lag_s": suspect.lag_s,
            }
            for suspect in (one.suspicion.named(slots.step_s) if accused else [])
        ],
        "load_growth": round(one.suspicion.rise, 3),
        "opened_at": one.span.seen,
        # With how many pools it began at the same moment, itself among them; None where that may be chance.
        "pools_together": None if company is None else company.pools,
    }


def _alone(pool: str, members: list[str], found: Found) -> list[dict[str, Any]]:
    return [
        {
            "pool": pool,
            "disk": members[one.disk],
            "start": one.span.start,
            "end": one.span.end,
            "severity": round(one.severity, 3),
            "cause": one.cause.value,
        }
        for one in found.alone
    ]


def _pool(name: str, members: list[str], slots: PoolSlots, found: Found | None, inferred: bool) -> dict[str, Any]:
    least = None if found is None else round(float(np.exp(found.model.thresholds.least)), 3)
    return {
        "pool": name,
        "inferred": inferred,
        "disks": members if inferred else len(members),
        "slots": len(slots.starts),
        # None: too short a record to know what is usual.
        "least_visible_slowdown": least,
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)
