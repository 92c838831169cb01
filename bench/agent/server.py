"""A TLS server on the loopback that answers enrolments and frames with a policy, keeping nothing: `server.py PEM`.

It prints its port. The term is one of 15 ms at 1000 IOPS for every disk that enrols.
"""

import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TERM = {"term": 1, "threshold_ms": 15, "iops": 1000, "depth": 13, "tolerance": 0.1, "io_unit_bytes": 262144}
disks: dict[str, list[dict[str, object]]] = {}


class Handler(BaseHTTPRequestHandler):
    """The token is the machine's number among those that enrolled."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        token = self.headers["Authorization"].removeprefix("Bearer ")
        answer: dict[str, object] = {"accepted": 0, "duplicates": 0, "rejected": []}
        if self.path.endswith("/enrol"):
            token = str(len(disks))
            disks[token] = json.loads(body)["disks"]
            answer = {"agent_token": token, "machine": int(token)}
        answer["policy"] = {
            "disks": [{"device": d["device"], "serial": d["serial"], "terms": [TERM]} for d in disks.get(token, [])],
            "flush_s": 60,
            "urgent_s": 60,
            "fine_ms": {"base": 100, "finest": 10},
            "cpu_budget_ratio": 0.02,
        }
        raw = json.dumps(answer).encode()
        self.send_response(201 if "agent_token" in answer else 200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Quiet."""


def main() -> None:
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    print(http.server_address[1], flush=True)
    http.serve_forever()


if __name__ == "__main__":
    main()
