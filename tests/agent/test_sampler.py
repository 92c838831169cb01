"""The fine loop over simulated clocks: what is measured, what is unknown, and that every I/O is counted once."""

import random
import signal
from itertools import pairwise

import pytest

from plimsoll_agent.canary import reads
from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.state import SAMPLER, notes
from tests.agent.simulated import START, TERM, Disk, Machine

SUMMED = [name for name in FIELDS if name not in ("in_flight", "discard_merges")]


@pytest.fixture
def machine(tmp_path, monkeypatch):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    yield Machine(tmp_path, monkeypatch)
    signal.signal(signal.SIGTERM, before[0])
    signal.signal(signal.SIGINT, before[1])


def covers(frame):
    return range(frame["start"], frame["start"] + frame["n"])


def assert_chained(frames):
    """base + sums = the next base, the time fields modulo 2^32."""
    for one, two in pairwise(frames):
        assert one["start"] + one["n"] == two["start"]
        for name in SUMMED:
            end = one["base"][name] + sum(one[name])
            assert end % (1 << 32 if name.endswith("_ms") else 1 << 62) == two["base"][name], name


def assert_apart(frames):
    """No second is in two frames, and none crosses a minute."""
    seconds = [second for frame in frames for second in covers(frame)]
    assert len(seconds) == len(set(seconds))
    for frame in frames:
        assert frame["start"] // 60 == (frame["start"] + frame["n"] - 1) // 60


def assert_sane(frames):
    """Nothing that the server would refuse, and no histogram of other I/Os."""
    for frame in frames:
        for kind in ("read", "write"):
            ios = frame[f"{kind}_ios"]
            assert sum(count for _, count in frame[f"{kind}_hist"]) == sum(ios)
            for slow in frame["slow"]:
                rows = zip(slow[f"{kind}_lo"], slow[f"{kind}_est"], slow[f"{kind}_hi"], ios, strict=True)
                assert all(0 <= lo <= est <= hi <= count for lo, est, hi, count in rows)
        done = [reads + writes for reads, writes in zip(frame["read_ios"], frame["write_ios"], strict=True)]
        for slow in frame["slow"]:
            assert all(covered <= ios for covered, ios in zip(slow["covered_est"], done, strict=True))
            assert all(low <= high for low, high in zip(slow["excess_lo"], slow["excess_hi"], strict=True))


@pytest.fixture(autouse=True)
def every_frame_is_sane(machine):
    yield
    assert_sane(machine.frames())


def test_frames_follow_the_minute_after_a_short_first_one_and_chain_exactly(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=20, read_ms=30, writes=10, write_ms=20), until=170)
    machine.run(165)
    frames = machine.frames()
    assert [(frame["start"] - START, frame["n"]) for frame in frames] == [
        (1, 9),
        (10, 30),
        (40, 60),
        (100, 60),
        (160, 5),
    ]
    assert_chained(frames)
    assert frames[2]["read_ios"] == [200] * 60 and frames[2]["write_ms"] == [200] * 60
    assert frames[2]["fine_ms"] == [100] * 60
    assert sum(count for _, count in frames[2]["read_hist"]) == 12_000


def test_an_idle_disk_still_reports_each_second(machine):
    machine.run(45)
    frames = machine.frames()
    assert_chained(frames)
    assert sum(frame["n"] for frame in frames) == 44
    assert not any(sum(frame["read_ios"]) for frame in frames)
    assert all(set(frame["in_flight"]) == {0} for frame in frames)


def test_a_slow_second_is_counted_for_the_term_and_reported_after_ten_seconds(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=40), until=60)
    machine.run(58)
    frames = machine.frames()
    # Frames of ten seconds while it is bad, and only then.
    assert [frame["n"] for frame in frames] == [9, 10, 10, 10, 10, 8]
    slow = frames[1]["slow"][0]
    assert slow["term"] == TERM.term and slow["threshold_ms"] == 15
    assert slow["read_lo"] == slow["read_est"] == slow["read_hi"] == [10] * 10


