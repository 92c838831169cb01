"""What does `/metrics` say of the work itself: tasks, rules, incidents, mail?"""

from collections.abc import Iterator
from datetime import datetime

from django.db import connection
from django.db.models import Count, Max
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from sla.incidents.models import Incident, JobRun
from sla.notifications.selectors import health
from sla.scoring.models import DiskNow

_MARKS = """
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(marked_at)), 0),
       coalesce(pg_sequence_last_value(pg_get_serial_sequence('incidents_mark', 'id')::regclass), 0)
FROM incidents_mark
"""


def of_the_work(now: datetime) -> Iterator[Metric]:
    """For the NOC only."""
    newest = DiskNow.objects.aggregate(newest=Max("seen_at"))["newest"]
    if newest is not None:
        age = (now - newest).total_seconds()
        yield GaugeMetricFamily("plimsoll_newest_frame_age_seconds", "Since the newest scored frame ended", age)
    yield from _tasks(now)
    yield from _rules()
    yield from _incidents()
    yield from _mail(now)


def _tasks(now: datetime) -> Iterator[Metric]:
    runs = CounterMetricFamily("plimsoll_task_runs", "Runs of a task of the schedule, ever", labels=["task"])
    failures = CounterMetricFamily("plimsoll_task_failures", "Runs that failed, ever", labels=["task"])
    age = GaugeMetricFamily("plimsoll_task_ok_age_seconds", "Since its last good run began", labels=["task"])
    took = GaugeMetricFamily("plimsoll_task_duration_seconds", "How long its last run took", labels=["task"])
    for job in JobRun.objects.order_by("task"):
        runs.add_metric([job.task], job.runs)
        failures.add_metric([job.task], job.failures)
        if job.ok_at is not None:
            age.add_metric([job.task], (now - job.ok_at).total_seconds())
        if job.duration_ms is not None:
            took.add_metric([job.task], job.duration_ms / 1000)
    yield from (runs, failures, age, took)


def _rules() -> Iterator[Metric]:
    with connection.cursor() as cursor:
        cursor.execute(_MARKS)
        waiting, oldest_s, marked = cursor.fetchone()
    yield CounterMetricFamily("plimsoll_rule_evaluations", "Disks marked for the incident rules, ever", marked)
    yield GaugeMetricFamily("plimsoll_rule_marks", "Disks that wait for the incident rules", waiting)
    yield GaugeMetricFamily("plimsoll_rule_marks_oldest_seconds", "Age of the oldest of them", float(oldest_s))


def _incidents() -> Iterator[Metric]:
    counted = GaugeMetricFamily(
        "plimsoll_incidents", "Incidents that are not over", labels=["kind", "severity", "state"]
    )
    unresolved = Incident.objects.exclude(state=Incident.State.RESOLVED).order_by()
    for kind, severity, state, count in unresolved.values_list("kind", "severity", "state").annotate(n=Count("id")):
        counted.add_metric([kind, severity, state], count)
    yield counted


def _mail(now: datetime) -> Iterator[Metric]:
    stands = health(now)
    yield GaugeMetricFamily("plimsoll_outbox_waiting", "Notices that wait or are being sent", stands.waiting)
    yield GaugeMetricFamily("plimsoll_outbox_failing", "Notices that failed and will be tried again", stands.failing)
    yield GaugeMetricFamily("plimsoll_outbox_oldest_seconds", "How long the oldest due one is due", stands.oldest_s)
    yield GaugeMetricFamily("plimsoll_outbox_given_up", "Given up, of the last day", stands.given_up_today)
    yield GaugeMetricFamily("plimsoll_outbox_sent", "Sent, of the last day", stands.sent_today)
    failing = stands.server_failing_since
    since = (now - failing).total_seconds() if failing else 0.0
    yield GaugeMetricFamily("plimsoll_mail_server_failing_seconds", "0 while the mail server answers", since)
