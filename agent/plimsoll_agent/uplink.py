"""The short-lived child: packs the finished frames, sends them, keeps the policy, and is gone.

It may hang, crash or be killed at any moment: what is not answered for by the server stays in the spool.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` brings `enum`: 0.9 MB for nothing
import os
import sys
import time

from . import spool
from .child import DONE, LONGEST_S, TRY_AGAIN
from .health import due, told_pairs, words
from .packing import pack_waiting
from .report import Report
from .settings import Settings, from_environment
from .state import State, lock, open_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .delivery import Tally
    from .transport import Server

# The sampler is more urgent than anything, its uploads are not.
PATIENT = 5
# Shorter than the sampler's patience, so that a child reports by itself what held it up.
SEND_S = {"send": 40.0, "look": 40.0, "last": 2.5}
LAST_TIMEOUT_S = 2


def main(task: str) -> int:
    """Exit codes: DONE or TRY_AGAIN.

    `task`: pack (no network), send, look (send, but first see whether the server knows this machine's disks), or last
    (the agent is stopping).
    """
    # An orphan must not live on where the sampler was killed before it could end its child.
    _signal.alarm(LONGEST_S + 5)
    settings = Settings(from_environment(os.environ))
    state = open_state(settings)
    held = lock(state.top + "/uplink.lock")
    if held is None:
        return TRY_AGAIN
    os.setpriority(os.PRIO_PROCESS, 0, max(PATIENT, os.getpriority(os.PRIO_PROCESS, 0)))
    report = Report(state)
    report.pairs["retry_after_s"] = 0
    try:
        _pack(state, settings, report)
    except OSError as error:
        # What is in the spool already can go, and gives its room back.
        report.trouble = f"finished frames cannot be stored: {error}"
    if task != "pack":
        try:
            report.trouble = _send(state, settings, report, task) or report.trouble
        except OSError as error:
            report.trouble = f"the state folder cannot be written: {error}"
    for line in report.write(asked_server=task != "pack"):
        sys.stderr.write(f"plimsoll-agent: {line}\n")
    os.close(held)
    return TRY_AGAIN if report.trouble and task != "pack" else DONE


def _pack(state: State, settings: Settings, report: Report) -> None:
    spool.sweep(state.spool)
    report.remarks += pack_waiting(state)[:3]
    oldest = int(time.time()) - settings.spool_s
    entries, dropped = spool.bound(spool.entries(state.spool), settings.spool_bytes, oldest)
    report.add("dropped", dropped)
    report.hold(len(entries), sum(entry.taken for entry in entries))


def _send(state: State, settings: Settings, report: Report, task: str) -> str | None:
    """Enrol if need be, then deliver. Answers what went wrong, or None."""
    # Loaded here: a child that only packs does without ssl and http (6 MB, 20 ms).
    from .delivery import Delivery, Tally
    from .enrolment import Enrolment, EnrolmentError  # loads http
    from .transport import NetworkError, Server  # loads ssl

    until = time.monotonic() + SEND_S[task]
    now = time.time()
    told = words(state, {**report.pairs, **report.left}, report.before)
    tally = Tally(_room(report, settings, now), told if due(told, report.pairs, now) else {})
    try:
        server = Server(settings.url, settings.ca_file, LAST_TIMEOUT_S if task == "last" else settings.timeout_s)
        enrolment = Enrolment(state, settings)
        if not enrolment.token or (task == "look" and enrolment.outdated()):
            enrolment.enrol(server)
        for _ in range(2):
            delivery = Delivery(server, state, settings, tally, enrolment.token, enrolled=enrolment.done)
            delivery.run(spool.entries(state.spool), until)
            if enrolment.done or not (tally.unauthorised or tally.unknown):
                break
            enrolment.enrol(server, by_key_only=tally.unauthorised)
        _send_probes(state, server, enrolment.token, report)
        server.close()
    except (NetworkError, EnrolmentError) as error:
        tally.trouble = str(error)
    _note(report, tally, state)
    report.pairs |= {"room": tally.room, "room_at": int(now)}
    if tally.told and tally.words:
        report.pairs |= told_pairs(told, now)
    return tally.trouble


def _send_probes(state: State, server: Server, token: str, report: Report) -> None:
    """Results of active tests that found no server. Seldom any."""
    if not os.path.isdir(state.top + "/probes"):
        return
    from .probe import outbox  # where nobody ever tests, nothing of it is loaded

    try:
        report.remarks += outbox.send_waiting(server, token, state.top)
    except outbox.Unavailable as error:
        report.remarks.append(f"a probe's result waits: {error}")


def _room(report: Report, settings: Settings, now: float) -> int:
    """How many bytes may be sent: a minute's allowance at most, which fills up as time passes."""
    most = settings.upload_bytes
    left, since = (int(str(report.pairs.get(name, 0))) for name in ("room", "room_at"))
    passed = now - since
    return most if not 0 <= passed < 60 else min(most, left + round(most * passed / 60))


def _note(report: Report, tally: Tally, state: State) -> None:
    report.add("accepted", tally.accepted)
    report.add("duplicates", tally.duplicates)
    report.add("rejected", tally.rejected)
    report.pairs["retry_after_s"] = tally.retry_after_s
    if tally.remark:
        report.remarks.append(tally.remark)
    left = spool.entries(state.spool)
    report.hold(len(left), sum(entry.taken for entry in left))
