"""When is work looked for? Seconds between looks; what is due stands in the database."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "beat-alive": {"task": "sla.api.beat_alive", "schedule": 10.0, "options": {"expires": 10}},
    # Frames come once a minute and a disk: what is due waits two seconds at the most.
    "settle-due": {"task": "sla.scoring.settle_due", "schedule": 2.0, "options": {"expires": 2}},
    # A mark waits two seconds at the most; acute ones are told at once besides.
    "evaluate-incidents": {"task": "sla.incidents.evaluate", "schedule": 2.0, "options": {"expires": 2}},
    "sweep-incidents": {"task": "sla.incidents.sweep", "schedule": 15.0, "options": {"expires": 15}},
    "audit": {"task": "sla.incidents.audit", "schedule": 30.0, "options": {"expires": 30}},
    # A pool's minute is looked at as soon as its disks have sent it.
    "detect-neighbours": {"task": "sla.neighbours.detect", "schedule": 15.0, "options": {"expires": 15}},
    "infer-pools": {"task": "sla.neighbours.infer_pools", "schedule": 21600.0, "options": {"expires": 21600}},
    "drop-old-pool-minutes": {"task": "sla.neighbours.drop_old", "schedule": 3600.0, "options": {"expires": 3600}},
    "refresh-stale": {"task": "sla.scoring.refresh_stale", "schedule": 15.0, "options": {"expires": 15}},
    "merge-histograms": {"task": "sla.scoring.merge_histograms", "schedule": 60.0, "options": {"expires": 60}},
    "close-periods": {"task": "sla.scoring.close_periods", "schedule": 600.0, "options": {"expires": 600}},
    # A month closes at a minute of its contract's own calendar; where nothing is due it costs two queries.
    "freeze-statements": {"task": "sla.reports.freeze_due", "schedule": 120.0, "options": {"expires": 120}},
    "recheck-statements": {"task": "sla.reports.recheck", "schedule": 21600.0, "options": {"expires": 21600}},
    "lay-out-maintenance": {"task": "sla.scoring.lay_out_maintenance", "schedule": 3600.0, "options": {"expires": 600}},
    "drop-old-scores": {"task": "sla.scoring.drop_old", "schedule": 3600.0, "options": {"expires": 3600}},
    "drop-old-frames": {"task": "sla.telemetry.drop_old_frames", "schedule": 3600.0, "options": {"expires": 3600}},
    "forget-letters": {"task": "sla.notifications.forget_letters", "schedule": 3600.0, "options": {"expires": 3600}},
    # Whoever writes a notice nudges; this is for what waited for its hour, or failed.
    "deliver": {"task": "sla.notifications.deliver", "schedule": 2.0, "options": {"expires": 2}},
}
