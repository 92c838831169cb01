"""The auditor: what it finds, the incident about ourselves, the word to the outside."""

import http.server
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client, override_settings

from sla.incidents import jobs, tasks, watcher
from sla.incidents.audit import findings
from sla.incidents.models import Incident, JobRun, Mark
from sla.incidents.signals import audit_asked
from sla.schedule import SCHEDULE
from tests.conftest import People
from tests.incidents.conftest import Clock, MakeDisks, acute, history, stand

SETTLE = "sla.scoring.settle_due"


@pytest.fixture(autouse=True)
def no_other_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other layers say to the auditor has tests of its own."""
    monkeypatch.setattr(audit_asked, "receivers", [])


def ran(now: datetime, late: dict[str, float] | None = None) -> None:
    """Every task of the schedule ended well just now; those named so many seconds ago."""
    JobRun.objects.all().delete()
    for task in jobs.TASKS:
        ok_at = now - timedelta(seconds=(late or {}).get(task, 1))
        JobRun.objects.create(
            task=task, started_at=ok_at, ended_at=ok_at, ok_at=ok_at, steady_since=now - timedelta(days=9)
        )


@pytest.mark.django_db
def test_all_is_well_when_everything_ran(clock: Clock) -> None:
    ran(clock.now)
    assert findings(clock.now) == []
    assert watcher.audit(now=clock.now) == []
    assert not Incident.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("task", sorted({entry["task"] for entry in SCHEDULE.values()}))
def test_every_task_of_the_schedule_is_missed(clock: Clock, task: str) -> None:
    ran(clock.now, {task: 100_000})
    JobRun.objects.filter(task=jobs.AUDIT).update(ended_at=clock.now)
    assert [said.split()[0] for said in findings(clock.now)] == [task]


@pytest.mark.django_db
def test_what_is_late_is_one_incident_about_ourselves_until_it_is_well_again(clock: Clock) -> None:
    ran(clock.now, {SETTLE: 200})
    watcher.audit(now=clock.now)
    watcher.audit(now=clock.now)
    incident = Incident.objects.get()
    assert (incident.kind, incident.severity) == ("watcher", "page")
    assert incident.title.startswith(f"Plimsoll itself: {SETTLE} last ended well 3 min ago")
    ran(clock.on(seconds=30))
    watcher.audit(now=clock.now)
    assert history(incident) == ["opened", "resolved"]
    ran(clock.on(seconds=30), {SETTLE: 200})
    watcher.audit(now=clock.now)
    assert (Incident.objects.get().reopened, history(incident)[-1]) == (1, "reopened")


@pytest.mark.django_db
def test_after_a_break_everything_is_given_its_time_to_come_back(clock: Clock) -> None:
    ran(clock.now)
    assert findings(clock.on(minutes=20)) == []
    JobRun.objects.filter(task=jobs.AUDIT).update(ended_at=clock.now, steady_since=clock.now)
    assert findings(clock.on(seconds=60)) == []
    JobRun.objects.filter(task=jobs.AUDIT).update(ended_at=clock.now)
    assert SETTLE in " ".join(findings(clock.on(seconds=30)))


@pytest.mark.django_db
def test_frames_that_wait_to_be_scored_and_disks_that_wait_for_the_rules_are_found(
    make_disks: MakeDisks, clock: Clock
) -> None:
    ran(clock.now)
    disks = make_disks(1)
    stand(disks, clock.now, acute_at=clock.now.timestamp())
    Mark.objects.update(marked_at=clock.now - timedelta(seconds=90))
    assert findings(clock.now) == ["1 disks wait for the rules, the oldest for 90 s"]


@pytest.mark.django_db
def test_a_fleet_that_is_silent_at_once_is_our_own_incident(make_disks: MakeDisks, clock: Clock) -> None:
    disks = make_disks(6)
    stand(disks, clock.now)
    ran(clock.on(minutes=5))
    assert findings(clock.now) == ["most machines fell silent at once: frames do not reach us"]


@pytest.mark.django_db
def test_only_the_noc_sees_it(make_disks: MakeDisks, clock: Clock, people: People, client: Client) -> None:
    acute(make_disks(1), clock.now)
    ran(clock.now, {SETTLE: 200})
    watcher.audit(now=clock.now)
    path = Incident.objects.get(kind="watcher").get_absolute_url()
    for who, status in ((people.noc, 200), (people.a, 404), (people.stranger, 404)):
        client.force_login(who)
        assert client.get(path).status_code == status
    assert SETTLE not in client.get("/incidents").content.decode()


@pytest.mark.django_db
def test_a_check_of_another_layer_that_fails_is_found_itself(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(**_: Any) -> list[str]:
        raise RuntimeError("odd")

    monkeypatch.setattr(audit_asked, "receivers", [])
    audit_asked.connect(breaks, weak=False)
    ran(clock.now)
    assert findings(clock.now) == [f"the check of {__name__} failed: RuntimeError"]


@pytest.mark.django_db
def test_runs_are_written_down_by_celery_itself(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks.sweep.apply()
    run = JobRun.objects.get(task="sla.incidents.sweep")
    assert (run.runs, run.failures, run.error) == (1, 0, "")
    assert run.said == "looked again at 0 disks, reminded of 0 incidents"
    monkeypatch.setattr("sla.incidents.evaluate.sweep", lambda: 1 / 0)
    tasks.sweep.apply()
    run.refresh_from_db()
    assert (run.runs, run.failures) == (2, 1)
    assert run.error == "ZeroDivisionError: division by zero"
    assert run.said.startswith("looked again"), "what it last said when it went well"
    assert run.ok_at is not None
    assert run.failed_at > run.ok_at


@pytest.mark.django_db
def test_a_series_of_runs_that_was_broken_begins_anew(clock: Clock) -> None:
    jobs.record_run(SETTLE, datetime.now(clock.now.tzinfo) - timedelta(hours=1), 5, "a")
    JobRun.objects.update(ended_at=datetime.now(clock.now.tzinfo) - timedelta(minutes=10))
    first = JobRun.objects.get().steady_since
    jobs.record_run(SETTLE, datetime.now(clock.now.tzinfo), 5, "b")
    again = JobRun.objects.get().steady_since
    assert again > first
    jobs.record_run(SETTLE, datetime.now(clock.now.tzinfo), 5, "c")
    assert JobRun.objects.get().steady_since == again


@pytest.fixture
def outside() -> Iterator[tuple[str, list[str], list[int]]]:
    """A server on loopback that notes what it is asked, and answers with the status it is told."""
    asked: list[str] = []
    status = [200]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status[0])
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/ping/abc", asked, status
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.django_db
def test_the_outside_hears_from_us_only_while_all_is_well(
    clock: Clock, outside: tuple[str, list[str], list[int]]
) -> None:
    url, asked, _ = outside
    with override_settings(HEARTBEAT_URL=url):
        ran(clock.now)
        assert tasks.audit.apply().get() == "all is well; the heartbeat was taken"
        ran(clock.now, {SETTLE: 200})
        assert tasks.audit.apply().get().startswith("1 things are wrong")
    assert asked == ["/ping/abc"]


def test_a_heartbeat_follows_nobody_elsewhere_and_says_what_came_of_it(
    outside: tuple[str, list[str], list[int]],
) -> None:
    url, asked, status = outside
    with override_settings(HEARTBEAT_URL=url):
        status[0] = 302
        assert watcher.heartbeat() == "the heartbeat was answered with 302"
        status[0] = 500
        assert watcher.heartbeat() == "the heartbeat was answered with 500"
    assert asked == ["/ping/abc", "/ping/abc"]
    with override_settings(HEARTBEAT_URL="http://127.0.0.1:1/"):
        assert watcher.heartbeat().startswith("the heartbeat was not taken")


@pytest.mark.parametrize("odd", ["file:///etc/passwd", "ftp://x/y", "javascript:1", "https://", "example.org/ping"])
def test_an_odd_heartbeat_is_refused_at_start(odd: str) -> None:
    code = "import django; django.setup()"
    env = {"SECRET_KEY": "x" * 50, "HEARTBEAT_URL": odd, "DJANGO_SETTINGS_MODULE": "sla.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "HEARTBEAT_URL" in done.stderr


@pytest.mark.django_db
def test_readyz_says_that_work_is_late_and_metrics_count_it(
    clock: Clock, people: People, client: Client, monkeypatch: pytest.MonkeyPatch, make_disks: MakeDisks
) -> None:
    monkeypatch.setattr("sla.api.health._started", -1e6)
    monkeypatch.setattr("sla.api.health._broker_and_beat", lambda _now: ("ok", "ok"))
    real = datetime.now(clock.now.tzinfo)
    ran(real)
    assert json.loads(client.get("/readyz").content)["work"] == "ok"
    ran(real, {SETTLE: 200})
    said = client.get("/readyz")
    assert (said.status_code, json.loads(said.content)["status"]) == (200, "late")
    assert json.loads(said.content)["work"].startswith(f"late: {SETTLE} last ended well")
    acute(make_disks(2, pool="ssd-3"), clock.now)
    text = metrics(client, people)
    assert re.search(rf'plimsoll_task_ok_age_seconds{{task="{SETTLE}"}} 2\d\d\.', text)
    assert 'plimsoll_incidents{kind="acute",severity="page",state="open"} 1.0' in text
    assert "plimsoll_rule_evaluations_total" in text
    client.force_login(people.a)
    assert "plimsoll_task" not in client.get("/metrics").content.decode()


def metrics(client: Client, people: People) -> str:
    client.force_login(people.noc)
    return client.get("/metrics").content.decode()
