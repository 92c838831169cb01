"""The first run makes what is needed once, keeps it private, and follows the port."""

import json
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from sla.accounts.models import ApiToken, User
from sla.accounts.selectors import token_user
from sla.fleet.models import EnrolmentKey

pytestmark = pytest.mark.django_db


def first_run(path: Path, url: str = "http://127.0.0.1:8000") -> dict[str, str]:
    call_command("first_run", file=path, url=url, stdout=StringIO())
    return json.loads(path.read_text())


def test_what_it_writes_opens_the_doors_and_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "first-run.json"
    first = first_run(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert authenticate(username=first["user"], password=first["password"]).is_noc
    assert token_user(first["api_token"], ApiToken.objects.get().created_at).username == first["user"]
    assert first["enrolment_key"].startswith("plimsoll_enrol_")


def test_a_second_run_changes_nothing_but_the_port(tmp_path: Path) -> None:
    path = tmp_path / "first-run.json"
    first = first_run(path)
    assert first_run(path) == first
    assert first_run(path, "http://127.0.0.1:8100") == {**first, "url": "http://127.0.0.1:8100"}
    assert (User.objects.count(), ApiToken.objects.count(), EnrolmentKey.objects.count()) == (1, 1, 1)


def test_a_lost_file_means_a_new_password_for_the_same_person(tmp_path: Path) -> None:
    path = tmp_path / "first-run.json"
    first = first_run(path)
    path.unlink()
    again = first_run(path)
    assert authenticate(username=again["user"], password=again["password"]) is not None
    assert authenticate(username=first["user"], password=first["password"]) is None
    assert User.objects.count() == 1
