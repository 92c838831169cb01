"""The founding table (semantics §7), row by row and word by word, through the text that iostat prints."""

import pytest

from sla.domain.contract_text import parse_contract
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError

AT_1000 = "99% < 15 ms at 1000 IOPS"
AT_2000 = "99% < 15 ms at 2000 IOPS"
SMALL_UNITS = "99% < 15 ms at 2000 IOPS of 16 KiB"
HEADER = "Device r/s w/s rMB/s wMB/s avgqu-sz r_await w_await %util"

ROWS = {
    "standard, 10 threads": "vda 120.5 0 2.05 0 10.50 87.47 0 100",
    "standard, 5 threads": "vda 127.5 0 2.05 0 5.10 39.78 0 100",
    "1000-IOPS disk, 1 thread": "vda 1084.5 0 27.33 0 3.72 3.43 0 99",
    "1000-IOPS disk, 20 threads": "vda 1059.5 0 26.37 0 55.39 51.97 0 100",
    "2000-IOPS disk, 20 threads": "vda 1542.5 0 36.29 0 33.20 21.29 0 100",
    "2000-IOPS disk, 50 threads": "vda 1498.5 0 36.63 0 86.17 57.05 0 100",
    "fio read + write": "vda 876 3152 3.4 12.3 19.9 11.39 3.15 100",
}
JUDGED = [
    ("standard, 10 threads", AT_1000, "normal", "likely breached"),
    ("standard, 5 threads", AT_1000, "normal", "likely breached"),
    ("1000-IOPS disk, 1 thread", AT_1000, "pro_rata", "likely met"),
    ("1000-IOPS disk, 20 threads", AT_1000, "excused", "likely excused"),
    ("2000-IOPS disk, 20 threads", AT_1000, "excused", "likely excused"),
    ("2000-IOPS disk, 20 threads", AT_2000, "under_delivery", "likely breached"),
    ("2000-IOPS disk, 20 threads", SMALL_UNITS, "excused", "likely excused"),
    ("2000-IOPS disk, 50 threads", AT_1000, "excused", "likely excused"),
    ("2000-IOPS disk, 50 threads", AT_2000, "under_delivery", "likely breached"),
    ("2000-IOPS disk, 50 threads", SMALL_UNITS, "excused", "likely excused"),
    ("fio read + write", AT_1000, "excused", "likely excused"),
]


def iostat(*rows: str) -> bytes:
    return "\n\n".join(f"{HEADER}\n{row}" for row in rows).encode()


@pytest.mark.parametrize(("disk", "contract", "case", "word"), JUDGED)
@pytest.mark.parametrize("interval", [1, 10, 60])
def test_each_row_is_judged_as_the_table_says(disk: str, contract: str, case: str, word: str, interval: float) -> None:
    answer = score_log(iostat(ROWS[disk]), parse_contract(contract), interval=interval)
    (row,) = answer["rows"]
    assert (row["case"], row["word"]) == (case, word)
    assert answer["verdict"] == row["verdict"] and answer["grade"] == "C"


@pytest.mark.parametrize(("disk", "percent"), [("2000-IOPS disk, 20 threads", 77), ("2000-IOPS disk, 50 threads", 74)])
def test_under_delivery_names_the_share_of_the_contract(disk: str, percent: int) -> None:
    (row,) = score_log(iostat(ROWS[disk]), parse_contract(AT_2000), interval=10)["rows"]
    assert int(100 * row["delivered_ratio"]) == percent


def test_a_naive_mean_would_call_five_of_the_first_six_breached() -> None:
    naive = [float(row.split()[6]) >= 15 for row in list(ROWS.values())[:6]]
    assert naive.count(True) == 5
    said = [score_log(iostat(row), parse_contract(AT_1000), interval=10)["verdict"] for row in list(ROWS.values())[:6]]
    assert said == ["breached", "breached", "met", "excused", "excused", "excused"]


def test_a_broken_file_says_what_was_seen() -> None:
    contract = parse_contract(AT_1000)
    for data, hint in (
        (b"", "empty"),
        (b"hello", "Device"),
        (b'{"a": 1}', "sysstat"),
        (b"{", "JSON"),
        (b"Device tps kB_read/s\nvda 3 4\n", "await"),
        (b"@ 1 x\n", "line 1"),
        (b"1, 2, 0, 4096\n1, 2, 0, x\n", "line 2"),
    ):
        with pytest.raises(LogError, match=hint):
            score_log(data, contract)
