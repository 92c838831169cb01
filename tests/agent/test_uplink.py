"""The short-lived child against a server that accepts, refuses, is busy, or is not there."""

import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from plimsoll_agent import delivery, policy, spool, uplink
from plimsoll_agent.child import DONE, TRY_AGAIN
from plimsoll_agent.kernel.files import read_bytes
from plimsoll_agent.settings import Settings, to_environment
from plimsoll_agent.state import UPLINK, notes, open_state
from tests.agent.stub_server import StubServer, error
from tests.agent.test_spool import FRAME

SYS = Path(__file__).parents[1] / "fixtures" / "sys"
NOW = int(time.time()) // 60 * 60


class Agent:
    """A state folder and the child's tasks, run in this process."""

    def __init__(self, tmp_path, monkeypatch, url, **change):
        values = {
            "url": url,
            "key": "the-key",
            "state_dir": str(tmp_path / "state"),
            "run_dir": str(tmp_path / "run"),
            "sys": f"{SYS}/guest",
            "timeout_s": "2",
        } | change
        for name, value in to_environment(values).items():
            monkeypatch.setenv(name, value)
        self.monkeypatch = monkeypatch
        self.settings = Settings(values)
        self.state = open_state(self.settings)
        # NOW was when the tests were collected: minutes -2 and -1 are the newest whenever this one runs.
        monkeypatch.setattr(delivery, "NEWEST_S", time.time() - NOW + 150)
        monkeypatch.setattr(os, "setpriority", lambda *args: None)
        monkeypatch.setattr(uplink._signal, "alarm", lambda seconds: 0)

    def set(self, **change):
        for name, value in to_environment(change).items():
            self.monkeypatch.setenv(name, value)

    def spool(self, *minutes, **change):
        for minute in minutes:
            spool.put(self.state.spool, FRAME | {"start": NOW + 60 * minute} | change)

    def do(self, task="look"):
        return uplink.main(task)

    @property
    def waiting(self):
        return [(entry.start - NOW) // 60 for entry in spool.entries(self.state.spool)]

    @property
    def report(self):
        return notes(self.state, UPLINK)


@pytest.fixture
def server():
    stub = StubServer()
    yield stub
    stub.close()


@pytest.fixture
def agent(tmp_path, monkeypatch, server):
    return Agent(tmp_path, monkeypatch, server.url)


def starts(server):
    return [(frame["start"] - NOW) // 60 for frame in server.frames]


def test_the_first_child_enrols_and_keeps_token_and_policy(agent, server):
    assert agent.do() == DONE
    [sent] = server.enrolments
    assert [disk["device"] for disk in sent["disks"]] == ["vda"]
    assert sent["disks"][0]["serial"] == "overlayblk" and sent["disks"][0]["rotational"] is True
    assert Path(agent.state.token).stat().st_mode & 0o777 == 0o600
    assert policy.from_plain(read_bytes(agent.state.policy)).terms_of("vda", "overlayblk")
    machine_id = (Path("/etc/machine-id").read_text().strip()) if Path("/etc/machine-id").exists() else "-"
    assert sent["machine_id"] != machine_id and len(sent["machine_id"]) == 32


def test_a_machine_without_an_id_keeps_a_random_one(agent, server, tmp_path):
    agent.set(etc=str(tmp_path))
    agent.do()
    (tmp_path / "state/enrolled").unlink()
    agent.do()
    first, second = server.enrolments
    assert first["machine_id"] == second["machine_id"] and len(first["machine_id"]) == 32


@pytest.mark.parametrize("form", ["packed", "json"])
def test_accepted_frames_leave_the_spool(agent, server, form):
    agent.set(format=form)
    agent.spool(-2, -1)
    assert agent.do() == DONE
    assert starts(server) == [-2, -1] and agent.waiting == []
    assert server.frames[0]["read_ios"] == [1, None] and server.frames[0]["base"] == {"read_ios": 5}
    assert server.requests[0]["agent"]["version"]
    assert agent.report["accepted"] == "2"


def test_a_known_frame_is_a_duplicate_and_leaves_too(agent, server):
    agent.spool(-1)
    agent.do()
    agent.spool(-1)
    assert agent.do() == DONE
    assert agent.waiting == [] and agent.report["duplicates"] == "1"


def test_a_refused_frame_is_put_aside_with_the_reason_and_not_sent_again(agent, server):
    server.reject[NOW - 120] = ("overlap", "it overlaps 1766300040")
    agent.spool(-3, -2, -1)
    assert agent.do() == DONE
    assert sorted(starts(server)) == [-3, -1] and agent.waiting == []
    [reason] = Path(agent.state.rejected).glob("*.reason")
    assert "it overlaps 1766300040" in reason.read_text()


def test_the_newest_goes_first_and_a_backlog_follows_from_the_oldest(agent, server):
    agent.spool(*range(-250, 0))
    assert agent.do() == DONE
    order = starts(server)
    assert set(order[:3]) >= {-2, -1} and order[3:] == sorted(order[3:])
    assert agent.waiting == [] and len(order) == 250
    assert [len(request["frames"]) for request in server.requests][1] == 100


def test_too_large_a_request_is_halved_until_it_fits(agent, server):
    server.most_frames = 20
    agent.spool(*range(-100, -10))
    assert agent.do() == DONE
    assert len(server.frames) == 90 and agent.waiting == []


def test_a_single_frame_that_the_server_cannot_read_is_put_aside(agent, server):
    agent.do()
    agent.spool(-2)
    server.answers = [error(400, "bad_request", "not a request of frames")]
    assert agent.do() == DONE
    assert agent.waiting == [] and len(list(Path(agent.state.rejected).glob("*.frame"))) == 1


def test_a_server_without_the_packed_form_gets_json(agent, server):
    server.json_only = True
    agent.spool(-1)
    assert agent.do() == DONE
    assert starts(server) == [-1]


def test_a_refused_token_is_replaced_with_the_key(agent, server):
    agent.spool(-1)
    agent.do()
    server.tokens.append("someone enrolled this machine again")
    agent.spool(0)
    assert agent.do() == DONE
    assert starts(server) == [-1, 0] and len(server.enrolments) == 2


def test_a_refused_token_without_a_key_is_said_and_nothing_is_lost(agent, server):
    agent.do()
    agent.monkeypatch.delenv("PLIMSOLL_KEY")
    server.tokens.append("rotated")
    agent.spool(-1)
    assert agent.do() == TRY_AGAIN
    assert agent.waiting == [-1]
    assert "key" in agent.report["trouble"]


def test_other_disks_make_it_enrol_again_even_without_a_key(agent, server):
    agent.do()
    agent.monkeypatch.delenv("PLIMSOLL_KEY")
    agent.set(devices="vda,loop1")
    assert agent.do() == DONE
    assert [disk["device"] for disk in server.enrolments[1]["disks"]] == ["loop1", "vda"]
    assert server.enrolments[1]["by"] == "token-1"
    assert agent.do() == DONE and len(server.enrolments) == 2


def test_a_used_up_key_does_not_lock_out_a_machine_that_has_a_token(agent, server):
    agent.do()
    server.keys = ()
    agent.set(devices="vda,loop1")
    assert agent.do() == DONE
    assert len(server.enrolments) == 2


def test_a_disk_that_the_server_has_forgotten_is_told_again_and_its_frames_are_kept(agent, server):
    agent.do()
    server.unknown_until_enrolled = {"vda"}
    agent.spool(-1)
    assert agent.do() == DONE
    assert len(server.enrolments) == 2 and starts(server) == [-1]


def test_a_disk_that_stays_unknown_is_put_aside(agent, server):
    server.reject[NOW - 60] = ("unknown_disk", "vda")
    agent.spool(-1)
    assert agent.do() == DONE
    assert agent.waiting == [] and len(list(Path(agent.state.rejected).glob("*.frame"))) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_given_the_time_it_asks_for(agent, server, status):
    agent.do()
    agent.spool(-2, -1)
    server.answers = [(status, {"error": {"code": "busy", "message": "later"}}, {"Retry-After": "17"})]
    assert agent.do() == TRY_AGAIN
    assert agent.waiting == [-2, -1]
    assert agent.report["retry_after_s"] == "17"
    assert agent.do() == DONE and agent.report["retry_after_s"] == "0"


def test_a_broken_server_loses_nothing(agent, server):
    agent.do()
    agent.spool(-2, -1)
    server.answers = [error(500, "oops", "no"), error(502, "bad_gateway", "no")]
    assert [agent.do(), agent.do()] == [TRY_AGAIN, TRY_AGAIN]
    assert agent.waiting == [-2, -1]
    assert agent.do() == DONE and agent.waiting == []


def test_no_server_at_all_loses_nothing_and_says_where_it_looked(tmp_path, monkeypatch):
    agent = Agent(tmp_path, monkeypatch, "http://127.0.0.1:9")
    agent.spool(-2, -1)
    assert agent.do() == TRY_AGAIN
    assert agent.waiting == [-2, -1]
    assert "127.0.0.1:9" in agent.report["trouble"]


def test_a_policy_that_cannot_be_followed_leaves_the_old_one(agent, server):
    agent.do()
    before = read_bytes(agent.state.policy)
    agent.spool(-1)
    agent.monkeypatch.setattr(server, "policy", lambda: {"flush_s": "never"})
    assert agent.do() == DONE
    assert read_bytes(agent.state.policy) == before
    assert agent.waiting == [] and "never" in agent.report["remarks"]


def test_a_trouble_is_said_once_and_so_is_its_end(agent, server, capsys):
    agent.do()
    said = []
    for answer in (error(500, "oops", "no"), error(500, "oops", "no"), None, None):
        agent.spool(-1)
        server.answers = [answer] if answer else []
        agent.do("send")
        agent.do("pack")
        said.append(capsys.readouterr().err)
    assert "no" in said[0] and said[1] == "" and "answered again" in said[2] and said[3] == ""


def test_a_journal_that_cannot_be_read_is_said_and_in_nobodys_way(agent, server):
    Path(agent.state.run, "1766300040-vda.cut").write_text("rubbish\n")
    agent.spool(-1)
    assert agent.do() == DONE
    assert starts(server) == [-1] and "rubbish" in agent.report["remarks"]
    assert not list(Path(agent.state.run).glob("*.cut"))


def test_a_full_disk_keeps_the_seconds_in_memory_and_still_sends_what_is_stored(agent, server, monkeypatch):
    agent.do()
    agent.spool(-1)
    journal = Path(agent.state.run, "1766300040-vda.cut")
    journal.write_text("anything")

    def full(state):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uplink, "pack_waiting", full)
    assert agent.do() == TRY_AGAIN
    assert starts(server) == [-1] and journal.exists() and "No space" in agent.report["trouble"]


def test_an_unchanged_policy_is_not_written_again(agent, server):
    agent.do()
    before = Path(agent.state.policy).stat()
    agent.spool(-1)
    agent.do()
    assert Path(agent.state.policy).stat().st_ino == before.st_ino


def test_a_usual_minute_does_not_look_at_the_disks_again(agent, server):
    agent.do()
    agent.set(devices="vda,loop1")
    agent.spool(-1)
    assert agent.do("send") == DONE
    assert len(server.enrolments) == 1 and starts(server) == [-1]


def test_a_machine_without_a_token_enrols_whatever_the_task(agent, server):
    assert agent.do("last") == DONE
    assert len(server.enrolments) == 1


def test_packing_needs_no_server(agent, server):
    assert agent.do("pack") == DONE
    assert server.requests == [] and server.enrolments == []


def test_only_one_child_works_at_a_time(agent, server):
    from plimsoll_agent.state import lock

    held = lock(agent.state.top + "/uplink.lock")
    assert agent.do() == TRY_AGAIN and server.enrolments == []
    os.close(held)
    assert agent.do() == DONE


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


def test_over_tls_the_certificate_is_checked(tmp_path, monkeypatch, certificate):
    server = StubServer(certificate)
    try:
        agent = Agent(tmp_path, monkeypatch, server.url)
        agent.spool(-1)
        assert agent.do() == TRY_AGAIN
        assert "certificate" in agent.report["trouble"] and server.enrolments == []
        agent.set(ca_file=str(certificate.parent / "cert.pem"))
        assert agent.do() == DONE
        assert starts(server) == [-1]
    finally:
        server.close()


def test_no_more_is_sent_in_a_minute_than_may_be_and_the_newest_goes_first(agent, server, monkeypatch):
    monkeypatch.setattr(delivery, "BATCH", 1)
    monkeypatch.setattr(uplink, "_room", lambda *given: 1)
    agent.spool(-9, -8, -1)
    assert agent.do() == DONE
    assert agent.waiting == [-9, -8] and server.frames[0]["start"] == NOW - 60
    assert int(agent.report["room"]) < 0


def test_a_minutes_allowance_fills_up_as_time_passes():
    def room(left, passed):
        return uplink._room(SimpleNamespace(pairs={"room": left, "room_at": 1000}), Settings({}), 1000 + passed)

    assert room(-500, 15) == 3_840_000 // 4 - 500
    assert room(0, 60) == room(0, -5) == room(3_840_000, 30) == 3_840_000


def test_the_agents_own_cost_goes_along_once(agent, server):
    agent.spool(-2)
    agent.do()
    agent.spool(-1)
    agent.do()
    first, second = (request["agent"] for request in server.requests)
    assert first["dropped_frames"] == 0 and first["last_error"] == "" and "spool_frames" not in first
    assert "last_error" not in second


def test_what_waits_is_what_the_last_upload_left(agent, server):
    server.answers = [error(503, "busy", "later")]
    agent.spool(-2, -1)
    agent.do()
    agent.do()
    assert server.requests[0]["agent"]["spool_frames"] == 2 and "later" in server.requests[0]["agent"]["last_error"]
