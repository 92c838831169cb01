"""The verifier: valid as it is, and any flipped byte in any file is found and the file named."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import months
from sla.domain.statement.canonical import canonical, digest
from sla.reports import keys, plimsoll_verify
from sla.reports.bundle import bundle
from sla.reports.envelope import statement_json
from sla.reports.models import Statement
from tests.reports.conftest import BEGAN, END, Month, at, put

pytestmark = pytest.mark.django_db
Contents = dict[str, bytes]


class Packed(bytes):
    """A bundle that does not print itself when a test fails."""

    def __repr__(self) -> str:
        return f"a bundle of {len(self)} bytes"


@pytest.fixture
def archive(statement: Statement) -> bytes:
    return Packed(b"".join(bundle(statement)))


def contents_of(archive: bytes) -> Contents:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def checked(contents: Contents) -> Any:
    return plimsoll_verify.verify(plimsoll_verify.from_bytes(contents))


def zipped(contents: dict[str, bytes]) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in contents.items():
            out.writestr(name, data)
    return made


def test_a_bundle_is_valid_and_everything_comes_out_the_same(archive: bytes, statement: Statement) -> None:
    report = plimsoll_verify.verify(plimsoll_verify.from_zip(io.BytesIO(archive)))
    assert report.problems == []
    assert set(contents_of(archive)) == plimsoll_verify.NAMES
    lines = " ".join(report.checked)
    assert "8,760 minutes make the same hours" in lines  # three disks of two days, one of two hours
    # The seconds of all of its minutes that had something slow.
    assert "the seconds of 120 minutes make the same minutes" in lines
    said = {one["disk"]: one["state"] for one in report.disks}
    assert said["broken / vda"] == "breached"
    assert report.head["number"] == statement.number


def test_it_runs_as_a_program_of_its_own(archive: bytes, statement: Statement, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(archive)
    program = tmp_path / "plimsoll-verify.py"
    program.write_bytes(contents_of(archive)["plimsoll-verify.py"])
    command = [sys.executable, "-I", str(program)]
    good = subprocess.run([*command, "b.zip"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    assert "VALID" in good.stdout and statement.number in good.stdout
    harmed = bytearray(archive)
    at = archive.index(b"hours.csv") + 200
    harmed[at] ^= 1
    (tmp_path / "b.zip").write_bytes(harmed)
    bad = subprocess.run([*command, "b.zip", "--json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert "hours.csv" in {one["file"] for one in json.loads(bad.stdout)["problems"]}
    (tmp_path / "other.pem").write_bytes(keys.pem(keys.rotate()))
    (tmp_path / "b.zip").write_bytes(archive)
    pinned = [*command, "b.zip", "--key", "other.pem"]
    assert subprocess.run(pinned, cwd=tmp_path, capture_output=True, check=False).returncode == 1


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_flipped_bit_in_any_file_is_found_and_the_file_named(archive: bytes, data: st.DataObject) -> None:
    contents = contents_of(archive)
    name = data.draw(st.sampled_from(sorted(contents)))
    at = data.draw(st.integers(0, len(contents[name]) - 1))
    harmed = bytearray(contents[name])
    harmed[at] ^= 1 << data.draw(st.integers(0, 7))
    report = checked({**contents, name: bytes(harmed)})
    assert name in {one["file"] for one in report.problems}, (name, at, report.problems)


def test_a_missing_and_a_foreign_file_are_named(archive: bytes) -> None:
    contents = contents_of(archive)
    for name in sorted(set(contents) - {"statement.json"}):
        assert not checked({key: value for key, value in contents.items() if key != name}).valid, name
    with pytest.raises(plimsoll_verify.Wrong, match=r"evil\.sh"):
        plimsoll_verify.from_zip(zipped({**contents, "evil.sh": b"x"}))


@pytest.mark.parametrize("name", ["../hours.csv", "/etc/passwd", "a/hours.csv", "hours.csv\\x", "HOURS.CSV"])
def test_paths_are_refused(name: str) -> None:
    with pytest.raises(plimsoll_verify.Wrong, match="holds no such file"):
        plimsoll_verify.from_zip(zipped({name: b"x"}))


def test_a_bomb_is_refused_before_it_unpacks() -> None:
    with pytest.raises(plimsoll_verify.Wrong, match="it unpacks to"):
        plimsoll_verify.from_zip(zipped({"hours.csv": b"0" * 30_000_000}))
    with pytest.raises(plimsoll_verify.Wrong, match="it unpacks to"):
        plimsoll_verify.from_zip(zipped({"hours.csv": bytes(range(256)) * 100}), most=1_000)


@pytest.mark.parametrize("odd", [b"", b"PK\x03\x04", b"no archive at all"])
def test_what_is_no_archive_is_said_so(odd: bytes) -> None:
    with pytest.raises(plimsoll_verify.Wrong, match="no ZIP archive"):
        plimsoll_verify.from_zip(io.BytesIO(odd))


def test_a_bundle_of_two_files_of_one_name_is_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out, pytest.warns(UserWarning):
        out.writestr("hours.csv", b"1")
        out.writestr("hours.csv", b"2")
    with pytest.raises(plimsoll_verify.Wrong, match="twice"):
        plimsoll_verify.from_zip(made)


def resigned(statement: Statement, change: Any) -> bytes:
    """The statement as a provider would sign it who wrote other figures into it."""
    document = statement.document
    change(document)
    data = canonical(document)
    _, private = keys.signer()
    statement.canonical, statement.digest, statement.signature = data, digest(data), private.sign(data)
    return statement_json(statement)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("state", lambda disk: disk.update(state="met", reasons=[])),
        ("sli_ppb", lambda disk: disk["sli_ppb"].update(high=999_999_999)),
        ("credit", lambda disk: disk["credit"].update(proved_percent=1)),
        ("coverage", lambda disk: disk["coverage"].update(ppm=999_999)),
        ("total", lambda disk: disk["total"].update(slow_low=0)),
    ],
)
def test_a_lie_that_is_signed_is_found_by_the_arithmetic(
    statement: Statement, archive: bytes, what: str, change: Any
) -> None:
    contents = contents_of(archive)

    def lie(document: dict[str, Any]) -> None:
        change(next(one for one in document["disks"] if one["machine"] == "broken"))

    tables = {name: contents[name] for name in ("hours.csv", "slots.csv", "seconds.csv")}
    report = checked({"statement.json": resigned(statement, lie), **tables})
    assert [one for one in report.problems if what in one["problem"] and "broken" in one["problem"]], report.problems


def test_a_single_figure_of_a_minute_or_second_is_missed_in_the_hour(archive: bytes) -> None:
    contents = contents_of(archive)
    loose = {name: contents[name] for name in ("statement.json", "hours.csv", "slots.csv", "seconds.csv")}
    assert checked(loose).valid
    for name, column in (
        ("slots.csv", "slow_low"),
        ("slots.csv", "read_bytes"),
        ("seconds.csv", "lost_ms"),
        ("seconds.csv", "ios"),
    ):
        lines = loose[name].decode().splitlines()
        at = lines[0].split(",").index(column)
        row = lines[5].split(",")
        row[at] = str(int(row[at]) + 1)
        harmed = "\n".join([*lines[:5], ",".join(row), *lines[6:], ""]).encode()
        assert name in {one["file"] for one in checked({**loose, name: harmed}).problems}, (name, column)


def test_a_bundle_of_one_disk_has_its_minutes_only(statement: Statement, month: Month) -> None:
    disk = month.disks["framed"].pk
    contents = contents_of(b"".join(bundle(statement, disk)))
    assert checked(contents).problems == []
    assert {line.split(b",")[0] for line in contents["slots.csv"].splitlines()[1:]} == {str(disk).encode()}


def test_a_corrected_statement_still_has_a_valid_bundle_of_what_did_not_change(
    statement: Statement, month: Month
) -> None:
    put(month.disks["edge"], months.EDGE, month.version, start=BEGAN - 86_400, end=BEGAN)
    month.freeze()
    statement = Statement.objects.get(pk=statement.pk)
    contents = contents_of(b"".join(bundle(statement)))
    told = {line.split(b",")[0] for line in contents["slots.csv"].splitlines()[1:]}
    assert str(month.disks["edge"].pk).encode() not in told
    assert len(told) == 3
    assert checked(contents).problems == []


def test_after_a_rotation_bundles_of_old_statements_are_valid(statement: Statement) -> None:
    keys.rotate()
    assert checked(contents_of(b"".join(bundle(statement)))).problems == []


def test_minutes_that_are_gone_or_were_scored_again_stay_out(statement: Statement, month: Month) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM scoring_slot WHERE disk_id = %s AND start >= %s", [month.disks["good"].pk, at(END - 60)]
        )
        cursor.execute("UPDATE scoring_slot SET slow = slow + 1 WHERE disk_id = %s", [month.disks["edge"].pk])
    contents = contents_of(b"".join(bundle(statement)))
    told = {line.split(b",")[0].decode() for line in contents["slots.csv"].splitlines()[1:]}
    assert told == {str(month.disks[name].pk) for name in ("broken", "framed")}
    report = checked(contents)
    assert report.problems == []
    assert "minutes of 2 disks make the same hours" in " ".join(report.checked)
    assert b"of 2 of 4 disks" in contents["README.txt"]
