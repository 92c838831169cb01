"""Every layout since sysstat 9 gives the same figures, and the real output of real tools is read."""

# Lines as the tools print them.
# ruff: noqa: E501

import gzip
import json
import re
from pathlib import Path

import pytest

from sla.domain.contract_text import parse_contract
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "logs"
CONTRACT = parse_contract("99% < 15 ms at 1000 IOPS")

# The same disk as printed by sysstat 9.0, 10.0, 11.5, 11.7, 12 and with -h, in kB and MB, with a decimal comma.
SAME = {
    "await only": "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util\n"
    "vda 0.00 0.00 100.00 20.00 2048.00 512.00 42.67 0.24 2.00 1.00 12.00",
    "sectors": "Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util\n"
    "vda 0.00 0.00 100.00 20.00 4096.00 1024.00 42.67 0.24 2.00 1.00 12.00",
    "r_await beside await": "Device: rrqm/s wrqm/s r/s w/s rMB/s wMB/s avgrq-sz avgqu-sz await r_await w_await svctm %util\n"
    "vda 0.00 0.00 100.00 20.00 2.00 0.50 42.67 0.24 2.00 2.00 2.00 1.00 12.00",
    "aqu-sz": "Device r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util\n"
    "vda 100.00 20.00 2048.00 512.00 0 0 0 0 2.00 2.00 0.24 20.48 25.60 1.00 12.00",
    "reads first": "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz aqu-sz %util\n"
    "vda 100.00 2048.00 0 0 2.00 20.48 20.00 512.00 0 0 2.00 25.60 0.24 12.00",
    "decimal comma": "Device: r/s w/s rkB/s wkB/s avgqu-sz r_await w_await %util\n"
    "vda 100,00 20,00 2048,00 512,00 0,24 2,00 2,00 12,00",
    "device last": "r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util Device\n"
    "100.00 2.0M 2.00 20.00 512.0k 2.00 0.24 12.0% vda",
    "short": "Device tps kB/s rqm/s await areq-sz aqu-sz %util\nvda 120.00 2560.00 0.00 2.00 21.33 0.24 12.00",
    "sar": "10:00:00 AM DEV tps rkB/s wkB/s areq-sz aqu-sz await %util\n10:00:10 AM vda 120.00 2048.00 512.00 21.33 0.24 2.00 12",
    "sar, device last": "10:00:00 AM tps rkB/s wkB/s areq-sz aqu-sz await %util DEV\n10:00:10 AM 120.00 2048.00 512.00 21.33 0.24 2.00 12 vda",
    "sar in sectors": "23:59:55 DEV tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util\n"
    "00:00:05 vda 120.00 4096.00 1024.00 42.67 0.24 2.00 1.00 12.00",
}


@pytest.mark.parametrize("layout", SAME)
def test_every_layout_gives_the_same_figures(layout: str) -> None:
    text = SAME[layout] if layout.startswith("sar") else f"avg-cpu: %user\n 1.0\n\n{SAME[layout]}"
    answer = score_log(text.encode(), CONTRACT, interval=None if layout.startswith("sar") else 10)
    (row,) = answer["rows"]
    assert (row["device"], row["ios"], row["iops"], row["await_ms"], row["aqu_sz"]) == ("vda", 1200, 120, 2, 0.24)
    assert (row["seconds"], row["case"], row["verdict"]) == (10, "normal", "met")


@pytest.mark.parametrize(
    ("name", "rows", "ios"),
    [
        ("iostat-12.6-xkt.txt", 3, 6749),
        ("iostat-12.6-iso.txt", 2, 5637),
        ("iostat-12.6.json", 2, 5638),
        ("sar-12.6-d.txt", 3, 6752),
        ("sadf-12.6.json", 3, 6752),
        ("sadf-12.6.csv", 3, 6752),
        ("fio-3.33-json+.json", 1, 3870),
        ("fio-3.33_lat.1.log", 2, 600),
    ],
)
def test_real_output_is_read(name: str, rows: int, ios: int) -> None:
    answer = score_log((FIXTURES / name).read_bytes(), CONTRACT)
    assert len(answer["rows"]) == rows and sum(row["ios"] for row in answer["rows"]) == ios
    assert answer["verdict"] == "met"
    assert answer.keys() >= {"rows", "verdict", "grade", "sli", "needs"}
    json.dumps(answer)


