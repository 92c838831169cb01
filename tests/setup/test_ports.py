"""Ports: a taken one is a sentence that says what to do."""

import socket

import pytest

from scripts.ports import answers, refuse_taken
from scripts.problem import Problem


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104  a listener everywhere takes the port too
def test_a_taken_port_is_refused_with_another_one_to_try(host):
    with socket.socket() as listener:
        listener.bind((host, 0))
        listener.listen(1)
        port = listener.getsockname()[1]
        with pytest.raises(Problem, match=rf"port {port} is taken .* PORT={port + 1 if port < 65535 else 8000}"):
            refuse_taken(port)
        assert answers(port)
    refuse_taken(port)
    assert not answers(port)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_what_is_no_port_is_refused_with_its_value(port):
    with pytest.raises(Problem, match=f"PORT={port} is no TCP port"):
        refuse_taken(port)
