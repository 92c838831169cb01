"""What does a page cost with ten thousand disks behind it? `make bench-pages`; the last line on stdout is JSON.

One disk's minutes are really scored; the other disks get copies of them, each standing differently. Then a real web
server on loopback answers a NOC user (times, one request after the other) and a real Chromium (bytes over the wire with
an empty cache, first contentful paint). DISKS, DAYS (of hours) and SLOT_DAYS make it smaller.
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
from math import ceil
from pathlib import Path
from statistics import quantiles
from typing import Any
from unittest.mock import patch

import django
import psutil
import psycopg

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up before its parts are imported
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.cpu import cpu_s, postmaster  # noqa: E402
from bench.score import bodies, keep, say  # noqa: E402
from sla.accounts.models import Customer, User  # noqa: E402
from sla.contracts.models import Assignment  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.domain.states import WORST_FIRST, State  # noqa: E402
from sla.fleet.models import Agent, Disk, Machine, Pool  # noqa: E402
from sla.scoring import services  # noqa: E402
from sla.scoring.histograms import merge_histograms  # noqa: E402

DISKS = int(os.environ.get("DISKS", "10000"))
DAYS = int(os.environ.get("DAYS", "30"))
SLOT_DAYS = float(os.environ.get("SLOT_DAYS", "2"))
CUSTOMERS, POOLS, DISKS_A_MACHINE = 200, 120, 2
REQUESTS = 40
DAY_S = 86_400
# Of a hundred disks so many stand so.
SHARES = (
    (State.BREACHED, 1),
    (State.AT_RISK, 3),
    (State.EXCUSED, 2),
    (State.IDLE, 5),
    (State.NO_DATA, 1),
    (State.MET, 88),
)
SLOTS_S = int(SLOT_DAYS * 1_440) * 60
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]


@contextmanager
def told(what: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    say(f"{what}: {time.perf_counter() - begun:.1f} s")


def inventory() -> list[int]:
    """Customers, pools, machines with agents, disks under the default contract; the disks' ids."""
    customers = Customer.objects.bulk_create([Customer(name=f"Customer {i:03}") for i in range(CUSTOMERS)])
    pools = Pool.objects.bulk_create([Pool(name=f"pool-{i:03}") for i in range(POOLS)])
    machines = Machine.objects.bulk_create(
        [
            Machine(customer=customers[i % CUSTOMERS], machine_id=f"bench-pages-{i}", hostname=f"vm-{i:05}")
            for i in range(-(-DISKS // DISKS_A_MACHINE))
        ]
    )
    now = timezone.now()
    Agent.objects.bulk_create(
        [Agent(machine=one, token_hash=one.pk.to_bytes(32), version="1.0.0", seen_at=now) for one in machines]
    )
    disks = Disk.objects.bulk_create(
        [
            Disk(
                machine=machines[i // DISKS_A_MACHINE],
                identity=f"serial:{i}",
                device=f"vd{'ab'[i % DISKS_A_MACHINE]}",
                serial=f"{i:08x}",
                pool=pools[i // DISKS_A_MACHINE % POOLS],
            )
            for i in range(DISKS)
        ],
        batch_size=2000,
    )
    version = ensure_default_contract().versions.order_by("-number")[0]
    Assignment.objects.bulk_create([Assignment(disk=disk, version=version) for disk in disks], batch_size=2000)
    return [disk.pk for disk in disks]


def columns(table: str, cursor: Any) -> list[str]:
    cursor.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position", [table]
    )
    return [name for (name,) in cursor.fetchall()]


def copied(table: str, cursor: Any, **changed: str) -> tuple[str, str]:
    """Column list, and the select list of a copy `s` in which some columns are other expressions."""
    names = columns(table, cursor)
    return ", ".join(names), ", ".join(changed.get(name, f"s.{name}") for name in names)


def history(model: int, term: int) -> None:
    """The model disk's minutes and hours, really scored; then everybody else's copies."""
    now = int(time.time()) // 60 * 60
    made = bodies(term)
    with told(f"{SLOT_DAYS} days of one disk, scored"):
        for start in range(now - SLOTS_S, now, 3_600 * 12):
            minutes = range(start, min(start + 3_600 * 12, now), 60)
            keep(((model, at, made[at // 60 % len(made)]) for at in minutes), due=True)
            while services.settle_due().marks:
                pass
        while merge_histograms():
            pass
    with connection.cursor() as cursor:
        for table, grain_s in (("scoring_slot", 3_600), ("scoring_hour", DAY_S)):
            names, values = copied(table, cursor, disk_id="d.id")
            with told(f"{table} of the other {DISKS - 1} disks"):
                for start in range(now - SLOTS_S - DAY_S, now + grain_s, grain_s):
                    cursor.execute(
                        f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} s CROSS JOIN fleet_disk d "  # noqa: S608
                        "WHERE s.disk_id = %s AND d.id <> %s AND s.start >= to_timestamp(%s) "
                        "AND s.start < to_timestamp(%s) ON CONFLICT DO NOTHING",
                        [model, model, start, start + grain_s],
                    )
        # Days further back are the model's own hours of the last whole day, put back so many days.
        names, values = copied("scoring_hour", cursor, start="s.start - back * interval '1 day'")
        with told(f"hours of {DAYS - ceil(SLOT_DAYS)} days before"):
            for back in range(ceil(SLOT_DAYS), DAYS):
                cursor.execute(
                    f"INSERT INTO scoring_hour ({names}) SELECT {values} FROM scoring_hour s, "  # noqa: S608
                    "(SELECT %s AS back) b WHERE s.start >= to_timestamp(%s) AND s.start < to_timestamp(%s) "
                    "ON CONFLICT DO NOTHING",
                    [back, now // 3_600 * 3_600 - DAY_S, now // 3_600 * 3_600],
                )
        stand(cursor, model)
        cursor.execute("ANALYZE")


def stand(cursor: Any, model: int) -> None:
    """Every disk stands somewhere: so many of a hundred breached, at risk, and so on."""
    names, values = copied("scoring_disknow", cursor, disk_id="d.id")
    cursor.execute(
        f"INSERT INTO scoring_disknow ({names}) SELECT {values} FROM scoring_disknow s CROSS JOIN fleet_disk d "  # noqa: S608
        "WHERE s.disk_id = %s AND d.id <> %s ON CONFLICT DO NOTHING",
        [model, model],
    )
    first = 0
    for state, share in SHARES:
        left = {State.BREACHED: "-random()", State.AT_RISK: "random() * 0.2"}.get(state, "0.2 + random() * 0.8")
        cursor.execute(
            f"UPDATE scoring_disknow SET state = %s, rank = %s, budget_left_estimate = {left}, "  # noqa: S608
            "burn_rate = random() * 9 WHERE disk_id %% 100 >= %s AND disk_id %% 100 < %s",
            [int(state), WORST_FIRST.index(state), first, first + share],
        )
        first += share


def session() -> str:
    """The key of a session of the NOC."""
    user = User.objects.create_user("bench", password=None, noc_role=User.NocRole.VIEWER)
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
        for _ in range(100):
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
    database = postmaster()
    rows = []
    for path in paths:
        headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}", "Accept-Encoding": "gzip"}
        asked(port, path, headers)
        before = cpu_s(web) + cpu_s(database)
        times = sorted(asked(port, path, headers)[0] for _ in range(REQUESTS))
        spent = cpu_s(web) + cpu_s(database) - before
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


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    with told(f"{DISKS} disks"):
        disks = inventory()
    model = disks[0]
    history(model, Assignment.objects.get(disk=model).version_id)
    paths = ["/", "/?state=breached", "/?q=vm-0004", "/?sort=disk", "/agents"]
    paths += [f"/disks/{model}/?range={span}" for span in ("6h", "24h", "7d", "30d")]
    cookie = session()
    with server() as (port, web):
        rows = measured(port, web, paths, cookie)
    print(json.dumps({"pages": rows, "disks": DISKS, "days": DAYS}))


if __name__ == "__main__":
    main()