def test_what_tools_leave_behind_is_still_read() -> None:
    text = (FIXTURES / "iostat-12.6.json").read_text()
    whole = score_log(text.encode(), CONTRACT)["rows"]
    assert score_log(gzip.compress(text.encode()), CONTRACT)["rows"] == whole
    assert score_log(text.rstrip("\n }]\t").encode() + b"}", CONTRACT)["rows"] == whole  # killed
    cut = score_log(text[: text.rindex('"w_await"')].encode(), CONTRACT, interval=2)["rows"]
    assert [row["iops"] for row in cut] == [whole[0]["iops"]]
    comma = re.sub(r"(?<=: )(\d+)\.(\d+)", r"\1,\2", text)
    assert comma != text and score_log(comma.encode(), CONTRACT)["rows"] == whole
    fio = (
        b"note: both iodepth >= 1 and synchronous I/O engine are selected\n"
        + (FIXTURES / "fio-3.33-json+.json").read_bytes()
    )
    assert score_log(fio, CONTRACT)["rows"][0]["ios"] == 3870
    assert score_log(text.replace("\n", "\r\n").encode(), CONTRACT)["rows"] == whole


def test_stamps_give_the_length_of_a_row() -> None:
    answer = score_log((FIXTURES / "iostat-12.6-xkt.txt").read_bytes(), CONTRACT)
    assert [row["seconds"] for row in answer["rows"]] == [2, 2, 2]
    assert not any("carry no time" in note for note in answer["notes"])
    assert any(
        "carry no time" in n for n in score_log((FIXTURES / "iostat-12.6-xm.txt").read_bytes(), CONTRACT)["notes"]
    )


def test_the_first_report_of_several_is_shown_but_not_in_the_verdict() -> None:
    header = "Device r/s w/s r_await w_await aqu-sz"
    text = f"{header}\nvda 100 0 90 0 9\n\n{header}\nvda 100 0 1 0 0.1\n"
    answer = score_log(text.encode(), CONTRACT, interval=1)
    assert [row["counts"] for row in answer["rows"]] == [False, True]
    assert answer["verdict"] == "met" and any("since boot" in note for note in answer["notes"])


def test_partitions_are_left_out_and_the_worst_disk_is_the_verdict() -> None:
    text = "Device r/s w/s r_await w_await aqu-sz\nsda 10 0 1 0 0\nsda1 10 0 1 0 0\nnvme0n1 50 0 90 0 4.5\nnvme0n1p1 5 0 1 0 0\n"
    answer = score_log(text.encode(), CONTRACT, interval=10)
    assert [row["device"] for row in answer["rows"]] == ["sda", "nvme0n1"]
    assert (answer["device"], answer["verdict"], answer["devices"]["sda"]["verdict"]) == ("nvme0n1", "breached", "met")


def test_an_idle_row_has_no_latency() -> None:
    (row,) = score_log(b"Device r/s w/s r_await w_await aqu-sz\nvda 0 0 0 0 0\n", CONTRACT)["rows"]
    assert (row["case"], row["verdict"], row["await_ms"]) == ("idle", "idle", None)


def test_a_latency_log_is_exact() -> None:
    # 100 I/Os a second for two seconds, one at a time; 3 of the first hundred take 20 ms.
    lines = [f"{10 * i + 20}, {20_000_000 if i in (10, 40, 70) else 1_000_000}, {i % 2}, 4096" for i in range(200)]
    answer = score_log("\n".join(lines).encode(), CONTRACT)
    assert answer["grade"] == "A"
    assert answer["sli"] == {"low": 0.985, "estimate": 0.985, "high": 0.985}
    assert (answer["verdict"], answer["proved"]) == ("breached", True)


def test_a_queue_of_the_customers_own_making_is_excess_in_a_latency_log() -> None:
    # 200 requests at once, served one a millisecond: 14 meet a backlog of at most 13, the others wait for each other.
    lines = [f"{i + 1}, {(i + 1) * 1_000_000}, 0, 4096" for i in range(200)]
    device = score_log("\n".join(lines).encode(), CONTRACT)["devices"]["fio"]
    assert (device["eligible"], device["slow"]["estimate"], device["excess"]) == (14, 0, 186)


