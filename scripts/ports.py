"""Is a TCP port free, and does somebody answer there?"""

import socket

from scripts.problem import Problem


def refuse_taken(port: int, host: str = "127.0.0.1") -> None:
    """Raises Problem where the port cannot be listened on."""
    if not 1 <= port <= 65535:
        raise Problem(f"PORT={port} is no TCP port: take one from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except PermissionError as error:
            raise Problem(
                f"port {port} is reserved for root: choose another one, for example `make run PORT=8001`"
            ) from error
        except OSError as error:
            hint = port + 1 if port < 65535 else 8000
            raise Problem(
                f"port {port} is taken by another program: choose another one, for example `make run PORT={hint}`"
            ) from error


def answers(port: int, host: str = "127.0.0.1") -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
