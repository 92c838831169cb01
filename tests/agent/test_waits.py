"""What makes requests wait, in sentences."""

from types import SimpleNamespace

import pytest

from plimsoll_agent import inventory, waits
from plimsoll_agent.settings import Settings


def disk_of(tmp_path, **change):
    (tmp_path / "sys/block/sda").mkdir(parents=True, exist_ok=True)
    figures = {"device": "sda", "number": "8:0", "path": str(tmp_path / "sys/block/sda"), "write_cache": "write back"}
    figures |= {"rotational": True, "scheduler": "mq-deadline", "nr_requests": 256, "slaves": []}
    return SimpleNamespace(**figures | change)


@pytest.fixture
def say(tmp_path):
    """The findings about one disk as (topic, verdict, text)."""

    def examine(virtual="none", **change):
        found = []
        disks = [disk_of(tmp_path, **change)]
        proc = str(tmp_path / "proc")
        waits.examine(disks, str(tmp_path / "sys"), proc, virtual, lambda *said, **figures: found.append(said), 0)
        return found

    return examine


def warned(found, topic):
    return [text for about, verdict, text in found if about == topic and verdict == "warning"]


def test_a_usual_disk_has_nothing_to_warn_of(say):
    assert [said for said in say() if said[1] == "warning"] == []


def test_a_cache_that_is_off_matters_where_platters_turn(say):
    assert "waits for the platters" in warned(say(write_cache="write through"), "cache")[0]
    assert not warned(say(write_cache="write through", virtual="kvm"), "cache"), "the host has a cache of its own"
    assert not warned(say(write_cache="write through", rotational=False), "cache")


def test_schedulers_that_cost_latency_are_named(say):
    assert "bfq" in warned(say(scheduler="bfq", rotational=False), "scheduler")[0]
    assert "mq-deadline" in warned(say(scheduler="none"), "scheduler")[0]
    assert not warned(say(scheduler="none", virtual="kvm"), "scheduler")


def flood(tmp_path, limit_pages, busy_ms):
    (tmp_path / "proc").mkdir(exist_ok=True)
    (tmp_path / "proc/vmstat").write_text(f"nr_dirty_threshold {limit_pages}\n")
    (tmp_path / "sys/block/sda").mkdir(parents=True, exist_ok=True)
    moved = f"1 0 0 1 1000 0 2000000 800 0 {busy_ms} 1700 0 0 0 0 0 0\n"
    (tmp_path / "sys/block/sda/stat").write_text(moved)


def test_a_dirty_limit_is_told_in_seconds_of_this_disk(say, tmp_path):
    flood(tmp_path, limit_pages=1_200_000, busy_ms=8533)  # 4.6 GiB at 120 MB/s
    [text] = warned(say(), "dirty")
    assert text.startswith(
        "The dirty limit is 4.6 GiB: one flood of writes blocks every fsync for 41 s at the 120 MB/s"
    )
    assert "120 MB/s" in text and "vm.dirty_bytes" in text
    flood(tmp_path, limit_pages=60_000, busy_ms=8533)
    assert not warned(say(), "dirty")


def test_limits_few_requests_and_a_rebuild_are_warned_of(say, tmp_path):
    group = tmp_path / "sys/fs/cgroup/db.slice"
    group.mkdir(parents=True)
    (group / "io.max").write_text("8:0 riops=500\n9:9 riops=1\n")
    md = tmp_path / "sys/block/md0/md"
    md.mkdir(parents=True)
    for name, text in {"level": "raid1", "degraded": "1", "sync_action": "recover"}.items():
        (md / name).write_text(text)
    found = say(nr_requests=32)
    caps = warned(found, "cap")
    assert len(caps) == 2 and "32 requests" in caps[0] and "/db.slice limits sda to riops=500" in caps[1]
    assert len(warned(found, "raid")) == 2


def test_ignored_direct_writes_are_warned_of(say, tmp_path):
    (tmp_path / "proc/vz").mkdir(parents=True)
    (tmp_path / "proc/sys/fs").mkdir(parents=True)
    (tmp_path / "proc/sys/fs/odirect_enable").write_text("0\n")
    assert "O_DIRECT is ignored" in warned(say(), "odirect")[0]


def test_stolen_time_and_pressure_are_seen_in_a_moment(tmp_path, monkeypatch):
    looks = iter((("cpu 100 0 0 0 0 0 0 0", 0), ("cpu 180 0 0 0 0 0 0 20", 600_000)))

    def read(mono_us, proc):
        stat, full = next(looks)
        (tmp_path / "pressure").mkdir(exist_ok=True)
        (tmp_path / "stat").write_text(f"{stat}\nprocs_blocked 3\n")
        (tmp_path / "pressure/io").write_text(f"some total={full}\nfull total={full}\n")
        return real(0 if not full else 1_000_000, proc)

    real = waits.machine.read
    monkeypatch.setattr(waits.machine, "read", read)
    found = []
    waits._moment(str(tmp_path), lambda *said, **figures: found.append(said), 0.001)
    assert "20% of the CPU time" in warned(found, "steal")[0] and "60%" in warned(found, "pressure")[0]
    assert any("3 tasks blocked" in said[2] for said in found)


def test_the_server_is_told_limits_without_the_names_of_groups(tmp_path):
    from pathlib import Path
    from shutil import copytree

    copytree(Path(__file__).parents[1] / "fixtures/sys/guest", tmp_path / "sys")
    group = tmp_path / "sys/fs/cgroup/secret-project.slice"
    group.mkdir(parents=True)
    (group / "io.max").write_text("254:0 riops=500\n")
    told = inventory.waiting(Settings({"sys": str(tmp_path / "sys"), "proc": str(tmp_path)}))
    assert told["vda_limits_of_control_groups"] == "riops=500" and "secret" not in str(told)
    assert all(not isinstance(value, (dict, list)) for value in told.values())