def test_a_recording_is_judged_at_its_cadence() -> None:
    answer = score_log((FIXTURES / "plimsoll-agent-100ms.recording").read_bytes(), CONTRACT)
    assert answer["grade"] == "B" and {row["device"] for row in answer["rows"]} == {"vda"}
    assert all(row["seconds"] == 1 for row in answer["rows"])


@pytest.mark.parametrize("rule", ["accounted", "driver"])
def test_what_waited_before_a_second_is_not_proved_covered_in_it(rule: str) -> None:
    """200 requests come at once and wait; a later second completes most of them: they may all be excess."""
    zero = "0 " * 5
    lines = []
    for second, (done, waiting) in enumerate([(0, 0), (0, 200), (20, 180), (200, 0)]):
        lines.append(
            f"@ {second}.0 {1_700_000_000 + second}.0\n 254 0 vda {done} 0 {8 * done} {900 * done} 0 0 0 0 {waiting} {zero}\n"
        )
    answer = score_log("".join(lines).encode(), CONTRACT, rule=rule)
    assert sum(row["ios"] for row in answer["rows"]) == 200
    # 13 + 1 could meet a backlog within the depth at the most.
    assert answer["sli"]["low"] is None or answer["sli"]["low"] == 0
    assert answer["verdict"] != "met" or not answer["proved"]


def test_reads_and_writes_in_tables_of_their_own_are_one_report() -> None:
    text = (FIXTURES / "iostat-12.6-xh.txt").read_bytes()
    rows = score_log(text, CONTRACT, interval=1)["rows"]
    assert len({row["device"] for row in rows}) * 2 == len(rows)
    (busy,) = [row for row in rows if row["device"] == "vda"][1:]
    assert busy["ios"] > 0


def test_a_name_on_a_line_of_its_own_belongs_to_the_figures_below_it() -> None:
    head = "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n"
    row = "   0.00     1.00   20.00  100.00   160.00   800.00     8.00     2.40   20.00   1.00  12.00\n"
    got = score_log((head + "/dev/mapper/vg-a_long_name\n" + row + "sda" + row).encode(), CONTRACT)
    assert [one["device"] for one in got["rows"]] == ["/dev/mapper/vg-a_long_name", "sda"]
    assert not any("could not be read" in note for note in got["notes"])


@pytest.mark.parametrize("change", ["utf-16", "crlf", "utf-8-sig"])
def test_what_windows_makes_of_a_file_is_still_read(change: str) -> None:
    text = (FIXTURES / "sar-12.6-d.txt").read_text()
    same = score_log(text.encode(), CONTRACT)
    changed = text.replace("\n", "\r\n").encode() if change == "crlf" else text.encode(change)
    assert score_log(changed, CONTRACT) == same


def test_other_reports_of_sar_are_passed_over() -> None:
    text = (FIXTURES / "sar-12.6-d.txt").read_text()
    other = "\n02:10:01 PM     IFACE   rxpck/s   txpck/s\n02:20:01 PM      eth0     12.00      3.00\n"
    assert len(score_log((text + other).encode(), CONTRACT)["rows"]) == len(score_log(text.encode(), CONTRACT)["rows"])


def latencies(unit: int, start_ms: int = 0) -> bytes:
    """400 requests one after the other: 2 ms each, every twentieth 40 ms; in this part of a ms."""
    lines, at = [], start_ms
    for index in range(400):
        took = 40 if index % 20 == 19 else 2
        at += took
        lines.append(f"{at}, {took * unit}, {index % 2}, 4096")
    return "\n".join(lines).encode()


@pytest.mark.parametrize(("unit", "word"), [(1_000_000, "nanoseconds"), (1_000, "microseconds")])
def test_microseconds_of_fio_2_are_told_from_nanoseconds_of_fio_3(unit: int, word: str) -> None:
    for start_ms in (0, 60_000):
        got = score_log(latencies(unit, start_ms), CONTRACT)
        assert any(f"taken as {word}" in note for note in got["notes"])
        assert got["sli"]["estimate"] == pytest.approx(0.95)


def test_a_latency_log_that_was_cut_off_is_judged_without_its_last_line() -> None:
    got = score_log(latencies(1_000_000)[:-8], CONTRACT)
    assert got["verdict"] == "breached"
    with pytest.raises(LogError, match="line 2"):
        score_log(b"1, 2000000, 0, 4096\n2, x\n3, 2000000, 0, 4096\n", CONTRACT)
