"""What did active tests find of this disk? The section of its page, fetched once the page stands."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from sla.contracts.models import Assignment, ContractVersion
from sla.contracts.selectors import assignments_between, milliseconds, version_at
from sla.fleet.models import Disk
from sla.probes.judge import Judged, Terms, judge, own_terms, threshold_of
from sla.probes.models import Probe
from sla.probes.selectors import probes_of, record_of
from sla.web.disk_page import visible_disk
from sla.web.probe_marks import KINDS
from sla.web.probe_words import durability_words, figure, fsync_sentences, load_words, time_ms, tipping_words

SHOWN = 12
MOST_RUNS = 12


@login_required
@never_cache
@require_GET
def disk_probes(request: HttpRequest, disk_id: int) -> HttpResponse:
    """The section's inside, as HTML."""
    return render(request, "disk/probes_body.html", {"probes": section(visible_disk(request, disk_id))})


def section(disk: Disk) -> dict[str, Any]:
    """The newest test of each kind in full, and all of the newest in a line each."""
    tests = list(probes_of(disk)[:SHOWN])
    newest: dict[str, Probe] = {}
    for test in tests:
        newest.setdefault(test.kind, test)
    assigned = _assigned(disk, tests)
    return {
        "steps": _steps(newest["steps"], assigned) if "steps" in newest else None,
        "fsync": _fsync(newest["fsync"]) if "fsync" in newest else None,
        "durability": _durability(newest["durability"]) if "durability" in newest else None,
        "all": [{"at": one.started_at, "kind": str(KINDS[one.kind]), "words": _brief(one, assigned)} for one in tests],
        "api": f"/api/v1/disks/{disk.pk}/probes",
    }


def _assigned(disk: Disk, tests: Sequence[Probe]) -> list[Assignment]:
    if not any(test.kind == "steps" for test in tests):
        return []
    first = min(test.started_at for test in tests)
    return assignments_between([disk.pk], first, datetime.now(UTC)).get(disk.pk, [])


def _terms(test: Probe, assigned: Sequence[Assignment]) -> tuple[ContractVersion | None, Terms]:
    """The contract of that time, else what the tester tried it against."""
    version = version_at(assigned, test.started_at)
    if version is None:
        return None, own_terms(test.said)
    threshold = threshold_of(test.said, version.read_threshold_us, version.write_threshold_us)
    return version, Terms(threshold, version.objective_ppm, version.iops)


def _steps(test: Probe, assigned: Sequence[Assignment]) -> dict[str, Any]:
    version, terms = _terms(test, assigned)
    judged = judge(test.said, terms)
    limit = milliseconds(terms.threshold_us)
    rows = [
        {
            "concurrency": one["concurrency"],
            "iops": figure(one["iops"], 0),
            "await": time_ms(one["await_ms"], 2),
            "queue": figure(one["queue"], 2),
            "p99": time_ms(one["p99_ms"], 2),
            "within": figure(100 - 100 * slow / one["ios"], 2) if one["ios"] else "–",
            "met": met,
        }
        for one, slow, met in zip(test.said["steps"], judged.slow, judged.met, strict=True)
    ]
    return {
        "at": test.started_at,
        "verdict": tipping_words(judged, terms, by_contract=version is not None),
        "tone": _tone(judged),
        "load": load_words(test.said),
        "contract": version.text if version else None,
        "limit": limit,
        "rows": rows,
        "stopped": test.said["stopped"],
        "chart": {
            "steps": [
                {name: one[name] for name in ("concurrency", "iops", "await_ms", "p99_ms")}
                for one in test.said["steps"]
            ],
            "threshold_ms": limit,
            "contract_iops": terms.iops or None,
            "knee_iops": None if judged.beyond else judged.tipping_iops,
        },
    }


def _tone(judged: Judged) -> str:
    if judged.reached is None:
        return "met" if judged.tipping_iops is not None else "breached"
    return "met" if judged.reached else "breached"


def _fsync(test: Probe) -> dict[str, Any]:
    return {"at": test.started_at, "sentences": fsync_sentences(test.said)}


def _durability(test: Probe) -> dict[str, Any]:
    record = record_of(test)
    words, tone = durability_words(record) if record else ("", "no_data")
    runs = (record.missing or [])[:MOST_RUNS] if record else []
    named = ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in runs)
    more = record is not None and len(record.missing or []) > MOST_RUNS
    return {"at": test.started_at, "verdict": words, "tone": tone, "missing": f"{named}, …" if more else named}


def _brief(test: Probe, assigned: Sequence[Assignment]) -> str:
    if test.kind == "steps":
        version, terms = _terms(test, assigned)
        return tipping_words(judge(test.said, terms), terms, by_contract=version is not None)
    if test.kind == "fsync":
        return fsync_sentences(test.said)[0]
    record = record_of(test)
    return durability_words(record)[0] if record else ""
