"""The promptest turn the kernel allows, and no more than a well-behaved process may have."""

import os
import subprocess
import sys

import pytest

from plimsoll_agent import punctual

CODE = """
import os, subprocess, sys, time
from plimsoll_agent.punctual import be_punctual
word = be_punctual()
print(word, os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR, flush=True)
child = "import os; print(os.sched_getscheduler(0) == os.SCHED_OTHER)"
print(subprocess.check_output([sys.executable, "-c", child], text=True).strip(), flush=True)
end = time.monotonic() + 2
while time.monotonic() < end and os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR:
    pass
print(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_OTHER)
"""


def test_a_process_that_may_is_let_in_first_its_children_are_not_and_one_that_runs_wild_loses_it():
    out = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout.split()
    assert out[0] in (punctual.REAL_TIME, punctual.URGENT, punctual.ORDINARY)
    assert out[1] == str(out[0] == punctual.REAL_TIME)
    assert out[2:] == ["True", "True"]


@pytest.mark.parametrize(("nice_allowed", "word"), [(True, punctual.URGENT), (False, punctual.ORDINARY)])
def test_where_it_may_not_it_takes_what_it_gets(monkeypatch, nice_allowed, word):
    def refused(*args):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(punctual._signal, "signal", lambda *args: None)
    monkeypatch.setattr(punctual.resource, "setrlimit", lambda *args: None)
    monkeypatch.setattr(os, "sched_setscheduler", refused)
    monkeypatch.setattr(os, "setpriority", (lambda *args: None) if nice_allowed else refused)
    assert punctual.be_punctual() == word
