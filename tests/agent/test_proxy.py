"""The uplink through a proxy, and past it."""

import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from plimsoll_agent.proxy import proxy_for
from plimsoll_agent.transport import NetworkError, Server
from tests.agent.stub_server import StubServer


class Proxy:
    """Forwards what is asked of it; `asked` holds (method, target, user)."""

    def __init__(self) -> None:
        self.asked: list[tuple] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self) -> None:
                proxy.asked.append(("CONNECT", self.path, self.headers.get("Proxy-Authorization")))
                host, _, port = self.path.partition(":")
                with socket.create_connection((host, int(port))) as there:
                    self.send_response(200)
                    self.end_headers()
                    back = threading.Thread(target=pump, args=(there, self.connection), daemon=True)
                    back.start()
                    pump(self.connection, there)

            def do_GET(self) -> None:
                proxy.asked.append(("GET", self.path, self.headers.get("Proxy-Authorization")))
                parts = urlsplit(self.path)
                with socket.create_connection((parts.hostname, parts.port)) as there:
                    there.sendall(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
                    pump(there, self.connection)
                self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.host = f"127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()


def pump(one: socket.socket, other: socket.socket) -> None:
    try:
        while part := one.recv(65536):
            other.sendall(part)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture
def proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    one = Proxy()
    yield one
    one.http.shutdown()
    one.http.server_close()


def test_http_is_asked_of_the_proxy_in_full(proxy, monkeypatch):
    stub = StubServer()
    monkeypatch.setenv("HTTP_PROXY", f"http://me:p%40ss@{proxy.host}")
    server = Server(stub.url, "", 3)
    assert server.ask("GET", "/healthz", "").status == 200
    assert proxy.asked == [("GET", stub.url + "/healthz", "Basic bWU6cEBzcw==")]
    server.close()
    stub.close()


def test_https_goes_through_a_tunnel_and_the_certificate_is_still_checked(proxy, monkeypatch, tmp_path):
    certificate = tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out", tmp_path / "only.pem"]
    subprocess.run(command, check=True, capture_output=True)
    public = (tmp_path / "only.pem").read_text()
    certificate.write_text(certificate.read_text() + public)
    stub = StubServer(certificate)
    monkeypatch.setenv("HTTPS_PROXY", proxy.host)
    server = Server(stub.url, str(tmp_path / "only.pem"), 3)
    assert server.ask("GET", "/healthz", "").status == 200
    assert proxy.asked[0][:2] == ("CONNECT", stub.url.removeprefix("https://"))
    server.close()
    with pytest.raises(NetworkError, match="certificate"):
        Server(stub.url, "", 3).ask("GET", "/healthz", "")
    stub.close()


def test_no_proxy_names_those_that_are_asked_directly(proxy, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,.example.net")
    assert proxy_for("https", "127.0.0.1:8443") is None
    assert proxy_for("https", "plimsoll.example.net") is None
    assert proxy_for("https", "plimsoll.example.org").host == "192.0.2.1:3128"
    assert proxy_for("http", "plimsoll.example.org") is None


def test_a_proxy_of_another_kind_is_said_to_be_none(proxy, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "socks5://u:secret@192.0.2.1:1080")
    with pytest.raises(NetworkError, match=r"192\.0\.2\.1:1080") as caught:
        Server("https://plimsoll.example.org", "", 3)
    assert "secret" not in str(caught.value)
