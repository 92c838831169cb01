"""Every vintage of /proc/diskstats, and what is not there is None."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.kernel.diskstats import DiskstatsError, counters_of, lines

PROC = Path(__file__).parents[2] / "fixtures" / "proc"


def capture(vintage):
    return {name: (number, dict(zip(FIELDS, counters, strict=True))) for number, name, counters in lines(text(vintage))}


def text(vintage):
    return (PROC / f"diskstats-{vintage}").read_bytes()


def test_a_modern_kernel_has_all_seventeen_fields():
    number, vda = capture("6.18")["vda"]
    assert number == "254:0"
    assert None not in vda.values()


def test_a_kernel_before_5_5_has_no_flushes():
    _, nvme = capture("4.19")["nvme0n1"]
    assert nvme["discard_ms"] == 412
    assert nvme["flush_ios"] is nvme["flush_ms"] is None


def test_a_kernel_before_4_18_has_no_discards_and_a_time_near_its_wrap_is_read():
    _, sda = capture("4.9")["sda"]
    assert sda["write_ms"] == 4_294_960_000
    assert sda["in_flight"] == 2
    assert [sda[name] for name in FIELDS[11:]] == [None] * 6


def test_a_partition_of_2_6_has_four_numbers_and_no_times():
    _, sda1 = capture("2.6.18")["sda1"]
    known = {name: value for name, value in sda1.items() if value is not None}
    assert known == {"read_ios": 1093, "read_sectors": 2186, "write_ios": 8, "write_sectors": 8}


def test_names_keep_their_slash():
    assert capture("2.6.18")["cciss/c0d0"][1]["read_ios"] == 151301
    assert "nvme0n1p2" in capture("4.19")
    assert "mmcblk0p1" in capture("5.10")


def test_more_columns_than_any_kernel_has_yet_are_cut():
    assert counters_of([str(number).encode() for number in range(1, 22)]) == tuple(range(1, 18))


@pytest.mark.parametrize(
    "line",
    [b"8 0 sda 1 2 3", b"8 0 sda", b"8 x sda " + b"1 " * 17, b"8 0 sda " + b"1 " * 10 + b"x", b"8 0 sda " + b"1 " * 9],
)
def test_a_line_that_no_kernel_prints_is_refused_with_its_text(line):
    with pytest.raises(DiskstatsError) as refused:
        list(lines(line))
    assert line.split()[-1].decode() in str(refused.value)


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=17, max_size=17),
    st.from_regex(r"[a-z][a-z0-9/!-]{0,20}", fullmatch=True),
)
def test_what_the_kernel_prints_is_read_back(values, name):
    # "%4d %7d %s" and the fields, as in diskstats_show.
    printed = f"{8:>4} {16:>7} {name} " + " ".join(map(str, values)) + "\n"
    assert list(lines(printed.encode())) == [("8:16", name, tuple(values))]
