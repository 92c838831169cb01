"""A node_exporter that shows what the test wants, on a port of its own."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAMES = {
    "reads_completed_total": 0,
    "read_bytes_total": 1,
    "read_time_seconds_total": 2,
    "writes_completed_total": 3,
    "write_time_seconds_total": 4,
    "io_now": 5,
}


class Exporter:
    """`disks`: device -> (reads, read bytes, read s, writes, write s, now). `down`: it answers with this status."""

    def __init__(self) -> None:
        self.disks = {"vda": [100, 51200, 0.5, 10, 0.1, 0]}
        self.booted_at = 1_700_000_000
        self.down = 0
        self.asked: list[dict] = []
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                exporter.asked.append(dict(self.headers))
                text = b"" if exporter.down else exporter.page().encode()
                self.send_response(exporter.down or 200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/metrics"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def page(self) -> str:
        lines = [
            f"node_boot_time_seconds {float(self.booted_at)!r}",
            'node_uname_info{nodename="db1",release="6.1.0-18-amd64"} 1',
        ]
        for device, values in self.disks.items():
            lines.append(f'node_disk_info{{device="{device}",serial="S-{device}",wwn=""}} 1')
            lines += [f'node_disk_{name}{{device="{device}"}} {float(values[at])!r}' for name, at in NAMES.items()]
        return "\n".join(lines) + "\n"

    def move(self, device: str = "vda", reads: int = 1) -> None:
        values = self.disks[device]
        values[0] += reads
        values[1] += reads * 4096
        values[2] += reads * 0.002

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
