"""What does a page cost with ten thousand disks behind it? `make bench-pages`; the last line on stdout is JSON.

A fleet with a month behind it (bench/pages_fleet.py); then a real web server on loopback answers a NOC user (times, one
request after the other) and a real Chromium (bytes over the wire with an empty cache, first contentful paint). DISKS,
DAYS (of hours) and SLOT_DAYS make it smaller. BENCH_PAGES_DATABASE=NAME keeps the database of that name: the next run
only adds the minutes that have passed.
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import django
import psutil
import psycopg

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
KEPT = os.environ.get("BENCH_PAGES_DATABASE", "")
if KEPT:
    os.environ["DATABASE_URL"] = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{KEPT}").geturl()
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up before its parts are imported
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import OperationalError, connection  # noqa: E402
from django.test import Client  # noqa: E402

from bench.cpu import cpu_s, database_cpu_s  # noqa: E402
from bench.pages_fleet import heard, make  # noqa: E402
from bench.score import say, told  # noqa: E402
from scripts.prepare import empty_database  # noqa: E402
from sla.accounts.models import User  # noqa: E402
from sla.scoring.models import DiskNow  # noqa: E402

DISKS = int(os.environ.get("DISKS", "10000"))
DAYS = int(os.environ.get("DAYS", "30"))
SLOT_DAYS = int(os.environ.get("SLOT_DAYS", "2"))
REQUESTS = 40
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]


def session() -> str:
    """The key of a session of the NOC."""
    user, _ = User.objects.get_or_create(username="bench", defaults={"noc_role": User.NocRole.VIEWER})
    made = SessionStore()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.set_expiry(timedelta(days=1))
    made.save()
    return str(made.session_key)


@contextmanager
def server() -> Iterator[tuple[int, psutil.Process]]:
    """The web server as it runs in production, one worker: its port and process."""
    port = free_port()
    command = [str(Path(sys.executable).parent / "granian"), "--interface", "wsgi", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--workers", "1", "--blocking-threads", "2", "--no-ws", "sla.wsgi:application"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                asked(port, "/healthz", {})
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise RuntimeError("the web server does not answer")
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def asked(port: int, path: str, headers: dict[str, str]) -> tuple[float, int]:
    """ms and bytes of one answer."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    begun = time.perf_counter()
    link.request("GET", path, headers=headers)
    answer = link.getresponse()
    size = len(answer.read())
    spent = 1000 * (time.perf_counter() - begun)
    link.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return spent, size


def paint(port: int, paths: list[str], cookie: str) -> dict[str, tuple[float, float | None]]:
    """Per path (kB over the wire with an empty cache, first contentful paint in ms), each in a browser of its own."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        say("no Chromium: wire_kb and fcp_ms stay null (apt-get install chromium)")
        return {}
    from playwright.sync_api import sync_playwright  # only where there is a browser to drive

    seen = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=CHROMIUM)
        for path in paths:
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": f"http://127.0.0.1:{port}"}])
            page = context.new_page()
            loaded: list[float] = []
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            network.on(
                "Network.loadingFinished", lambda event, loaded=loaded: loaded.append(event["encodedDataLength"])
            )
            page.goto(f"http://127.0.0.1:{port}{path}", wait_until="load")
            page.wait_for_load_state("networkidle")
            first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
            seen[path] = (round(sum(loaded) / 1000, 1), round(first, 1) if first is not None else None)
            context.close()
        browser.close()
    return seen


def queries(client: Client, path: str) -> int:
    """How often a page asks the database, also through the cursors that Django does not count."""
    counted = 0
    execute = psycopg.Cursor.execute

    def noted(*given: Any, **named: Any) -> Any:
        nonlocal counted
        counted += 1
        return execute(*given, **named)

    with patch.object(psycopg.Cursor, "execute", noted):
        if client.get(path).status_code != 200:
            raise RuntimeError(path)
    return counted


def measured(port: int, web: psutil.Process, paths: list[str], cookie: str) -> list[dict[str, Any]]:
    client = Client(headers={"host": "127.0.0.1"})
    client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    painted = paint(port, paths, cookie)
    rows = []
    for path in paths:
        heard()
        headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}", "Accept-Encoding": "gzip"}
        asked(port, path, headers)
        before = cpu_s(web) + database_cpu_s()
        times = sorted(asked(port, path, headers)[0] for _ in range(REQUESTS))
        spent = cpu_s(web) + database_cpu_s() - before
        steps = quantiles(times, n=20, method="inclusive")
        refresh = {**headers, "HX-Request": "true"}
        live = f"{path.split('?')[0]}data?{path.partition('?')[2]}" if path.startswith("/disks/") else path
        wire, first = painted.get(path, (None, None))
        queries(client, path)
        rows.append(
            {
                "path": path,
                "server_ms_p50": round(steps[9], 1),
                "server_ms_p95": round(steps[18], 1),
                # Of web server and database: what stays the same on a machine that others use too.
                "cpu_ms": round(1000 * spent / REQUESTS, 1),
                "queries": queries(client, path),
                "wire_kb": wire,
                "fcp_ms": first,
                "refresh_kb": round(asked(port, live, refresh)[1] / 1000, 1),
            }
        )
        say(f"  {rows[-1]}")
    return rows


def ready(file: Path) -> None:
    """An empty database, or the one that was kept and what its fleet hangs on."""
    try:
        connection.ensure_connection()
        is_there = True
    except OperationalError:
        is_there = False
    if not KEPT or not is_there or not file.is_file():
        connection.close()
        file.unlink(missing_ok=True)
        empty_database()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def main() -> None:
    file = ROOT / "var" / f"bench-{settings.DATABASES['default']['NAME']}.json"
    ready(file)
    with told("the fleet, all in all"):
        disks = make(os.environ["DATABASE_URL"], file, DISKS, DAYS, SLOT_DAYS)
    model = worst_disk()
    paths = ["/", "/?state=breached", "/?q=web-1", "/?sort=disk", "/agents"]
    paths += [f"/disks/{model}/?range={span}" for span in ("6h", "24h", "7d", "30d")]
    cookie = session()
    with server() as (port, web):
        rows = measured(port, web, paths, cookie)
    print(json.dumps({"pages": rows, "disks": disks, "days": DAYS}))


def worst_disk() -> int:
    """A disk that was breached: its page has the most to show."""
    return DiskNow.objects.order_by("rank", "disk_id").values_list("disk_id", flat=True)[0]


if __name__ == "__main__":
    main()
