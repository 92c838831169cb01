"""When did active tests run? Their load is ordinary load and judged as such; the charts say whose it was."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from sla.fleet.models import Disk
from sla.probes.selectors import probes_between, record_of

MOST = 12
# Where no end is told (the power went), a test is drawn this long after its last acknowledgement.
UNENDED = timedelta(seconds=1)
KINDS = {
    "steps": gettext_lazy("load in steps"),
    "fsync": gettext_lazy("fsync rates"),
    "durability": gettext_lazy("durability"),
}


def marks(disk: Disk, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
    """Events as disk_events tells them, newest first; `disk.probed` (was_probed) spares the question."""
    if not getattr(disk, "probed", True):
        return
    for probe in probes_between(disk, start, end)[:MOST]:
        record = record_of(probe)
        last = record.acknowledged_at if record is not None else None
        ended = probe.ended_at or (last or probe.started_at) + UNENDED
        yield {
            "kind": "probe",
            "start": round(probe.started_at.timestamp()),
            "end": round(ended.timestamp()),
            "text": gettext("probe ran: %(kind)s") % {"kind": KINDS[probe.kind]},
            "url": reverse("disk", args=[disk.pk]) + "#probes",
        }
