"""What did somebody make happen to the demonstration's fleet? Events by hand, in a small file beside its state.

The agents' process reads it every minute, so that an event that is staged now begins within two minutes.
"""

import json
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from sla.simulator.world import DAY_S, Event, Kind

KEPT_S = DAY_S  # older ones are forgotten


def path() -> Path:
    """Where they are kept."""
    return Path(settings.BASE_DIR) / "var" / "demo-events.json"


def load(file: Path) -> tuple[Event, ...]:
    """In the order in which they were staged; none where nobody staged any."""
    if not file.is_file():
        return ()
    return tuple(
        Event(**{**one, "kind": Kind(one["kind"]), "disks": tuple(one["disks"])})
        for one in json.loads(file.read_text())
    )


def add(file: Path, event: Event) -> None:
    """Remember one more. The file is replaced in one step: whoever reads sees all of it or nothing of it."""
    kept = [one for one in load(file) if one.end > event.start - KEPT_S]
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps([asdict(one) for one in (*kept, event)]))
    fresh.replace(file)
