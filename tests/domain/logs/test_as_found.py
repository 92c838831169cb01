"""Logs as people have them: in colours, several documents in one file, or of a kind that holds no rows."""

import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from sla.domain.contract_text import parse_contract
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
CONTRACT = parse_contract("99% < 15 ms at 1000 IOPS")


def judged(data: bytes) -> dict[str, Any]:
    return score_log(data, CONTRACT)


def test_colours_change_nothing() -> None:
    plain = (LOGS / "iostat-12.6-xkt.txt").read_bytes()
    coloured = re.sub(rb"(\d+[.,]\d+)", b"\x1b[34;1m\\1\x1b[0m", plain)
    assert coloured != plain and judged(coloured) == judged(plain)


def test_of_several_documents_of_fio_the_last_whole_one_is_judged() -> None:
    last = (LOGS / "fio-3.33-json+.json").read_text()
    document = json.loads(last)
    document["jobs"] = document["jobs"][:1]
    document["fio version"] = "fio-3.0"
    first = json.dumps(document, indent=2)
    for text in (first + "\n" + last, "note: something\n" + first + "\n" + last + '\n{\n  "fio version" : "cut'):
        assert judged(text.encode()) == judged(last.encode())


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"x: (g=0): rw=randread\nfio-3.33\nStarting 1 process\n", "json\\+"),
        (b"\x96\xd5\x75\x21" + b"\0" * 400, "sadf -j"),
    ],
)
def test_what_holds_no_rows_is_told_what_makes_some(data: bytes, advice: str) -> None:
    with pytest.raises(LogError, match=advice):
        judged(data)


def test_a_log_that_lasts_for_years_is_refused_at_once() -> None:
    with pytest.raises(LogError, match="1157407 days: send at most 2 days"):
        judged(b"99999999999994, 4242329, 0, 4096, 0\n7, 119228, 0, 4096, 0\n")


def test_ten_thousand_million_ios_a_second_take_no_more_memory_than_ten() -> None:
    plain = (LOGS / "iostat-12.6-xm.txt").read_text()
    rows = [line for line in plain.splitlines() if line.startswith("Device")][:1]
    row = ["vda"] + ["9999999999.00" if name.endswith(("r/s", "w/s")) else "90.00" for name in rows[0].split()[1:]]
    tracemalloc.start()
    try:
        answer = judged("\n".join([*rows, " ".join(row)]).encode())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer["rows"][0]["ios"] > 10**10
    assert peak < 20 * 2**20
