"""When is work looked for? Seconds between looks; what is due stands in the database."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "beat-alive": {"task": "sla.api.beat_alive", "schedule": 10.0, "options": {"expires": 10}},
    "drop-old-frames": {"task": "sla.telemetry.drop_old_frames", "schedule": 3600.0, "options": {"expires": 3600}},
}
