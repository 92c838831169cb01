"""A server of the agent's protocol, small enough to see through: it keeps what is sent and says what it is told to."""

import gzip
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from plimsoll_agent import msgpack
from plimsoll_agent.core import layout

TERM = {
    "term": 7,
    "threshold_ms": 15,
    "read_threshold_ms": None,
    "write_threshold_ms": None,
    "iops": 1000,
    "depth": 13,
    "tolerance": 0.1,
    "io_unit_bytes": 262144,
}


def policy_for(*disks: tuple[str, str | None]) -> dict:
    return {
        "disks": [{"device": device, "serial": serial, "terms": [dict(TERM)]} for device, serial in disks],
        "flush_s": 60,
        "fine_ms": {"base": 100, "finest": 100},
        "cpu_budget_ratio": 0.5,
        "urgent_s": 10,
    }


class StubServer:
    """`frames` in the order accepted; `answers` are taken one by one in place of the usual: (status, body, headers)."""

    def __init__(self, certificate: Path | None = None, keys: tuple[str, ...] = ("the-key",)) -> None:
        self.keys = keys
        self.tokens: list[str] = []
        self.enrolments: list[dict] = []
        self.requests: list[dict] = []
        self.frames: list[dict] = []
        self.answers: list[tuple[int, dict, dict]] = []
        self.reject: dict[int, tuple[str, str]] = {}
        self.known: dict[tuple, dict] = {}
        self.unknown_until_enrolled: set[str] = set()
        self.json_only = False
        self.most_frames = 1000
        self.lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with stub.lock:
                    status, answer, headers = stub.answer(self.path, self.headers, body)
                self.reply(status, answer, headers)

            def do_GET(self) -> None:
                self.reply(200, {"status": "ok"}, {})

            def reply(self, status: int, answer: dict, headers: dict) -> None:
                raw = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def answer(self, path: str, headers: dict, body: bytes) -> tuple[int, dict, dict]:
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        bearer = (headers.get("Authorization") or "").removeprefix("Bearer ")
        if path == "/api/v1/enrol":
            return self.enrol(bearer, json.loads(body))
        return self.receive(bearer, headers, body)

    def enrol(self, bearer: str, body: dict) -> tuple[int, dict, dict]:
        if bearer not in self.keys and bearer not in self.tokens[-1:]:
            return error(401, "unauthorized", "the key is not known")
        self.enrolments.append(body | {"by": bearer})
        self.tokens.append(f"token-{len(self.tokens) + 1}")
        return 201, {"agent_token": self.tokens[-1], "machine": 1, "policy": self.policy()}, {}

    def policy(self) -> dict:
        disks = self.enrolments[-1]["disks"] if self.enrolments else []
        return policy_for(*((disk["device"], disk["serial"]) for disk in disks))

    def receive(self, bearer: str, headers: dict, body: bytes) -> tuple[int, dict, dict]:
        kind = headers.get("Content-Type")
        if self.answers:
            return self.answers.pop(0)
        if bearer not in self.tokens[-1:]:
            return error(401, "unauthorized", "the token is not known")
        if self.json_only and kind != "application/json":
            return error(415, "unsupported_type", kind or "")
        sent = msgpack.unpack(body) if kind == "application/msgpack" else json.loads(body)
        if len(sent["frames"]) > self.most_frames:
            return error(413, "too_many_frames", f"{len(sent['frames'])} frames")
        self.requests.append(sent)
        accepted = duplicates = 0
        rejected = []
        for index, packed in enumerate(sent["frames"]):
            frame = dict(packed)
            if "body" in frame:
                frame.update(layout.decode(frame.pop("body"), frame["n"]))
            refusal = self.reject.get(frame["start"])
            if frame["device"] in self.unknown_until_enrolled and len(self.enrolments) < 2:
                refusal = ("unknown_disk", frame["device"])
            key = (frame["device"], frame["start"])
            if refusal:
                rejected.append({"index": index, "code": refusal[0], "message": refusal[1]})
            elif key in self.known:
                duplicates += 1
            else:
                self.known[key] = frame
                self.frames.append(frame)
                accepted += 1
        answer = {"accepted": accepted, "duplicates": duplicates, "rejected": rejected, "policy": self.policy()}
        return 200, answer, {}


def error(status: int, code: str, message: str) -> tuple[int, dict, dict]:
    return status, {"error": {"code": code, "message": message, "field": None}}, {}
