"""Where does this number come from? A slot down to its seconds, a period down to its worst minutes."""

from typing import Any

import numpy as np
from django.utils.translation import gettext, gettext_lazy

from sla.domain.evidence import MINUTE_S
from sla.domain.slot import run_ends
from sla.domain.states import Reason, State
from sla.scoring import store
from sla.scoring.agreement import agreement
from sla.scoring.score import compute_score
from sla.scoring.selectors import NAMES, batch_of, cases, second_items, slot_rows, vantage_of
from sla.scoring.settle import Batch
from sla.scoring.terms import contract_of
from sla.scoring.words import slot_item

WORST = 20
SENTENCES = {
    State.MAINTENANCE: gettext_lazy("the minute lies in a maintenance window that takes its time out"),
    State.NO_DATA: gettext_lazy("under half of the minute was observed"),
    State.IDLE: gettext_lazy("there was no I/O and nothing in flight"),
    State.BREACHED: gettext_lazy(
        "more of the covered I/Os were slow, or more time was lost, than the objective allows"
    ),
    State.EXCUSED: gettext_lazy(
        "under 5 % of the I/Os were covered: the customer queued more than the contract lets wait"
    ),
    State.MET: gettext_lazy("no more of the covered I/Os were slow than the objective allows"),
}
REASONS = {
    Reason.NO_CONTRACT: gettext_lazy("no contract was in force"),
    Reason.READS_OUTSIDE: gettext_lazy("the share of reads is outside the contract's conditions"),
    Reason.BLOCKS_OUTSIDE: gettext_lazy("the mean block is outside the contract's conditions"),
    Reason.LOAD_OUTSIDE: gettext_lazy("the load is outside the contract's conditions"),
    Reason.UNAVAILABLE: gettext_lazy(
        "nothing completed for 60 s in a row while requests waited: the disk was unavailable"
    ),
}


def explain_slot(disk_id: int, slot: int, vantage: str | None = None) -> dict[str, Any] | None:
    """The slot that holds a moment, laid out; None where neither slot nor frames are stored."""
    side = vantage_of(disk_id, vantage)
    minute = slot // MINUTE_S * MINUTE_S
    stored = slot_rows(disk_id, minute, minute + MINUTE_S, side)
    batch = batch_of(disk_id, minute, minute + MINUTE_S, side)
    if batch is None and not stored:
        return None
    answer: dict[str, Any] = {
        "slot": slot_item(stored[0]) if stored else None,
        "evidence": "frames" if batch else "slot",
    }
    if stored:
        state, reason = State(stored[0]["state"]), Reason(stored[0]["reason"])
        answer["because"] = str(REASONS.get(reason) or SENTENCES[state])
        contract = contract_of(stored[0]["term"]) if stored[0]["term"] else None
        answer["contract"] = contract.text if contract else None
        if contract:
            answer["terms"] = {
                "objective": contract.objective_ppm / 1_000_000,
                "read_threshold_ms": contract.read_threshold_us / 1000,
                "write_threshold_ms": contract.write_threshold_us / 1000,
                "iops": contract.iops,
                "depth": contract.depth,
                "tolerance": contract.tolerance_ppm / 1_000_000,
                "io_unit_bytes": contract.io_unit_bytes,
            }
    if batch:
        answer |= {
            "cases": cases(batch),
            "figures": _figures(batch),
            "frames": _frames(batch),
            "seconds": second_items(batch),
        }
    return answer


def _figures(batch: Batch) -> list[dict[str, Any]]:
    """Each figure of the slot with the sum that it is (semantics §4, §5)."""
    steps, slots = batch.steps, batch.slots
    pools, waiting = run_ends(batch.evidence, steps)
    ios = int(slots.ios[0])
    xlo, xhi = int(steps.excess_low.sum()), int(steps.excess_high.sum())
    pool, left = int(pools.sum()), int(min(waiting.sum(), xlo))
    told = {"ios": ios, "pool": pool, "xlo": xlo, "xhi": xhi, "left": left}
    return [
        {"name": "ios", "value": ios, "is": gettext("completed reads + writes of the observed seconds")},
        {
            "name": "eligible_low",
            "value": int(slots.eligible_low[0]),
            "is": gettext(
                "max(0, %(ios)d completed - %(pool)d maybe excess before - %(xhi)d arrivals that may be excess)"
            )
            % told,
        },
        {
            "name": "eligible",
            "value": int(slots.eligible[0]),
            "is": gettext("completions labelled covered, second by second"),
        },
        {
            "name": "eligible_high",
            "value": int(slots.eligible_high[0]),
            "is": gettext(
                "%(ios)d completed - max(0, %(xlo)d arrivals that must be excess - %(left)d of them still in flight)"
            )
            % told,
        },
        {"name": "slow_low", "value": int(slots.slow_low[0]), "is": gettext("sum of the seconds' proved slow")},
        {"name": "slow", "value": int(slots.slow[0]), "is": gettext("sum of the seconds' estimates")},
        {
            "name": "slow_high",
            "value": int(slots.slow_high[0]),
            "is": gettext("sum of the seconds' most, at most eligible_high"),
        },
        {"name": "lost_ms", "value": int(slots.lost_ms[0]), "is": gettext("short delivery and stalls, summed")},
    ]


