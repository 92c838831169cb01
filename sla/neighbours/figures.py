"""How do the figures of a pool's disks lie in bytes? Little-endian float32, one figure of all disks after the other."""

import numpy as np

from sla.domain.neighbours.baseline import Baseline
from sla.domain.neighbours.curve import BINS, Curves
from sla.domain.neighbours.model import Model
from sla.domain.neighbours.profile import DAY_H
from sla.domain.neighbours.rules import Thresholds, rules
from sla.domain.neighbours.slots import Floats

STEP_S = 60
# ios, bytes, time_ms, log slowdown; NaN is unknown.
OF_A_MINUTE = 4


def pack_minute(figures: Floats) -> bytes:
    """(OF_A_MINUTE, D)."""
    return np.ascontiguousarray(figures, "<f4").tobytes()


def unpack_minute(body: bytes) -> Floats:
    """(OF_A_MINUTE, D)."""
    return np.frombuffer(body, "<f4").reshape(OF_A_MINUTE, -1).astype(np.float64)


def pack_model(model: Model) -> bytes:
    """The pool's habit, then per disk level, scale, slots known, own threshold and both curves."""
    base = model.baseline
    rows = [base.level, base.scale, base.known, model.own]
    for curves in (base.by_bytes, base.by_ios):
        rows += [*curves.at.T, *curves.adds.T]
    return np.concatenate((model.habit, np.concatenate(rows))).astype("<f4").tobytes()


def unpack_model(body: bytes, thresholds: dict[str, list[float] | float]) -> Model:
    """What pack_model made of a model of 60-second slots, to the precision of float32."""
    values = np.frombuffer(body, "<f4").astype(np.float64)
    habit, rows = values[:DAY_H], values[DAY_H:].reshape(4 + 4 * BINS, -1)
    at_bytes, add_bytes, at_ios, add_ios = (rows[4 + BINS * place : 4 + BINS * (place + 1)].T for place in range(4))
    opens, hot = thresholds["opens"], thresholds["hot"]
    return Model(
        STEP_S,
        Baseline(rows[0], Curves(at_bytes, add_bytes), Curves(at_ios, add_ios), rows[1], rows[2]),
        habit,
        Thresholds(rules(STEP_S), tuple(opens), float(hot)),
        rows[3],
    )
