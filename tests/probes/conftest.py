"""A machine of customer A with its disk, and its agent's way to the server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plimsoll_agent import cli
from plimsoll_agent.inventory import disk_facts, disks_of
from plimsoll_agent.settings import Settings
from sla.fleet.models import Disk
from tests.conftest import Api
from tests.telemetry.machines import description


@pytest.fixture
def agent_of(key_a: str) -> Callable[..., Api]:
    """Let a machine in; the API as its agent sees it."""

    def enrol(machine_id: str = "0123456789abcdef", **change: Any) -> Api:
        answer = Api(key_a).call("POST", "/api/v1/enrol", json.dumps(description(machine_id, **change)))
        return Api(answer.json()["agent_token"])

    return enrol


@pytest.fixture
def agent(agent_of: Callable[..., Api]) -> Api:
    return agent_of()


@pytest.fixture
def disk(agent: Api) -> Disk:
    return Disk.objects.get()


@pytest.fixture
def tell(agent: Api) -> Callable[..., Any]:
    """POST below /api/v1/probes, as the machine's agent or another one."""

    def post(body: Any, path: str = "", by: Api = agent) -> Any:
        return by.call("POST", f"/api/v1/probes{path}", body if isinstance(body, bytes) else json.dumps(body))

    return post


@pytest.fixture
def under() -> str:
    """The disk that the tests' folders lie on."""
    picked = disks_of(Settings({}))
    if not picked:
        pytest.skip("no disk that the agent would watch")
    return str(picked[0].device)


@pytest.fixture
def command(
    live_server: Any, key_a: str, tmp_path: Path, under: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """`plimsoll-agent probe …` of a machine that is enrolled; `url` may be another one."""
    [facts] = [disk_facts(disk) for disk in disks_of(Settings({})) if disk.device == under]
    answer = Api(key_a).call("POST", "/api/v1/enrol", json.dumps(description(disks=[facts])))
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "token").write_text(answer.json()["agent_token"])
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: Any, url: str = live_server.url) -> int:
        where = ["--url", url, "--state-dir", str(state), "--timeout-s", "5"]
        return cli.main(["probe", *where, *map(str, words)])

    return run
