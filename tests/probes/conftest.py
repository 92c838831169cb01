"""A machine of customer A with its disk, and its agent's way to the server."""

import json
from collections.abc import Callable
from typing import Any

import pytest

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
