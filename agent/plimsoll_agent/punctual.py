"""Being let in on time: a sampler that waits for its turn behind busy neighbours sees nothing in between.

Measured on two cores with sixteen busy processes, reading every 10 ms for 20 s, samples that came over one period late:
32 % with ordinary scheduling, 24 % with a nice of -15, none under SCHED_RR.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # as in sampler.py
import os
import resource

REAL_TIME, URGENT, ORDINARY = "real-time", "urgent", "ordinary"
LOWEST_RT = 1
NICE = -15
# A sample takes 0.1 ms and a minute's turn some ms: who runs on for so long without a pause is out of order, and loses
# its privilege (soft limit), or its life were even that to fail (hard limit). Microseconds, setrlimit(2) RLIMIT_RTTIME.
SOFT_US, HARD_US = 300_000, 3_000_000


def be_punctual() -> str:
    """Ask the kernel for the promptest turn it allows this user. Answers what it was."""
    try:
        _signal.signal(_signal.SIGXCPU, _step_back)
        resource.setrlimit(resource.RLIMIT_RTTIME, (SOFT_US, HARD_US))
        # Children are ordinary again: uploads may wait.
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(LOWEST_RT))
        return REAL_TIME
    except (OSError, ValueError):  # not root, or a container or control group without real-time turns
        pass
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
        return URGENT
    except OSError:
        return ORDINARY


def _step_back(number: int, frame: object) -> None:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
