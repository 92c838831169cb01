"""The page of one disk: who may read it, and that its figures are those that were measured."""

import csv
import io
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.test import Client

from sla.figures import grouped
from sla.fleet.models import Disk, Host, Pool
from sla.scoring.models import DiskNow
from sla.scoring.selectors import slot_rows
from sla.web.disk_words import cut_percent, digits_for, plain_percent, runs_out, whole_percent
from tests.conftest import People
from tests.scoring.conftest import disk, machine  # noqa: F401  (fixtures)
from tests.web.disk_seed import kind_at, seed

pytestmark = pytest.mark.django_db
MINUTES = 330
MOST_QUERIES = 15


@pytest.fixture
def now() -> int:
    return int(time.time()) // 60 * 60


@pytest.fixture
def told(disk: Disk, now: int) -> Disk:  # noqa: F811
    """The disk with five and a half hours behind it."""
    seed(disk, now, MINUTES)
    return disk


@pytest.fixture
def read(people: People, client: Client) -> Callable[..., Any]:
    """What `/disks/ID/WHAT` says to the NOC, or to somebody else."""

    def get(disk: Disk, what: str = "", user: Any = people.noc) -> Any:  # noqa: F811
        client.force_login(user)
        return client.get(f"/disks/{disk.pk}/{what}")

    return get


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every statement, those of our own cursors too."""
    asked: list[str] = []
    for method in ("execute", "executemany"):
        original = getattr(psycopg.Cursor, method)

        def noted(self: Any, query: Any, *rest: Any, original: Any = original, **more: Any) -> Any:
            asked.append(str(query))
            return original(self, query, *rest, **more)

        monkeypatch.setattr(psycopg.Cursor, method, noted)
    yield asked
    monkeypatch.undo()


def test_noc_and_own_customer_read_it_and_for_others_it_does_not_exist(
    told: Disk, people: People, read: Callable[..., Any]
) -> None:
    for what in ("", "data", "latency.csv", f"minute?from={int(time.time()) - 600}"):
        assert read(told, what, people.noc).status_code == 200, what
        assert read(told, what, people.a).status_code == 200, what
        assert read(told, what, people.b).status_code == 404, what
        assert read(told, what, people.stranger).status_code == 404, what


def test_somebody_who_is_not_logged_in_is_asked_to(told: Disk, client: Client) -> None:
    assert client.get(f"/disks/{told.pk}/")["Location"].startswith("/login")


def test_host_and_pool_are_the_providers_own(told: Disk, people: People, read: Callable[..., Any]) -> None:
    told.machine.host, told.pool = Host.objects.create(name="hv-secret"), Pool.objects.create(name="pool-secret")
    told.machine.save()
    told.save()
    for what in ("", "data"):
        assert b"hv-secret" in read(told, what).content and b"pool-secret" in read(told, what).content
        assert b"secret" not in read(told, what, people.a).content


def test_a_gap_is_a_gap_in_every_line_and_idle_time_has_no_latency(
    told: Disk, now: int, read: Callable[..., Any]
) -> None:
    data = read(told, "data?range=6h").json()
    lines = ("read_await_ms", "write_await_ms", "p99_ms", "within_iops", "excess_iops", "aqu_sz")
    seen = {name: dict(zip(data["t"], data[name], strict=True)) for name in (*lines, "states")}
    for ago in (290, 295, 299):
        at = now - 60 * ago
        assert kind_at(ago) is None and seen["states"][at] == "no_data"
        assert all(seen[name][at] is None for name in lines)
    idle = now - 60 * 250
    assert seen["states"][idle] == "idle"
    assert (seen["read_await_ms"][idle], seen["p99_ms"][idle], seen["within_iops"][idle]) == (None, None, 0)
    over = now - 60 * 190
    assert seen["states"][over] == "excused" and seen["within_iops"][over] == 0 and seen["excess_iops"][over] > 1_000
    assert not any(
        cell[0] * 300 + data["heat"]["start"] == (now - 60 * 295) // 300 * 300 for cell in data["heat"]["cells"]
    )


def test_points_are_the_slots_own_figures(told: Disk, now: int, read: Callable[..., Any]) -> None:
    data = read(told, "data?range=1h").json()
    rows = {row["start"]: row for row in slot_rows(told.pk, now - 3_600, now, 1)}
    for i, t in enumerate(data["t"]):
        if (row := rows.get(t)) is None:
            continue
        assert data["read_await_ms"][i] == pytest.approx(row["read_ms"] / row["read_ios"], abs=1e-4)
        assert data["within_iops"][i] == pytest.approx(row["eligible"] / row["observed_s"], abs=1e-4)
        assert data["read_bps"][i] == pytest.approx(row["read_bytes"] / row["observed_s"], abs=0.51)
        assert data["p99_ms"][i] == row["p99_us"] / 1_000
    shares: dict[int, float] = {}
    for column, _, share in data["heat"]["cells"]:
        shares[column] = shares.get(column, 0) + share
    assert all(total == pytest.approx(1, abs=0.01) for total in shares.values()) and len(shares) >= 59


def test_wider_steps_hold_the_same_io(told: Disk, read: Callable[..., Any]) -> None:
    def done(name: str) -> float:
        data = read(told, f"data?range={name}").json()
        both = zip(data["within_iops"], data["excess_iops"], data["coverage"], strict=True)
        return sum((a + b) * c * data["range"]["step_s"] for a, b, c in both if a is not None)

    exact = done("6h")
    for name in ("24h", "7d", "30d"):
        assert done(name) == pytest.approx(exact, rel=1e-3), name


def test_a_cell_shows_its_worst_slot(told: Disk, now: int, read: Callable[..., Any]) -> None:
    cells = read(told, "data?range=6h").json()["cells"]
    place = (now - 60 * 82 - cells["start"]) // cells["step_s"]
    assert cells["states"][place] == "breached"
    assert cells["counts"][place]["breached"] in (1, 2, 3)


def test_before_its_first_frame_a_disk_has_no_state_at_all(told: Disk, read: Callable[..., Any]) -> None:
    cells = read(told, "data?range=24h").json()["cells"]
    assert cells["states"][0] is None and "no_data" not in cells["states"][:200]


def test_figures_are_cut_and_never_rounded_up(told: Disk, read: Callable[..., Any]) -> None:
    DiskNow.objects.filter(disk=told).update(
        sli_low=0.98999999, sli_estimate=0.99996, sli_high=0.999999, budget_left_estimate=-0.381, coverage=0.99999
    )
    tiles = {tile["key"]: tile for tile in read(told, "data").json()["tiles"]}
    assert tiles["attained"]["figure"] == "98.99–99.99 %"
    assert tiles["attained"]["line"] == "estimate 99.99 %"
    assert tiles["budget"]["figure"] == "−39 %"
    assert tiles["evidence"]["figure"] == "99.9 %"


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (cut_percent(0.99996), "99.99"),
        (cut_percent(0.57), "57.00"),
        (cut_percent(None), None),
        (whole_percent(0.999), "99"),
        (whole_percent(-0.001), "−1"),
        (plain_percent(999_500), "99.95"),
        (grouped("1 - 628144 / 9999"), "1 - 628,144 / 9999"),
        (digits_for(990_000), 2),
        (digits_for(999_900), 3),
    ],
)
def test_how_ratios_are_said(got: Any, wanted: Any) -> None:
    assert got == wanted


def test_the_month_is_laid_out_with_its_worst_minutes(
    told: Disk, now: int, people: People, read: Callable[..., Any]
) -> None:
    month = read(told, "month").json()
    slow = [one["slow"] for one in month["worst"]]
    assert slow == sorted(slow, reverse=True) and slow[0] > 10_000 and len(slow) == 12
    stored = {row["start"]: row["slow"] for row in slot_rows(told.pk, now - 60 * MINUTES, now, 1)}
    assert slow[0] == max(stored.values()) and all(stored[one["t"]] == one["slow"] for one in month["worst"])
    figures = {one["word"]: one for one in month["figures"]}
    stands = DiskNow.objects.get(disk=told)
    assert figures["attained, by estimate"]["value"] == f"{cut_percent(stands.sli_estimate, 4)} %"
    assert figures["excess"]["value"] == f"{stands.ios - stands.eligible:,}"
    assert read(told, "month", people.a).status_code == 200
    assert read(told, "month", people.b).status_code == 404


@pytest.mark.parametrize(
    ("left", "rate", "said"),
    [
        ([1.0, 0.5, None], 10.0, "spent in 36 h"),
        ([1.0, 0.5], 0.5, "lasts the month"),
        ([1.0, -0.1], 3.0, "is spent"),
        ([1.0, 0.5], 0.0, "Nothing was spent"),
        ([1.0, 0.5], None, ""),
    ],
)
def test_when_the_budget_runs_out(left: list[float | None], rate: float | None, said: str) -> None:
    budget = {"left": left, "begin": 0, "end": 30 * 86_400}
    words = runs_out(budget, [{"long": rate}], 15 * 86_400.0)
    assert said in words and bool(said) == bool(words)
    assert runs_out(None, [], 0.0) == ""


def test_a_minute_opens_to_its_seconds_and_a_cell_to_its_worst_minute(
    told: Disk, now: int, read: Callable[..., Any]
) -> None:
    over = read(told, f"minute?from={now - 60 * 190}").json()["minute"]
    assert over["t"] == now - 60 * 190 and over["cases"] == [{"case": "excused", "word": "excused", "seconds": 60}]
    assert sum(second["ios"] for second in over["seconds"]) == over["slot"]["ios"]
    assert over["slot"]["state"] == "excused" and over["figures"]
    start = now - 60 * 84
    worst = read(told, f"minute?from={start}&to={start + 300}").json()["minute"]
    assert worst["slot"]["state"] == "breached" and worst["chosen"]
    assert read(told, f"minute?from={now - 60 * 295}").json()["minute"] is None
    assert read(told, "minute?from=yesterday").status_code == 422


def test_a_download_holds_the_charts_points_with_empty_fields_for_unknown(
    told: Disk, now: int, read: Callable[..., Any]
) -> None:
    data = read(told, "data?range=6h").json()
    answer = read(told, "latency.csv?range=6h")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert answer["Content-Type"].startswith("text/csv") and len(rows) == len(data["t"])
    gap = data["t"].index(now - 60 * 295)
    assert rows[gap]["read_await_ms"] == "" and rows[gap]["coverage"] == "0.0"
    for chart in ("state", "load", "queue", "heat", "budget"):
        assert len(read(told, f"{chart}.csv?range=6h").content.splitlines()) > 1, chart
    assert read(told, "nothing.csv").status_code == 404


def test_odd_ranges_are_said_on_the_page_and_refused_by_its_data(told: Disk, read: Callable[..., Any]) -> None:
    page = read(told, "?range=sixhours")
    assert page.status_code == 200 and b"is no range" in page.content
    assert read(told, "data?range=sixhours").status_code == 422


def test_a_disk_that_never_sent_anything_has_a_page(
    disk: Disk,  # noqa: F811
    read: Callable[..., Any],
) -> None:
    page = read(disk)
    assert page.status_code == 200 and b"No data" in page.content
    data = read(disk, "data").json()
    assert set(data["within_iops"]) == {None} and data["heat"]["cells"] == [] and data["budget"] is None


def test_the_budget_line_ends_where_the_tile_says(told: Disk, read: Callable[..., Any]) -> None:
    data = read(told, "data").json()
    line, stands = data["budget"], DiskNow.objects.get(disk=told)
    spent, allowed = 1 - line["left"][-1], 1 - line["ideal"][-1]
    assert stands.budget_left_estimate is not None
    assert 1 - spent / allowed == pytest.approx(stands.budget_left_estimate, abs=0.02)
    assert len(line["t"]) < 260 and line["t"][-1] < line["end"]


def test_the_page_asks_at_most_fifteen_times(
    told: Disk, read: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in ("", "data", "?range=30d", "data?range=7d"):
        read(told, what)  # contracts are read once a process
        with counted(monkeypatch) as asked:
            read(told, what)
        mine = [one for one in asked if "django_session" not in one and "SAVEPOINT" not in one]
        assert 3 <= len(mine) <= MOST_QUERIES, (what, len(mine), mine)


def test_what_is_in_the_page_is_what_a_refresh_brings(told: Disk, read: Callable[..., Any]) -> None:
    page = read(told, "?range=6h").content.decode()
    embedded = json.loads(page.partition('id="disk-data" type="application/json">')[2].partition("</script>")[0])
    assert embedded.keys() == read(told, "data?range=6h").json().keys()
    assert 'style="' not in page and "onclick" not in page
