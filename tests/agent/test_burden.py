"""What the agent takes of its machine, and how it steps back."""

import os

from plimsoll_agent import health
from plimsoll_agent.burden import Burden
from plimsoll_agent.cadence import Cadence
from plimsoll_agent.settings import Settings
from plimsoll_agent.state import open_state, pairs_to_bytes


def test_cpu_is_a_share_of_the_time_between_two_looks_children_included():
    burden = Burden()
    burden.look(10**9)
    assert burden.cpu_ppm is None and "cpu_ppm" not in burden.pairs()
    begin = sum(os.times()[:4])
    os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"], {}), 0)
    assert os.times().children_user > 0
    spent = sum(os.times()[:4]) - begin
    burden.look(11 * 10**9)
    assert 0.9 * spent / 10 * 1e6 <= burden.cpu_ppm <= 1.5 * (spent + 0.05) / 10 * 1e6


def test_memory_is_what_is_resident():
    burden = Burden()
    burden.look(1)
    assert 5 << 20 < burden.rss_bytes < 4 << 30
    assert burden.over(1 << 20) and not burden.over(1 << 42)


def test_over_its_budget_it_looks_a_rung_less_often_each_minute_and_comes_back():
    cadence = Cadence()
    seen = []
    for over in (True, True, True, True, False, False, False, False):
        cadence.hold_back(over)
        for second in range(5):
            cadence.turn(False, second)
        seen.append(cadence.ms)
    assert seen[:2] == [1000, 1000] and seen[-1] == 100


def told(tmp_path, uplink, **sampler):
    state = open_state(Settings({"state_dir": str(tmp_path / "s"), "run_dir": str(tmp_path / "r")}))
    (tmp_path / "r/sampler").write_bytes(pairs_to_bytes(sampler))
    return health.words(state, uplink, str(uplink.get("trouble", "")))


def test_the_server_is_told_in_the_protocols_words(tmp_path):
    uplink = {"spool_frames": "3", "spool_bytes": "12288", "dropped": "2", "trouble": "no route"}
    words = told(tmp_path, uplink, cpu_ppm=1500, rss_bytes=9_000_000, cadence_ms=100, dropped=1)
    assert words == {
        "cpu_ratio": 0.0015,
        "rss_bytes": 9_000_000,
        "fine_ms": 100,
        "spool_frames": 3,
        "spool_bytes": 12288,
        "dropped_frames": 3,
        "last_error": "no route",
    }


def test_what_is_not_known_is_left_out(tmp_path):
    assert told(tmp_path, {}) == {"dropped_frames": 0, "last_error": ""}


def test_canary_reads_are_told_where_there_is_a_canary(tmp_path):
    assert told(tmp_path, {}, canary_reads=0)["canary_reads"] == 0
    assert told(tmp_path, {}, canary_reads=71)["canary_reads"] == 71


def test_it_is_told_seldom_and_sooner_where_something_is_new(tmp_path):
    words = told(tmp_path, {}, cadence_ms=100)
    assert health.due(words, {}, 1000)
    uplink = health.told_pairs(words, 1000)
    assert not health.due(words, uplink, 1599) and health.due(words, uplink, 1600)
    news = {**words, "last_error": "no room"}
    assert not health.due(news, uplink, 1030) and health.due(news, uplink, 1060)
    assert health.due(words, uplink, 900), "the clock went back"
