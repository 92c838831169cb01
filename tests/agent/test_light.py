"""What the process that stays may hold."""

import json
import subprocess
import sys
from pathlib import Path

AGENT = Path(__file__).parents[2] / "agent"
FORBIDDEN = {
    "ssl",
    "_ssl",
    "http",
    "socket",
    "json",
    "psutil",
    "argparse",
    "logging",
    "enum",
    "re",
    "typing",
    "dataclasses",
}
FORBIDDEN |= {"inspect", "pathlib", "zlib", "email", "threading", "signal", "random", "asyncio", "subprocess"}


def loaded(statement):
    code = f"import sys, os; sys.path.append({str(AGENT)!r}); {statement}; import json; print(json.dumps(names))"
    code = code.replace("import json;", "names = sorted(sys.modules); import json;")
    out = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True).stdout
    return set(json.loads(out))


def test_the_sampler_loads_nothing_that_could_hold_it_up():
    assert not FORBIDDEN & loaded("import plimsoll_agent.running")


def test_a_canary_that_is_off_is_not_loaded_and_one_that_is_on_holds_nothing_up():
    assert not {"plimsoll_agent.canary", "plimsoll_agent.kernel.direct"} & loaded("import plimsoll_agent.running")
    assert not FORBIDDEN & loaded("import plimsoll_agent.running, plimsoll_agent.canary.reads")


def test_a_child_that_only_packs_loads_no_network():
    assert not {"ssl", "http.client", "socket", "psutil"} & loaded("import plimsoll_agent.uplink")


def test_a_child_that_sends_loads_no_psutil_until_it_enrols():
    names = loaded("import plimsoll_agent.delivery, plimsoll_agent.enrolment, plimsoll_agent.transport")
    assert not {"psutil", "plimsoll_agent.inventory"} & names
