"""How many flushes were there, and how long did they take? Only frames know: a slot judges reads and writes."""

from collections import defaultdict

import numpy as np

from sla.domain.evidence import Ints
from sla.scoring import frames, store
from sla.telemetry.check import NULL
from sla.telemetry.columns import Opened, named, stack

# A day of frames is as much as a page may ask for, and the steps that its ends cut.
LONGEST_S = 86_400 + 3_600


def flushes_between(disk_id: int, vantage: int, start: int, end: int, step_s: int) -> tuple[Ints, Ints, Ints]:
    """Per step from `start` on: flushes, their summed ms, and the seconds in which both are known; (steps,) each.

    `start` and `end` in Unix seconds, `step_s` whole minutes. A span longer than LONGEST_S is refused: ValueError.
    """
    if end - start > LONGEST_S:
        raise ValueError(f"{end - start} s of frames are too many to open: {LONGEST_S} at most")
    steps = -(-(end - start) // step_s)
    ios, ms, known_s = (np.zeros(steps, np.int64) for _ in range(3))
    with store.reading() as cursor:
        stored = store.frames_between(cursor, disk_id, vantage, start, end)
    got = frames.read(stored, histograms=False)
    forms: dict[object, list[int]] = defaultdict(list)
    for index, one in enumerate(got.bodies):
        forms[one.form].append(index)
    for members in forms.values():
        counted = _counted([got.bodies[index] for index in members])
        if counted is None:
            continue
        place = (got.frames.start[members] - start) // step_s
        for total, values in zip((ios, ms), counted[:2], strict=True):
            np.add.at(total, place, values)
        np.add.at(known_s, place, counted[2] * got.frames.step_s[members])
    return ios, ms, known_s


def _counted(bodies: list[Opened]) -> tuple[Ints, Ints, Ints] | None:
    """Of frames of one form: flushes, their ms, and steps in which both are known, (frames,) each; None without."""
    places = {name: place for place, (name, term) in enumerate(named(*bodies[0].form).columns) if term is None}
    if "flush_ios" not in places or "flush_ms" not in places:
        return None
    figures = stack(bodies)
    ios, ms = figures[:, places["flush_ios"]], figures[:, places["flush_ms"]]
    known = (ios != NULL) & (ms != NULL)
    return np.where(known, ios, 0).sum(axis=1), np.where(known, ms, 0).sum(axis=1), known.sum(axis=1)
