"""`/metrics`: how does the line of data run, and how does each disk stand? Prometheus text, made from the database.

Nothing is counted in the process: several web processes answer alike, and a restart loses nothing. A customer's token
shows that customer's disks; what an operator of Plimsoll needs is for the NOC.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric

from sla.accounts.models import User
from sla.api.auth import reader
from sla.api.errors import Refused, database_away, error_response, response_of
from sla.api.metrics_work import of_the_work
from sla.domain.states import State
from sla.scoring import listing

ENDS = ("low", "estimate", "high")
_LINE = """
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(marked_at)), 0),
       coalesce(pg_sequence_last_value(pg_get_serial_sequence('telemetry_dueslot', 'id')::regclass), 0)
FROM telemetry_dueslot
"""


def of_the_line() -> Iterator[Metric]:
    """What an operator of Plimsoll watches."""
    with connection.cursor() as cursor:
        cursor.execute(_LINE)
        due, oldest_s, marked = cursor.fetchone()
    yield GaugeMetricFamily("plimsoll_due_slots", "Marks of minutes that wait to be scored", due)
    yield GaugeMetricFamily("plimsoll_due_slots_oldest_seconds", "Age of the oldest of them", float(oldest_s))
    yield CounterMetricFamily("plimsoll_marked_minutes", "Minutes marked due by accepted frames, ever", marked)


def of_disks(user: User, now: datetime) -> Iterator[Metric]:
    """The verdict figures of each disk that this person may see."""
    names = ["disk", "device", "machine", "customer"]
    state = GaugeMetricFamily("plimsoll_disk_state", "1 for the state a disk is in", labels=[*names, "state", "proved"])
    sli = GaugeMetricFamily("plimsoll_disk_sli_ratio", "SLI of the open period", labels=[*names, "bound"])
    left = GaugeMetricFamily("plimsoll_disk_budget_left_ratio", "Error budget left, may be negative", labels=names)
    burn = GaugeMetricFamily("plimsoll_disk_burn_rate", "Over the last hour; 1 is exactly on budget", labels=names)
    eligible = GaugeMetricFamily("plimsoll_disk_eligible_ios", "Covered I/Os of the open period", labels=names)
    slow = GaugeMetricFamily("plimsoll_disk_slow_ios", "Slow I/Os of the open period, estimate", labels=names)
    seen = GaugeMetricFamily("plimsoll_disk_seen_age_seconds", "Since its newest frame ended", labels=names)
    for disk in listing.listed(user).order_by("id").iterator(chunk_size=2000):
        labels = [str(disk.pk), disk.device, disk.machine.hostname, disk.machine.customer.name]
        stands = getattr(disk, "now", None)
        if stands is None:
            state.add_metric([*labels, State.NO_DATA.word, "true"], 1)
            continue
        state.add_metric([*labels, State(stands.state).word, str(stands.proved).lower()], 1)
        for end in ENDS:
            if (value := getattr(stands, f"sli_{end}")) is not None:
                sli.add_metric([*labels, end], value)
        for family, value in (
            (left, stands.budget_left_estimate),
            (burn, stands.burn_rate),
            (eligible, stands.eligible),
            (slow, stands.slow),
            (seen, (now - stands.seen_at).total_seconds() if stands.seen_at else None),
        ):
            if value is not None:  # unknown is not zero: it is not there
                family.add_metric(labels, value)
    yield from (state, sli, left, burn, eligible, slow, seen)


class _Families:
    """What prometheus_client asks for its families."""

    def __init__(self, families: list[Metric]) -> None:
        self.families = families

    def collect(self) -> list[Metric]:
        return self.families


def metrics(request: HttpRequest) -> HttpResponse:
    """The view."""
    try:
        user = reader(request)
        if user is None:
            return error_response(401, "unauthorized", "a reader's bearer token is needed")
        families = list(of_disks(user, datetime.now(UTC)))
        if user.is_noc:
            families = [*of_the_line(), *of_the_work(datetime.now(UTC)), *families]
    except Refused as refused:
        return response_of(refused)
    except DatabaseError as error:
        return database_away(request, error)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(families))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
