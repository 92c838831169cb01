"""What else was going on: shares from two looks."""

from pathlib import Path

from plimsoll_agent.kernel.machine import Machine, facts_between, read

PROC = str(Path(__file__).parents[2] / "fixtures" / "proc" / "modern")


def look(**change):
    figures = dict.fromkeys(Machine.__slots__, 0) | change
    return Machine(**figures)


def test_a_capture_is_read_whole():
    machine = read(5, PROC)
    assert None not in [getattr(machine, name) for name in Machine.__slots__]
    first = [int(field) for field in Path(PROC, "stat").read_text().splitlines()[0].split()[1:]]
    assert machine.cpu_ticks == sum(first[:8])
    assert (machine.iowait_ticks, machine.steal_ticks) == (first[4], first[7])
    assert machine.dirty_bytes % 1024 == 0


def test_a_kernel_without_these_files_says_nothing(tmp_path):
    machine = read(5, str(tmp_path))
    assert [getattr(machine, name) for name in Machine.__slots__] == [None] * 7 + [5]
    assert set(facts_between(machine, read(6, str(tmp_path))).values()) == {None}


def test_ratios_are_shares_of_the_time_between_and_levels_those_at_the_end():
    begin = look(
        cpu_ticks=1000, steal_ticks=10, iowait_ticks=50, psi_some_us=100, psi_full_us=0, dirty_bytes=7, mono_us=0
    )
    end = look(
        cpu_ticks=1200,
        steal_ticks=30,
        iowait_ticks=60,
        psi_some_us=500_100,
        psi_full_us=250_000,
        dirty_bytes=4096,
        blocked=3,
        mono_us=1_000_000,
    )
    assert facts_between(begin, end) == {
        "steal_ratio": 0.1,
        "iowait_ratio": 0.05,
        "dirty_bytes": 4096,
        "psi_io_some": 0.5,
        "psi_io_full": 0.25,
        "d_state_tasks": 3,
    }


def test_a_counter_that_went_back_is_unknown_and_never_negative():
    facts = facts_between(look(cpu_ticks=10, iowait_ticks=9), look(cpu_ticks=20, iowait_ticks=5, mono_us=1))
    assert facts["iowait_ratio"] is None
