"""Frames that wait: whole or not at all, within their bounds, the oldest dropped first."""

import os
from pathlib import Path

from plimsoll_agent import msgpack, spool

FRAME = {
    "device": "vda",
    "serial": "s-1",
    "wwn": None,
    "vantage": "guest",
    "source": "diskstats",
    "start": 1_766_300_040,
    "step_s": 1,
    "n": 2,
    "base": {"read_ios": 5},
    "read_ios": [1, None],
    "write_ios": [3, 4],
    "read_ms": [1, 2],
    "write_ms": [9, 9],
    "in_flight_rule": "driver",
    "slow": [],
    "read_hist": [],
    "write_hist": [[3, 4]],
}


def fill(folder, count, device="vda"):
    folder.mkdir(exist_ok=True)
    for number in range(count):
        spool.put(str(folder), FRAME | {"start": FRAME["start"] + 60 * number, "device": device})
    return spool.entries(str(folder))


def test_a_frame_comes_back_as_it_went_in(tmp_path):
    [entry] = fill(tmp_path / "s", 1, device="cciss/c0d0")
    assert (entry.start, entry.n, entry.device) == (FRAME["start"], 2, "cciss!c0d0")
    packed = spool.load(entry)
    assert spool.as_json_form(packed) == FRAME | {"device": "cciss/c0d0"}
    assert list(msgpack.unpack(packed)) == [
        "device",
        "serial",
        "wwn",
        "vantage",
        "source",
        "start",
        "step_s",
        "n",
        "body",
    ]


def test_it_is_readable_by_its_owner_alone(tmp_path):
    [entry] = fill(tmp_path / "s", 1)
    assert Path(entry.path).stat().st_mode & 0o777 == 0o600


def test_the_bound_is_on_disk_space_and_the_oldest_go_first(tmp_path):
    found = fill(tmp_path / "s", 10)
    kept, dropped = spool.bound(found, 4 * 4096 + 100, 0)
    assert dropped == 6
    assert [entry.start for entry in kept] == [entry.start for entry in found[6:]]
    assert len(list((tmp_path / "s").iterdir())) == 4


def test_what_is_too_old_goes_even_if_there_is_room(tmp_path):
    found = fill(tmp_path / "s", 10)
    kept, dropped = spool.bound(found, 1 << 30, found[3].start)
    assert dropped == 3 and kept[0].start == found[3].start


def test_within_its_bounds_nothing_is_dropped(tmp_path):
    found = fill(tmp_path / "s", 3)
    assert spool.bound(found, 1 << 30, 0) == (found, 0)


def test_a_half_written_file_is_no_frame_and_is_swept(tmp_path):
    fill(tmp_path / "s", 1)
    (tmp_path / "s" / "1766300040-2-vda-800.frame.17.new").write_bytes(b"half")
    (tmp_path / "s" / "notes.txt").write_text("someone's")
    assert len(spool.entries(str(tmp_path / "s"))) == 1
    spool.sweep(str(tmp_path / "s"))
    assert len(list((tmp_path / "s").iterdir())) == 2


def test_a_frame_shortened_by_a_power_cut_is_not_sent(tmp_path):
    [entry] = fill(tmp_path / "s", 1)
    os.truncate(entry.path, 100)
    assert spool.load(entry) is None


def test_refused_frames_are_kept_with_their_reason_and_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(spool, "MOST_REJECTED", 2)
    (tmp_path / "r").mkdir()
    for entry in fill(tmp_path / "s", 4):
        spool.reject(str(tmp_path / "r"), entry, f"overlap: {entry.start}")
    names = sorted(path.name for path in (tmp_path / "r").iterdir())
    assert len(names) == 4 and spool.entries(str(tmp_path / "s")) == []
    newest = FRAME["start"] + 180
    [reason] = [
        path for path in (tmp_path / "r").iterdir() if path.name.startswith(str(newest)) and path.suffix == ".reason"
    ]
    assert reason.read_text() == f"overlap: {newest}\n"


def test_a_week_of_frames_is_listed_and_bounded_in_little_time(tmp_path):
    import time

    folder = tmp_path / "s"
    folder.mkdir()
    for minute in range(10_080):
        (folder / f"{1_766_300_040 + 60 * minute}-60-vda-900.frame").touch()
    begin = time.process_time()
    kept, dropped = spool.bound(spool.entries(str(folder)), 64 << 20, 0)
    assert (len(kept), dropped) == (10_080, 0)
    assert time.process_time() - begin < 1.0
