"""From journal to frame: nothing invented, nothing lost, whatever a crash left behind."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent import frames, journal
from plimsoll_agent.core import layout
from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.core.terms import Term
from plimsoll_agent.kernel.machine import Machine

TERM = Term(7, 15_000, 15_000, 1000, 13, 100_000, 262_144)
SPLIT = Term(9, 5_000, 10_500, 1000, 4, 100_000, 262_144)
LOOK = Machine(100, 1, 2, 3, 4, 5, 0, 6)
LATER = Machine(300, 11, 12, 503, 4, 8192, 2, 1006)
BASE = (10, 0, 80, 5, 20, 0, 160, 9, 1, 3, 14, 0, 0, 0, 0, 2, 1)
HEAD = {
    "device": "vda",
    "serial": "s 1",
    "wwn": None,
    "vantage": "guest",
    "rule": "accounted",
    "start": 1_766_299_980,
    "machine": LOOK,
}


def write(folder, *rows, terms=((TERM, 3),), base=BASE, cut=True, **change):
    head = HEAD | change
    text = journal.head(terms=terms, base=base, **head)
    one = journal.Journal(str(folder), head["start"], text, head["device"])
    for row in rows:
        one.append(row)
    if cut:
        one.cut(LATER)
        return one.path + journal.CUT
    return one.path + journal.OPEN


def busy(reads=4, terms=1):
    advances = (reads, 0, 8 * reads, 9, 1, 0, 8, 2, 1, 10, 11, 0, 0, 0, 0, 1, 1)
    return journal.second_line(advances, 30, 100, [tuple(range(10))] * terms, ({92: reads}, {100: 1}))


def test_a_journal_becomes_the_frame_of_the_protocol(tmp_path):
    frame = frames.frame_of(journal.read(write(tmp_path, busy(), journal.idle_line(100), busy(6))))
    assert (frame["device"], frame["serial"], frame["wwn"], frame["n"]) == ("vda", "s 1", None, 3)
    assert frame["base"] == dict(zip(FIELDS, BASE, strict=True))
    assert frame["read_ios"] == [4, 0, 6] and frame["in_flight_ms"] == [30, 0, 30]
    assert frame["read_hist"] == [[92, 10]] and frame["write_hist"] == [[100, 2]]
    slow = frame["slow"][0]
    assert (slow["term"], slow["threshold_ms"], slow["pool_start"]) == (7, 15, 3)
    assert [slow[name][0] for name in frames.COUNTS] == list(range(10))
    assert frame["machine"]["steal_ratio"] == 0.05 and frame["machine"]["dirty_bytes"] == 8192


def test_the_names_of_the_counts_are_those_of_the_meter():
    from plimsoll_agent.core.term_meter import SecondCounts

    assert SecondCounts._fields == frames.COUNTS


def test_thresholds_that_differ_are_null_and_fractions_stay(tmp_path):
    half = TERM._replace(term=10, read_threshold_us=7_500, write_threshold_us=7_500)
    path = write(tmp_path, busy(terms=2), terms=((SPLIT, 0), (half, 0)))
    assert [slow["threshold_ms"] for slow in frames.frame_of(journal.read(path))["slow"]] == [None, 7.5]


def test_fields_that_the_kernel_lacks_are_left_out(tmp_path):
    base = BASE[:11] + (None,) * 6
    row = journal.second_line(base[:8] + (0, 1, 2) + (None,) * 6, 0, 100, [(0,) * 10], ({}, {}))
    frame = frames.frame_of(journal.read(write(tmp_path, row, journal.idle_line(100), base=base)))
    assert "flush_ios" not in frame and "discard_ms" not in frame
    assert "flush_ms" not in frame["base"]
    assert frame["read_ios"] == [10, 0]


@given(st.data())
def test_after_a_crash_at_any_byte_the_whole_seconds_are_there(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("j")
    path = write(folder, *[busy(count) for count in range(1, 9)], cut=False)
    raw = Path(path).read_bytes()
    head = raw.index(b"\ns\t") + 1
    at = data.draw(st.integers(head, len(raw)))
    rubbish = data.draw(st.sampled_from([b"", b"\0" * 50, b"\0\n", b"s\t1\t2\n", b"\xff\xfe\n"]))
    Path(path).write_bytes(raw[:at] + rubbish)
    contents = journal.read(path)
    whole = raw[head:at].count(b"\n")
    assert [row[0][0] for row in contents.rows] == list(range(1, whole + 1))


def test_a_head_that_was_torn_is_no_journal(tmp_path):
    path = write(tmp_path, busy(), cut=False)
    raw = Path(path).read_bytes()
    Path(path).write_bytes(raw[:60])
    with pytest.raises(journal.JournalError):
        journal.read(path)


def test_a_journal_without_seconds_leaves_nothing(tmp_path):
    write(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_sampler_left_is_cut_by_its_successor(tmp_path):
    write(tmp_path, busy(), cut=False)
    assert journal.cut_left_behind(str(tmp_path)) == 1
    [path] = journal.waiting(str(tmp_path))
    frame = frames.frame_of(journal.read(path))
    assert frame["n"] == 1 and "machine" not in frame


def test_too_many_waiting_journals_lose_the_oldest(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "MOST_FILES", 3)
    for minute in range(5):
        write(tmp_path, busy(), start=1_766_299_980 + 60 * minute)
    assert journal.bound(str(tmp_path)) == 2
    assert [path.rsplit("/", 1)[1][:10] for path in journal.waiting(str(tmp_path))] == [
        "1766300100",
        "1766300160",
        "1766300220",
    ]


def test_no_frame_crosses_a_minute_even_if_its_journal_did(tmp_path):
    path = write(tmp_path, *[busy()] * 5, start=1_766_299_980 + 58)
    assert frames.frame_of(journal.read(path))["n"] == 2


def test_a_frame_survives_its_stored_form(tmp_path):
    frame = frames.frame_of(journal.read(write(tmp_path, *[busy(count) for count in range(60)])))
    rest = {name: value for name, value in frame.items() if name not in frames.ENVELOPE}
    assert layout.decode(layout.encode(rest), 60) == rest


def test_the_server_reads_the_frame_as_json(tmp_path):
    from sla.telemetry.wire import json_frame

    frame = frames.frame_of(journal.read(write(tmp_path, busy(), busy())))
    read = json_frame.decode(msgspec.json.encode(frame))
    assert read.n == 2 and read.slow[0].covered_est == [6, 6]
