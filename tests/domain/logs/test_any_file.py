"""Whatever people drop: a log is judged or refused with a reason, never a crash."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.domain.contract_text import parse_contract
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "logs").iterdir())
CONTRACT = parse_contract("99% reads < 15 ms, writes < 20 ms at 1000 IOPS of 16 KiB")


def judged_or_refused(data: bytes) -> None:
    try:
        answer = score_log(data, CONTRACT)
    except LogError as error:
        assert str(error)
    else:
        json.dumps(answer, allow_nan=False)
        sli = [end for end in answer["sli"].values() if end is not None]
        assert sli == sorted(sli) and all(0 <= end <= 1 for end in sli)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FIXTURES), st.data())
def test_a_log_with_pieces_missing_doubled_or_garbled(path: Path, data: st.DataObject) -> None:
    content = path.read_bytes()[:6_000]
    for _ in range(data.draw(st.integers(1, 3))):
        first = data.draw(st.integers(0, len(content)))
        last = data.draw(st.integers(first, min(len(content), first + 400)))
        put = data.draw(
            st.sampled_from(
                [b"", content[first:last] * 2, b"-1", b"1e400", b"nan", b",", b"\x00", b"{}", b"99999999999"]
            )
        )
        content = content[:first] + put + content[last:]
    judged_or_refused(content)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_anything_at_all(content: bytes) -> None:
    judged_or_refused(content)


@pytest.mark.parametrize("value", ["nan", "inf", "-5", "1e308", "9" * 40])
@pytest.mark.parametrize("column", range(1, 6))
def test_impossible_figures(value: str, column: int) -> None:
    words = ["vda", "10", "10", "1.0", "1.0", "0.1"]
    words[column] = value
    judged_or_refused(f"Device r/s w/s r_await w_await aqu-sz\n{' '.join(words)}\n".encode())
