"""What does a statement cost? `make bench-reports`; the last line on stdout is JSON.

A month is made up minute by minute for some disks and copied to others as hours. Then customers of 1, 20 and 500 disks
are stated, each size in a process of its own: sums, hours as CSV, digests, signature, PDF. CPU is that of the process,
of its children (Typst) and of the database. At last two processes state customers of 20 disks side by side.

FLEET makes the last part smaller or larger; MINUTES=0 leaves out the stream of every minute.
"""

import contextlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import django
import numpy as np
import psutil

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
django.setup()

from django.core.management import call_command  # noqa: E402  Django must be set up before its parts are imported
from django.db import connection  # noqa: E402

from bench import months  # noqa: E402
from bench.cpu import database_cpu_s  # noqa: E402
from sla.accounts.models import Customer  # noqa: E402
from sla.contracts.models import Assignment  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.domain.period import period_of  # noqa: E402
from sla.fleet.models import Disk, Machine  # noqa: E402
from sla.reports import keys, pieces, printing  # noqa: E402
from sla.reports.bundle import bundle, slots_of, spans_of  # noqa: E402
from sla.reports.envelope import statement_json  # noqa: E402
from sla.reports.models import Statement  # noqa: E402
from sla.reports.services import HOURS_FILE, draft, freeze  # noqa: E402
from sla.scoring.columns import KEY, ROLLED  # noqa: E402
from sla.scoring.models import Correction  # noqa: E402
from sla.scoring.terms import contract_of  # noqa: E402

SIZES = (1, 20, 500)
RUNS = 3
MODELS = 20
FLEET = int(os.environ.get("FLEET", "60"))
WORKERS = 2
PERIOD = period_of(datetime.now(UTC)).previous().previous()
START, END = int(PERIOD.start.timestamp()), int(PERIOD.end.timestamp())


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


