"""What is made of a node_exporter's page: a real one of 1.5.0, and lines as its documentation shows them."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.imports import machine, node_exporter
from plimsoll_agent.imports.exposition import ExpositionError, samples
from plimsoll_agent.imports.node_exporter import ExporterError

PAGE = (Path(__file__).parents[2] / "fixtures/node_exporter/guest-1.5.prom").read_text()


def page_of(*disks, info=""):
    lines = [info]
    for device in disks:
        for name in ("reads_completed_total", "writes_completed_total", "read_time_seconds_total"):
            lines.append(f'node_disk_{name}{{device="{device}"}} 1')
        lines.append(f'node_disk_write_time_seconds_total{{device="{device}"}} 0.5')
    return node_exporter.read("\n".join(lines))


def test_a_real_page_gives_the_kernels_integers_back():
    page = node_exporter.read(PAGE)
    counters = dict(zip(FIELDS, page.disks["vda"], strict=True))
    assert counters["read_ios"] == 1311693 and counters["read_ms"] == 1241978
    assert counters["read_sectors"] == 19900032000 // 512 and counters["in_flight"] == 32
    assert counters["flush_ms"] == 65832, "printed as 65.83200000000001"
    assert all(value is not None for value in page.disks["vda"])
    assert page.booted_at == 1795262317 and page.machine["uname_release"].startswith("6.18")


def test_memory_that_looks_like_a_disk_is_left_out():
    page = node_exporter.read(PAGE)
    assert set(page.disks) == {"vda", "zram0"} and machine.disks_of(page, []) == ["vda"]
    assert machine.disks_of(page, ["/dev/zram0", "sdx"]) == ["zram0"]


def test_volumes_and_partitions_are_billed_where_they_lie():
    page = page_of("sda", "sda1", "sdb", "dm-0", "md127", "nvme0n1", "nvme0n1p2", "sr0")
    assert machine.disks_of(page, []) == ["nvme0n1", "sda", "sdb"]
    assert machine.disks_of(page, ["dm-0"]) == ["dm-0"]


def test_what_an_old_exporter_lacks_is_unknown_and_not_zero():
    page = page_of("sda")
    counters = dict(zip(FIELDS, page.disks["sda"], strict=True))
    assert counters["write_ms"] == 500 and counters["in_flight"] is None and counters["flush_ios"] is None


def test_serial_and_wwn_are_the_disks_identity():
    info = 'node_disk_info{device="sda",model="A \\"B\\"",serial="S1",wwn="0x5000",path="",rotational="1"} 1'
    [disk] = machine.described(page_of("sda", info=info), "http://a:9100/metrics", ["sda"], None)["disks"]
    assert (disk["serial"], disk["wwn"], disk["rotational"]) == ("S1", "0x5000", True)


def test_the_queue_proves_nothing_on_old_kernels_and_volumes():
    new, old = (page_of("sda", "dm-0", info=f'node_uname_info{{release="{text}"}} 1') for text in ("6.18.1", "6.1.0"))
    assert machine.rule_of(new, "sda") == "accounted"
    assert machine.rule_of(new, "dm-0") == machine.rule_of(old, "sda") == "driver"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("<html>404 not found</html>", "no node_exporter's page"),
        ("", "no node_exporter's page"),
        ("node_cpu_seconds_total 3", "diskstats collector off"),
        ('node_disk_reads_completed{device="sda"} 4', "before 0.16"),
        ('node_disk_io_now{device="sda"} many', "not a sample"),
        ('node_disk_io_now{device="sda', "not a sample"),
    ],
)
def test_what_is_no_such_page_is_said_in_a_sentence(text, word):
    with pytest.raises(ExporterError, match=word):
        node_exporter.read(text)


def test_a_boot_is_the_same_while_its_moment_moves_by_seconds():
    page = page_of("sda", info="node_boot_time_seconds 1000")
    assert machine.boot_of(page, 1003) == 1003 and machine.boot_of(page, 900) == 1000
    assert machine.boot_of(page, None) == 1000 and machine.boot_of(page_of("sda"), 1000) is None


@given(st.integers(0, (1 << 32) - 1), st.integers(0, 1 << 43))
def test_every_counter_survives_the_exporters_units(ms, sectors):
    lines = [
        f'node_disk_{name}{{device="a"}} {value!r}'
        for name, value in {
            "reads_completed_total": 1.0,
            "read_time_seconds_total": ms * 0.001,
            "writes_completed_total": 1.0,
            "write_time_seconds_total": 0.0,
            "read_bytes_total": float(sectors * 512),
        }.items()
    ]
    counters = dict(zip(FIELDS, node_exporter.read("\n".join(lines)).disks["a"], strict=True))
    assert counters["read_ms"] == ms and counters["read_sectors"] == sectors


@given(st.text())
def test_no_text_breaks_the_reader(text):
    with contextlib.suppress(ExpositionError):
        list(samples(text, ("a", "node")))


@given(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"])))
def test_a_label_survives_its_quotes(value):
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    assert list(samples(f'x{{l="{quoted}",m="1"}} 2 1700000000', ("x",))) == [("x", {"l": value, "m": "1"}, 2.0)]
