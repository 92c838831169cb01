"""What runs by itself: when did each task last run, how long did it take, what did it say, and which is late?"""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from sla.accounts.selectors import is_noc
from sla.incidents.audit import up_s
from sla.incidents.jobs import period_s
from sla.incidents.models import JobRun
from sla.schedule import SCHEDULE

# A run may be a period late, and workers may be busy for half a minute.
LATE_PERIODS, LATE_S = 3, 30


@login_required
@require_safe
def jobs_page(request: HttpRequest) -> HttpResponse:
    """`/jobs`: the provider's own; those that are late or failed come first, those whose time has not come last."""
    if not is_noc(request.user):
        raise Http404("there is no such page")
    now = datetime.now(UTC)
    runs, up = JobRun.objects.in_bulk(), up_s(now)
    rows = [_row(entry["task"], runs.get(entry["task"]), now, up) for entry in SCHEDULE.values()]
    rows.sort(key=lambda row: (row["rank"], row["name"]))
    return render(request, "noc/jobs.html", {"rows": rows, "bad": sum(row["rank"] < 2 for row in rows)})


def _row(task: str, run: JobRun | None, now: datetime, up: float) -> dict[str, Any]:
    """`up`: for how many seconds the schedule has run; a job that never ran had as long, and no longer."""
    every = period_s(task)
    age = (now - run.started_at).total_seconds() if run else None
    failed = run is not None and run.failed_at is not None and (run.ok_at is None or run.failed_at > run.ok_at)
    late = every is not None and (up if age is None else age) > LATE_PERIODS * every + LATE_S
    if failed:
        word, state, rank = gettext("failed"), "breached", 0
    elif late:
        word, state, rank = gettext("late"), "at_risk", 1
    elif run is None:
        word, state, rank = gettext("not yet"), "idle", 3
    else:
        word, state, rank = gettext("on time"), "met", 2
    return {
        "name": task.removeprefix("sla."),
        "word": word,
        "state": state,
        "rank": rank,
        "every": every,
        "run": run,
        "age": age,
        "said": run.error if failed and run else run.said if run else "",
    }