@contextmanager
def told(what: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    say(f"{what}: {time.perf_counter() - begun:.1f} s")


# ---- a month made up


def people(name: str, disks: int) -> list[int]:
    """A customer with so many disks under the default contract; the disks' ids."""
    customer = Customer.objects.create(name=name)
    machines = Machine.objects.bulk_create(
        [Machine(customer=customer, machine_id=f"{name}-{i}", hostname=f"vm-{i:04}") for i in range(-(-disks // 2))]
    )
    made = Disk.objects.bulk_create(
        [
            Disk(machine=machines[i // 2], identity=f"serial:{i}", device=f"vd{'ab'[i % 2]}", serial=f"{i:08x}")
            for i in range(disks)
        ]
    )
    version = ensure_default_contract().versions.order_by("-number")[0]
    Assignment.objects.bulk_create([Assignment(disk=disk, version=version) for disk in made])
    return [disk.pk for disk in made]


def closed(disks: list[int]) -> None:
    """The beat has written down their closings long before: each is a row."""
    now = datetime.now(UTC)
    Correction.objects.bulk_create(
        [Correction(disk_id=disk, vantage=1, period=PERIOD.text, number=0, score={}, made_at=now) for disk in disks]
    )


def model_month(disks: list[int]) -> None:
    """Every minute of these disks."""
    term = ensure_default_contract().versions.order_by("-number")[0].pk
    contract, count = contract_of(term), (END - START) // 60
    nothing = np.zeros(count, bool)
    for index, disk in enumerate(disks):
        story = months.STORIES[index % len(months.STORIES)]
        slots, seen = months.minutes_of(story, contract, count, nothing, np.random.default_rng(index), index)
        months.copy_minutes(disk, term, START, slots, seen, nothing)
    months.roll_up(disks)


def copies(models: list[int], disks: list[int]) -> None:
    """Hours and days of the models, for everybody else."""
    names = ", ".join(ROLLED)
    with connection.cursor() as cursor:
        for table in ("scoring_hour", "scoring_day"):
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(KEY)}, {names}) "  # noqa: S608  (names of ours)
                f"SELECT pair.disk, vantage, start, term, excluded, {names} FROM {table} AS h "
                "JOIN unnest(%s::int8[], %s::int8[]) AS pair (disk, model) ON h.disk_id = pair.model",
                [disks, [models[at % len(models)] for at in range(len(disks))]],
            )


def seed() -> None:
    """Customers bench-1, bench-20, bench-500 and the fleet of 20-disk ones."""
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE scoring_slot, scoring_hour, scoring_day, scoring_disknow")
    Customer.objects.filter(name__startswith="bench-").delete()
    with told(f"the minutes of {MODELS} disks"):
        models = people("bench-20", MODELS)
        model_month(models)
    others = [disk for size in SIZES if size != MODELS for disk in people(f"bench-{size}", size)]
    others += [disk for index in range(FLEET) for disk in people(f"bench-fleet-{index:03}", 20)]
    with told(f"the hours of {len(others)} others"):
        copies(models, others)
        months.stand([*models, *others], START, int(time.time()))
        closed([*models, *others])
    keys.signer()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE scoring_slot, scoring_hour, scoring_day, scoring_disknow")


# ---- what it costs


class Cost:
    """CPU (this process, its children, the database) and wall of some steps."""

    def spent(self) -> float:
        mine = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = sum(one.ru_utime + one.ru_stime for one in (mine, children))
        return used + database_cpu_s()

    def of(self, step: Callable[[], int]) -> tuple[float, float, int]:
        """(CPU s, wall s, bytes made)."""
        before, begun = self.spent(), time.perf_counter()
        size = step()
        wall = time.perf_counter() - begun
        return self.spent() - before, wall, size


class Peak(threading.Thread):
    """The most memory that a process and its children had at once. Typst lives for tenths of a second: it looks every
    5 ms, from outside. (The kernel's own `ru_maxrss` outlives exec: a child's would be its parent's.)"""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process, self.bytes = psutil.Process(pid), 0
        self.start()

    def run(self) -> None:
        with contextlib.suppress(psutil.Error):
            while self.process.status() != psutil.STATUS_ZOMBIE:
                total = self.process.memory_info().rss
                for one in self.process.children():
                    with contextlib.suppress(psutil.Error):
                        total += one.memory_info().rss
                self.bytes = max(self.bytes, total)
                time.sleep(0.005)


def measure(name: str, disks: int) -> list[dict[str, Any]]:
    """A customer stated a few times; the median of each format."""
    customer, cost = Customer.objects.get(name=name), Cost()
    printing.print_document(draft(customer=Customer.objects.get(name="bench-1"), period=PERIOD.text))  # imports, fonts
    runs: dict[str, list[tuple[float, float, int]]] = {}
    for _ in range(RUNS):
        Statement.objects.filter(customer=customer).delete()
        made: list[Statement] = []

        def freeze_it(made: list[Statement] = made) -> int:
            made.append(freeze(customer=customer, period=PERIOD.text))
            return len(statement_json(made[0]))

        def print_it(made: list[Statement] = made) -> int:
            return len(printing.pdf_of(made[0]))

        def stream_it(made: list[Statement] = made) -> int:
            return sum(map(len, pieces.read(made[0], HOURS_FILE)))

        # Freezing makes the hours' CSV too, digests it and signs; "csv" is sending it to whoever asks.
        for kind, step in (("json", freeze_it), ("pdf", print_it), ("csv", stream_it)):
            runs.setdefault(kind, []).append(cost.of(step))
        runs.setdefault("all", []).append(
            tuple(map(sum, zip(*(runs[k][-1] for k in ("json", "pdf", "csv")), strict=True)))
        )  # type: ignore[arg-type]
    rows = [row(disks, kind, got) for kind, got in runs.items()]
    if disks <= MODELS and os.environ.get("MINUTES") != "0" and name == f"bench-{MODELS}":
        statement = Statement.objects.get(customer=customer)
        spans = spans_of(statement.document)
        rows.append(row(disks, "minutes csv", [cost.of(lambda: sum(map(len, slots_of(spans))))]))
        one = statement.document["disks"][0]["id"]
        rows.append(row(disks, "bundle of one disk", [cost.of(lambda: sum(map(len, bundle(statement, one))))]))
    return rows


def row(disks: int, kind: str, runs: list[tuple[float, float, int]]) -> dict[str, Any]:
    cpu, wall, size = (median(column) for column in zip(*runs, strict=True))
    return {"disks": disks, "format": kind, "cpu_s": round(cpu, 3), "wall_s": round(wall, 3), "bytes": int(size)}


def state_share(share: int) -> int:
    """Every so-manieth customer of the fleet: frozen, printed, its CSV read."""
    names = [f"bench-fleet-{index:03}" for index in range(share, FLEET, WORKERS)]
    for customer in Customer.objects.filter(name__in=names):
        made = freeze(customer=customer, period=PERIOD.text)
        printing.pdf_of(made)
        sum(map(len, pieces.read(made, HOURS_FILE)))
    return len(names)


class Child:
    """This benchmark again, in a process of its own, watched."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.reports", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ
        )
        self.peak = Peak(self.process.pid)

    def answer(self) -> tuple[Any, float]:
        """What it printed, and its memory at most, in MB."""
        out, _ = self.process.communicate(timeout=1800)
        if self.process.returncode:
            raise RuntimeError(f"a child of the benchmark ended with {self.process.returncode}")
        return json.loads(out.splitlines()[-1]), self.peak.bytes / 2**20


def main() -> None:
    if sys.argv[1:2] == ["measure"]:
        print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
        return
    if sys.argv[1:2] == ["share"]:
        print(json.dumps(state_share(int(sys.argv[2]))))
        return
    seed()
    rows, peak = [], 0.0
    for size in SIZES:
        got, memory = Child("measure", f"bench-{size}", str(size)).answer()
        for one in got:
            say(f"  {one}")
        say(f"  memory at most {memory:.0f} MB")
        rows += got
        peak = max(peak, memory)
    Statement.objects.filter(customer__name__startswith="bench-fleet").delete()
    cost = Cost()
    before, begun = cost.spent(), time.perf_counter()
    shares = [one.answer() for one in [Child("share", str(at)) for at in range(WORKERS)]]
    wall = time.perf_counter() - begun
    made = sum(count for count, _ in shares)
    cpu = (cost.spent() - before) / made
    say(
        f"{made} statements of 20 disks in {wall:.1f} s, {cpu:.3f} s of CPU each, start of {WORKERS} processes included"
    )
    say(f"load of the machine: {os.getloadavg()[0]:.1f}")
    peak = max(peak, *(memory for _, memory in shares))
    answer = {"rows": rows, "statements_per_min": round(60 * made / wall, 1), "peak_rss_mb": round(peak, 1)}
    # What stays the same on a machine that others use too.
    print(json.dumps({**answer, "cpu_s_per_statement": round(cpu, 3), "load": round(os.getloadavg()[0], 1)}))


if __name__ == "__main__":
    main()