def test_the_time_with_requests_in_flight_is_integrated(machine):
    machine.clock.at(5.0, lambda: machine.disk.add(in_flight=4))
    machine.clock.at(7.0, lambda: machine.disk.add(reads=4, read_ms=8000, in_flight=0))
    machine.run(15)
    held = sum(sum(frame["in_flight_ms"]) for frame in machine.frames())
    # Four requests for two seconds; each edge is known to one sub-interval of 100 ms.
    assert 7_600 <= held <= 8_400


def test_the_time_fields_wrap_at_32_bits_and_the_sum_is_right(machine):
    machine.disk.values[3] = (1 << 32) - 500
    machine.disk.write()
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=10), until=30)
    machine.run(30)
    frames = machine.frames()
    assert_chained(frames)
    assert all(ms == 100 for frame in frames for ms in frame["read_ms"])


def test_counters_that_go_back_make_the_second_unknown_and_begin_anew(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=40)

    def replaced():
        machine.disk.values = [3] * 8 + [0] + [3] * 8
        machine.disk.write()

    machine.clock.at(15.45, replaced)
    machine.run(30)
    frames = machine.frames()
    assert_apart(frames)
    seconds = {second - START for frame in frames for second in covers(frame)}
    assert set(range(1, 29)) - seconds == {15}
    assert max(max(frame["read_ios"]) for frame in frames) <= 10


@pytest.mark.parametrize("step", [-2.5, -30, 2.5, 30, 3600])
def test_a_clock_step_makes_its_second_unknown_and_no_second_is_told_twice(machine, step):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=200)
    machine.clock.at(33.35, lambda: machine.clock.step(step))
    machine.run(150)
    frames = machine.frames()
    assert_apart(frames)
    assert all(8 <= count <= 12 for frame in frames for count in frame["read_ios"])
    if step > 0:  # after a step back the second comes again, and is measured then
        assert START + 33 not in {second for frame in frames for second in covers(frame)}
    assert frames[-1]["start"] + frames[-1]["n"] <= machine.clock.time()


def test_a_small_clock_step_loses_no_io(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=60)
    machine.clock.at(33.35, lambda: machine.clock.step(-0.8))
    machine.clock.at(43.35, lambda: machine.clock.step(0.3))
    machine.run(58)
    frames = machine.frames()
    assert_chained(frames)


def test_a_clock_that_was_hours_ahead_does_not_silence_the_agent(machine):
    machine.clock.step(7200)
    machine.clock.at(20.35, lambda: machine.clock.step(-7200))
    machine.run(60)
    late = [frame for frame in machine.frames() if frame["start"] < START + 3600]
    assert sum(frame["n"] for frame in late) >= 35


def test_a_suspended_machine_has_a_gap_that_the_next_base_bounds(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=60)
    # Suspended: the wall clock goes on for an hour, the monotonic one does not.
    machine.clock.at(25.55, lambda: machine.clock.step(3600))
    machine.run(50)
    frames = machine.frames()
    assert_apart(frames)
    before = [frame for frame in frames if frame["start"] < START + 60][-1]
    after = next(frame for frame in frames if frame["start"] >= START + 60)
    gap = after["base"]["read_ios"] - before["base"]["read_ios"] - sum(before["read_ios"])
    assert 0 < gap <= 20


def test_a_sampler_that_was_held_up_loses_those_seconds_only(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=60)

    def held_up():
        machine.clock.mono += 3_400_000_000

    machine.clock.at(25.55, held_up)
    sampler = machine.run(50)
    frames = machine.frames()
    assert_apart(frames)
    seconds = {second - START for frame in frames for second in covers(frame)}
    assert {25, 26, 27, 28} & seconds == set()
    assert 24 in seconds and 30 in seconds
    assert sampler.late == 1 and sampler.lost_s >= 3


def test_slow_ios_of_a_lost_second_are_in_no_other_one(machine):
    def stall():
        machine.disk.add(reads=500, read_ms=500 * 400)
        machine.clock.mono += 2_700_000_000

    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=60)
    machine.clock.at(25.25, stall)
    machine.run(50)
    frames = machine.frames()
    assert max(ios for frame in frames for ios in frame["read_ios"]) < 30
    assert not any(count for frame in frames for count in frame["slow"][0]["read_hi"])


