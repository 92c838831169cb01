"""How do single I/Os spread around their mean, how many of them are slow, and in which buckets do they lie?

One law for everything here: an I/O's time is lognormal with the coefficient of variation CV around the mean of its
step. What the mean cannot explain (queues, faults) is in the mean already.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plimsoll_agent.core.r40 import EDGES_US
from sla.simulator.noise import Floats, Ints

CV = 0.8
SIGMA = float(np.sqrt(np.log(1.0 + CV**2)))
US_PER_MS = 1_000.0
FEW_WAITING = 8.0
# Where a histogram's I/Os are put: shares of all, finer towards the slow end, and the normal quantile of their middle.
SHARES = np.array([0.05, 0.15, 0.20, 0.20, 0.15, 0.10, 0.07, 0.04, 0.02, 0.01, 0.006, 0.003, 0.001])
QUANTILES = np.array([-2.06, -1.15, -0.57, -0.06, 0.39, 0.76, 1.12, 1.51, 1.9, 2.2, 2.47, 2.82, 3.29])


def slow_share(mean_ms: Floats, threshold_ms: Floats | float) -> Floats:
    """Which share of the I/Os takes the threshold or longer, given their mean."""
    with np.errstate(divide="ignore"):
        z = (np.log(threshold_ms) - np.log(mean_ms)) / SIGMA + SIGMA / 2
    return upper(z)


def upper(z: Floats) -> Floats:
    """The upper tail of the standard normal (Abramowitz and Stegun 7.1.26, error under 1e-7)."""
    x = np.abs(z) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * x)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    tail = 0.5 * poly * np.exp(-np.minimum(x * x, 700.0))
    return np.asarray(np.where(z >= 0, tail, 1.0 - tail))


def single(rng: np.random.Generator, mean_ms: Floats, waiting: Floats) -> Floats:
    """Times of single I/Os, given the mean of each and how many were waiting.

    Behind many others, as at a throttle, everybody waits for about as long: the spread shrinks with the queue.
    """
    sigma = SIGMA * np.minimum(1.0, FEW_WAITING / np.maximum(waiting, 1e-9))
    return np.asarray(mean_ms * np.exp(sigma * rng.standard_normal(mean_ms.shape) - sigma**2 / 2))


def buckets(ios: Ints, summed_ms: Ints, waiting: Floats | float = 0.0) -> tuple[npt.NDArray[np.int16], Ints]:
    """(R40 bucket, count), each (…, K): where the I/Os of each step lie. The counts of a step sum to its I/Os.

    waiting: how many were in flight on average, as for `single`.
    """
    mean_us = US_PER_MS * np.maximum(summed_ms, 0.5) / np.maximum(ios, 1)
    sigma = (SIGMA * np.minimum(1.0, FEW_WAITING / np.maximum(waiting, 1e-9)))[..., None]
    at = np.log(mean_us)[..., None] + (sigma * QUANTILES - sigma**2 / 2)
    bucket = np.searchsorted(np.log(np.array(EDGES_US)), at, side="right") - 1
    seen = np.round(ios[..., None] * np.cumsum(SHARES)).astype(np.int64)
    seen[..., -1] = ios
    return bucket.astype(np.int16), np.diff(seen, axis=-1, prepend=0)
