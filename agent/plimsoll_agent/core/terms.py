"""What does one version of a contract promise about each second?"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

US_PER_MS = 1000
PPM = 1_000_000


USUAL_OBJECTIVE_PPM = 990_000


class Term(
    namedtuple(
        "Term",
        "term read_threshold_us write_threshold_us iops depth tolerance_ppm io_unit_bytes objective_ppm",
        defaults=(USUAL_OBJECTIVE_PPM,),
    )
):
    """One contract version as far as seconds are concerned (design protocol: policy).

    Units: µs, I/O units a second, I/O units, parts per million, bytes; the objective (parts per million) decides
    nothing about a second, only how finely it is worth looking at. A named tuple, because the sampler
    must not load `dataclasses` and `typing` (2.5 MB of resident memory).
    """

    __slots__ = ()

    @property
    def rate_micro(self) -> int:
        """What does the ideal disk of this term work off, in millionths of a unit per second?"""
        return int(self.iops * (PPM - self.tolerance_ppm))

    @classmethod
    def from_policy(cls, policy: Mapping[str, Any]) -> Term:
        """Read one entry of a policy's `terms`.

        `threshold_ms` holds for both directions unless `read_threshold_ms` or `write_threshold_ms` names its own.
        Raises ValueError with the offending value if a figure is missing or out of range.
        """
        both = policy.get("threshold_ms")
        read = _threshold_us(policy, "read_threshold_ms", both)
        write = _threshold_us(policy, "write_threshold_ms", both)
        tolerance_ppm = round(float(policy.get("tolerance", 0.1)) * PPM)
        if not 0 <= tolerance_ppm < PPM:
            raise ValueError(f"tolerance must lie in [0, 1), not {policy.get('tolerance')!r}")
        iops = _positive(policy, "iops")
        depth = policy.get("depth")
        if depth is None:
            depth = iops * (PPM - tolerance_ppm) * min(read, write) // (PPM * PPM)
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
            raise ValueError(f"depth must be a whole number of units from 0 on, not {depth!r}")
        objective_ppm = policy.get("objective_ppm") or USUAL_OBJECTIVE_PPM
        if isinstance(objective_ppm, bool) or not isinstance(objective_ppm, int) or not 0 < objective_ppm < PPM:
            raise ValueError(f"objective_ppm must lie between 0 and {PPM}, not {objective_ppm!r}")
        unit = _positive(policy, "io_unit_bytes")
        return cls(int(policy["term"]), read, write, iops, depth, tolerance_ppm, unit, objective_ppm)


def _threshold_us(policy: Mapping[str, Any], key: str, both: float | None) -> int:
    """The threshold of one direction in µs, from its own key or from the common one."""
    value = policy.get(key)
    if value is None:
        value = both
    if value is None:
        raise ValueError(f"a term needs {key} or threshold_ms, this one has neither: {dict(policy)!r}")
    us = round(float(value) * US_PER_MS)
    if us <= 0:
        raise ValueError(f"{key} must be above 0 ms, not {value!r}")
    return us


def _positive(policy: Mapping[str, Any], key: str) -> int:
    value = policy.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{key} must be a whole number above 0, not {value!r}")
    return value