def test_a_late_sample_counts_with_its_true_time_and_nothing_is_lost(machine):
    machine.every(0.1, lambda: machine.disk.add(reads=1, read_ms=1), until=60)
    for moment in (22.15, 24.95, 26.95):
        machine.clock.at(moment, lambda: setattr(machine.clock, "mono", machine.clock.mono + 350_000_000))
    machine.run(50)
    assert_chained(machine.frames())


def test_new_terms_cut_the_frame(machine):
    other = TERM._replace(term=8, read_threshold_us=5_000, write_threshold_us=10_000)
    machine.clock.at(15.5, lambda: machine.order((TERM, other)))
    machine.run(30)
    frames = machine.frames()
    assert_chained(frames)
    cut = next(frame for frame in frames if len(frame["slow"]) == 2)
    assert cut["start"] == START + 16
    assert [slow["threshold_ms"] for slow in cut["slow"]] == [15, None]


def test_a_broken_policy_changes_nothing(machine):
    machine.clock.at(15.5, lambda: (machine.path / "state/policy").write_text("plimsoll-policy\t1\nend"))
    machine.run(30)
    assert all(len(frame["slow"]) == 1 for frame in machine.frames())


def test_a_disk_that_comes_while_it_runs_is_found_and_one_that_goes_is_let_go(machine):
    def plugged():
        Disk(machine.path / "sys", "vdb", "s-2")

    def pulled():
        folder = machine.path / "sys/block/vdb"
        for path in [folder / "mq", *sorted(folder.iterdir())]:
            path.rmdir() if path.is_dir() else path.unlink() if path.exists() else None
        folder.rmdir()

    machine.clock.at(12.5, plugged)
    machine.clock.at(42.5, pulled)
    sampler = machine.run(70)
    added = [frame for frame in machine.frames() if frame["device"] == "vdb"]
    assert added and added[0]["serial"] == "s-2"
    assert min(frame["start"] for frame in added) <= START + 21
    assert [watch.device for watch in sampler.lookout.watches] == ["vda"]
    kept = [frame for frame in machine.frames() if frame["device"] == "vda"]
    assert_chained(kept)


def test_a_successor_does_not_measure_again_what_its_predecessor_wrote_down(machine):
    machine.run(20)
    told = {second for frame in machine.frames() for second in covers(frame)}
    machine.clock.step(-10)
    machine.run(50)
    frames = machine.frames()
    assert_apart(frames)
    assert {second for frame in frames for second in covers(frame)} > told


def test_a_bad_disk_is_read_more_finely_within_the_budget(machine):
    machine.order((TERM,), finest_ms=10)
    machine.every(0.01, lambda: machine.disk.add(reads=6, read_ms=3), until=40)
    machine.run(35)
    cadences = [ms for frame in machine.frames() for ms in frame["fine_ms"]]
    assert cadences[0] == 100 and min(cadences) == 10


def test_the_first_frame_ends_at_the_next_ten_seconds_and_asks_to_be_sent_at_once(machine):
    sampler = machine.run(12)
    first = machine.frames()[0]
    assert (first["start"] + first["n"]) % 10 == 0
    assert sampler.child.wanted


def test_many_disks_are_read_from_one_file_and_each_gets_its_own_line(machine):
    disks = [Disk(machine.path / "sys", f"vd{letter}", f"s-{letter}") for letter in "bcdefgh"]
    for number, disk in enumerate(disks, 1):
        (disk.folder / "dev").write_text(f"254:{number}\n")
    table = machine.path / "proc/diskstats"

    def tick():
        lines = [f" {254:>3} {number:7d} {disk.folder.name} " for number, disk in enumerate([machine.disk, *disks])]
        for number, disk in enumerate([machine.disk, *disks]):
            disk.add(reads=number, read_ms=number)
            lines[number] += " ".join(map(str, disk.values)) + "\n"
        table.write_text("   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" + "".join(lines))

    tick()
    machine.every(0.1, tick, until=25)
    # A device that comes first in the table moves all lines by one.
    machine.clock.at(
        12.3, lambda: table.write_text("   1       0 ram0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" + table.read_text())
    )
    sampler = machine.run(25)
    assert not sampler.lookout.by_stat
    frames = machine.frames()
    for number, disk in enumerate([machine.disk, *disks]):
        own = [frame for frame in frames if frame["device"] == disk.folder.name]
        assert_chained(own)
        counted = [ios for frame in own for ios in frame["read_ios"]]
        assert counted and all(abs(ios - 10 * number) <= number for ios in counted)


