"""A receiver of webhooks on loopback, and what else may sit there: one that redirects, hangs, drips."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What came, and what is said: a status, a place to go on to, a wait before the answer, a byte at a time."""

    status: int = 200
    location: str = ""
    wait_s: float = 0.0
    drip_s: float = 0.0
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?team=1"


@contextmanager
def receiving(receiver: Receiver) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            receiver.came.append((self.path, dict(self.headers), body))
            time.sleep(receiver.wait_s)
            if receiver.drip_s:
                with suppress(OSError):  # who waits no longer hangs up
                    for byte in b"HTTP/1.1 200 OK\r\n" + b"x" * 1000:
                        self.wfile.write(bytes([byte]))
                        time.sleep(receiver.drip_s)
                return
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
