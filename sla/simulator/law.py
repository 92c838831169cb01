"""How long does an I/O wait at a back end that all its disks share? A queueing law with a knee, solved for all steps.

The wait is Sakasegawa's approximation for the G/G/c queue, W = s · b · rho^(sqrt(2(c+1))-1) / (c (1-rho)), b being
the burstiness. Each tenant is a closed loop (interactive response time law): rate = 1 / (1/d + R/N) of the rate d it
would have if answers cost no time, N at most waiting; an open one is the same with a large N. Load makes waits, waits
make less load: for each step there is one utilisation rho at which both agree, found by bisection.
"""

from __future__ import annotations

import numpy as np

from sla.simulator.noise import Floats

FULL = 0.995  # a back end is never busier; what is asked beyond it waits in the tenants
ROUNDS = 18  # halves of the interval: rho to 4e-6


def wait_ms(rho: Floats, service_ms: Floats, servers: int, burstiness: float) -> Floats:
    """The mean wait before service at utilisation rho (0 … FULL), service not included."""
    exponent = np.sqrt(2.0 * (servers + 1)) - 1.0
    return np.asarray(service_ms * burstiness * rho**exponent / (servers * (1.0 - rho)))


def utilisation(wait: Floats, service_ms: Floats, servers: int, burstiness: float) -> Floats:
    """The inverse of `wait_ms`: how busy a back end is at which one waits so long."""
    low, high = np.zeros_like(wait), np.full_like(wait, FULL)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        less = wait_ms(middle, service_ms, servers, burstiness) < wait
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray((low + high) / 2)


def rates(wait: Floats, gap_ms: Floats, own_ms: Floats, share: Floats, threads: Floats, cap: Floats) -> Floats:
    """I/Os a second of each disk (D, T) where the back end's wait and service together are `wait` (T,).

    gap_ms: 1000/d, the time between two requests that nobody has to wait for; share: of its I/Os that go to the back
    end (the cache answers the others); cap: I/Os a second that its throttle lets through.
    """
    return np.asarray(np.minimum(1000.0 / (gap_ms + (own_ms + share * wait) / threads), cap))


def balance(
    gap_ms: Floats,
    own_ms: Floats,
    share: Floats,
    threads: Floats,
    cap: Floats,
    cost: Floats,
    service_ms: Floats,
    servers: int,
    burstiness: float,
) -> tuple[Floats, Floats, Floats]:
    """(rates (D, T), back end's wait + service in ms (T,), utilisation (T,)).

    cost (D, T): how many smallest I/Os one of its requests is worth to the back end, its cache's share taken off.
    Where even FULL is not enough for what is asked, everybody's rate is cut alike.
    """
    per_ms = cost / (1000.0 * servers)

    def busy(rho: Floats) -> Floats:
        total = service_ms + wait_ms(rho, service_ms, servers, burstiness)
        return np.asarray(service_ms * np.einsum("dt,dt->t", rates(total, gap_ms, own_ms, share, threads, cap), per_ms))

    low, high = np.zeros_like(service_ms), np.full_like(service_ms, FULL)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        more = busy(middle) > middle
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    rho = (low + high) / 2
    total = service_ms + wait_ms(rho, service_ms, servers, burstiness)
    served = rates(total, gap_ms, own_ms, share, threads, cap)
    asked = service_ms * np.einsum("dt,dt->t", served, per_ms)
    return served * np.minimum(1.0, FULL / np.maximum(asked, 1e-9)), np.asarray(total), np.asarray(rho)