def _frames(batch: Batch) -> list[dict[str, Any]]:
    e, minute = batch.evidence, batch.judged[0].key[2]
    source = {1: "diskstats", 2: "ebpf", 3: "qmp", 4: "import"}
    fine = np.where(batch.steps.observed, e.columns["fine_ms"], 0).max(axis=1)
    return [
        {
            "start": minute + int(e.offset_s[i]),
            "step_s": int(e.step_s[i]),
            "n": int(e.n[i]),
            "source": source.get(int(e.source[i])),
            "in_flight_rule": "accounted" if e.accounted[i] else "driver",
            "coarsest_ms": int(fine[i]) if fine[i] > 0 else None,
            "pool_start": int(e.pool_start[i]),
        }
        for i in range(e.frames)
    ]


def low_end(score: dict[str, Any]) -> str:
    """The sum behind a period's low end; and where bursts leave most of it open, what better evidence would need."""
    told = gettext("1 - %(slow)d at most slow / %(covered)d surely covered") % {
        "slow": score["slow"]["high"],
        "covered": score["eligible_low"],
    }
    if score["proved"] or 2 * score["eligible_low"] >= score["eligible"]:
        return told
    needs = gettext(
        "of a burst between two samples only as many requests as the contract lets wait are surely covered, for it may "
        "have come at one instant; samples of 10 ms, or eBPF on the VM, which times each request, would prove more"
    )
    return f"{told}; {needs}"


def explain_period(disk_id: int, period: str, vantage: str | None = None) -> dict[str, Any]:
    """The period's score, its days, the minutes that cost most, what the other side says. PeriodError as the score."""
    score = compute_score(disk_id, period, vantage)
    side = vantage_of(disk_id, vantage)
    columns = ", ".join("extract(epoch FROM start)::int8" if name == "start" else name for name in NAMES)
    with store.reading() as cursor:
        worst = cursor.execute(
            f"""
            SELECT {columns} FROM scoring_slot
            WHERE disk_id = %s AND vantage = %s AND NOT excluded AND (slow > 0 OR lost_ms > 0)
              AND start >= to_timestamp({score["start"]}) AND start < to_timestamp({score["end"]})
            ORDER BY slow + lost_ms DESC, start LIMIT {WORST}
            """,  # noqa: S608
            [disk_id, side],
            binary=True,
        ).fetchall()
        days = cursor.execute(
            f"""
            SELECT extract(epoch FROM start)::int8, sum(read_ios + write_ios)::int8, sum(eligible)::int8,
                   sum(slow)::int8, sum(lost_ms)::int8, sum(observed_s)::int8, sum(slots_breached)::int8
            FROM scoring_day WHERE disk_id = %s AND vantage = %s AND NOT excluded
              AND start >= to_timestamp({score["start"] - 86_400}) AND start < to_timestamp({score["end"]})
            GROUP BY start ORDER BY start
            """,  # noqa: S608
            [disk_id, side],
            binary=True,
        ).fetchall()
    names = ("start", "ios", "eligible", "slow", "lost_ms", "observed_s", "slots_breached")
    return {
        "score": score,
        "agreement": agreement(disk_id, score["start"], score["end"]),
        "figures": [
            {
                "name": "sli.low",
                "value": score["sli"]["low"],
                "is": low_end(score),
            },
            {
                "name": "sli.estimate",
                "value": score["sli"]["estimate"],
                "is": f"1 - {score['slow']['estimate']} / {score['eligible']}",
            },
            {
                "name": "sli.high",
                "value": score["sli"]["high"],
                "is": gettext("1 - %(slow)d surely slow / %(covered)d at most covered")
                % {"slow": score["slow"]["low"], "covered": score["eligible_high"]},
            },
        ],
        "days": [dict(zip(names, row, strict=True)) for row in days],
        "worst": [slot_item(dict(zip(NAMES, row, strict=True))) for row in worst],
    }