def test_nonsense_from_a_driver_is_a_gap_and_not_the_end(machine):
    def nonsense():
        (machine.disk.folder / "stat").write_text("1 2 three\n")

    machine.clock.at(15.45, nonsense)
    machine.clock.at(17.45, machine.disk.write)
    machine.run(30)
    seconds = {second - START for frame in machine.frames() for second in covers(frame)}
    assert set(range(1, 29)) - seconds == {15, 16, 17}


def test_a_full_memory_folder_loses_seconds_and_no_more(machine, monkeypatch):
    from plimsoll_agent import journal

    real = journal.os.write
    full = []

    def write(fd, data):
        if full and data[:1] in b"si":
            raise OSError(28, "No space left on device")
        return real(fd, data)

    monkeypatch.setattr(journal.os, "write", write)
    machine.clock.at(15.5, lambda: full.append(1))
    machine.clock.at(18.5, full.clear)
    machine.run(30)
    frames = machine.frames()
    assert_apart(frames)
    seconds = {second - START for frame in frames for second in covers(frame)}
    assert set(range(1, 29)) - seconds == {15, 16, 17}


def test_a_memory_folder_that_was_cleaned_away_is_made_again(machine):
    import shutil

    machine.clock.at(15.5, lambda: shutil.rmtree(machine.state.run))
    machine.run(75)
    assert sum(frame["n"] for frame in machine.frames()) >= 30


@pytest.mark.parametrize("seed", range(6))
def test_any_load_with_any_hiccup_gives_frames_that_the_server_takes(machine, seed):
    rng = random.Random(seed)
    machine.order((TERM, TERM._replace(term=8, read_threshold_us=1_000, write_threshold_us=50_000, iops=100, depth=1)))
    waiting = 0

    def tick():
        nonlocal waiting
        waiting += rng.choice((0, 0, 1, 3, 40))
        reads = rng.randint(0, waiting)
        writes = rng.randint(0, waiting - reads)
        waiting -= reads + writes
        each = rng.choice((0, 1, 14, 15, 16, 200))
        machine.disk.add(
            reads=reads, read_ms=reads * each, writes=writes, write_ms=writes * each // 2, in_flight=waiting
        )

    def hiccup():
        kind = rng.randrange(4)
        if kind == 0:
            machine.clock.mono += rng.randrange(4_000_000_000)
        elif kind == 1:
            machine.clock.step(rng.uniform(-3, 3))
        elif kind == 2:
            machine.disk.values[:8] = [0] * 8
        else:
            machine.disk.values[3] = (1 << 32) - 10

    machine.every(0.03, tick, until=90)
    for _ in range(8):
        machine.clock.at(rng.uniform(5, 85), hiccup)
    machine.run(90)
    frames = machine.frames()
    assert_apart(frames)
    assert sum(frame["n"] for frame in frames) > 40


def test_a_canary_that_cannot_open_the_disk_says_so_once_and_in_the_status(machine, tmp_path, monkeypatch, capfd):
    class Elsewhere(reads.Canary):
        def __init__(self, every_s):
            super().__init__(every_s, folder=str(tmp_path))

    monkeypatch.setattr(reads, "Canary", Elsewhere)
    machine.settings.canary_s = 5
    machine.run(125)
    word = "no canary for vda, it cannot be opened for direct reading: No such file or directory"
    assert capfd.readouterr().err.count(word) == 1
    status = notes(machine.state, SAMPLER)
    assert word in status["trouble"] and status["canary_reads"] == "0"
    assert sum(frame["n"] for frame in machine.frames()) == 124


def test_without_a_canary_the_status_has_no_word_of_one(machine):
    machine.run(12)
    assert "canary_reads" not in notes(machine.state, SAMPLER)
