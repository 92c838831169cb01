"""The private folder: inside the checkout where PostgreSQL can live there, else under /var/tmp."""

import os
from pathlib import Path

import pytest

from scripts import users
from scripts.problem import Problem
from scripts.services import folder as folders
from scripts.services.running import database_url
from scripts.setup import Ready


@pytest.fixture
def open_top(tmp_path):
    """A folder that every user can reach (pytest's own is closed to others)."""
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    return tmp_path


@pytest.fixture
def roomy(monkeypatch):
    """For what is not about length: wherever pytest's own folder lies."""
    monkeypatch.setattr(folders, "LONGEST_SOCKET", 4096)


def test_a_plain_checkout_keeps_its_services_inside(open_top, roomy):
    found = folders.find(open_top)
    assert found.top == open_top / "var" / "services"
    assert found.why is None


@pytest.mark.parametrize(
    ("name", "why"),
    [("with blank", "blanks"), ("it's", "quotes"), ("x" * 90, "too long for a Unix socket")],
)
def test_a_path_that_services_cannot_live_with_moves_them_to_var_tmp(open_top, name, why):
    checkout = open_top / name
    checkout.mkdir()
    found = folders.find(checkout)
    assert why in found.why
    assert found.top == folders.outside(checkout)
    assert found.top != folders.outside(open_top)
    assert len(os.fsencode(found.sockets / folders.SOCKET)) <= folders.LONGEST_SOCKET


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")
def test_a_checkout_closed_to_the_database_user_moves_its_services(open_top, roomy):
    closed = open_top / "closed"
    closed.mkdir(mode=0o700)
    assert users.service_user() in folders.find(closed).why


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path):
    top = tmp_path / "services"
    top.mkdir()
    os.chown(top, 65534, 65534)
    with pytest.raises(Problem, match="not a folder of this user alone"):
        folders.make(folders.Folder(top, None))


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_folder_that_others_may_write_to_is_refused(tmp_path, mode):
    top = tmp_path / "services"
    top.mkdir()
    top.chmod(mode)
    with pytest.raises(Problem, match=str(top)):
        folders.make(folders.Folder(top, None))


def test_a_benchmark_has_a_database_of_its_own_on_whichever_server():
    for url, other in (
        ("postgres://plimsoll@/plimsoll?host=/a/run", "postgres://plimsoll@/plimsoll_bench?host=/a/run"),
        (
            "postgres://u:p%40@db.example:5433/sla?sslmode=require",
            "postgres://u:p%40@db.example:5433/b?sslmode=require",
        ),
    ):
        assert Ready(url, "", None, None).with_database(other.split("/")[3].split("?")[0]) == other


def test_the_address_of_the_database_means_the_same_to_django_and_to_libpq():
    import environ
    import psycopg

    url = database_url(folders.Folder(Path("/var/tmp/a-b_c/services"), None), "plimsoll")  # noqa: S108
    django = environ.Env.db_url_config(url)
    libpq = psycopg.conninfo.conninfo_to_dict(url)
    assert django["NAME"] == libpq["dbname"] == "plimsoll"
    assert django["USER"] == libpq["user"] == "plimsoll"
    assert django["OPTIONS"]["host"] == libpq["host"] == "/var/tmp/a-b_c/services/run"  # noqa: S108
