"""The environment that the processes of a checkout get, and what a bare manage.py finds of it."""

import stat

import pytest

from scripts import environment, paths


@pytest.fixture
def var(tmp_path, monkeypatch):
    """A `var/` of this test's own, and a caller who has set nothing."""
    monkeypatch.setattr(paths, "VAR", tmp_path)
    for name in ("SECRET_KEY", "SECRET_KEY_FILE", "BROKER_URL", "BASE_URL", "WEB_WORKERS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_socket_of_redis_is_spelled_as_celery_wants_it_and_keeps_its_database():
    assert environment.broker_url("unix:///a/run/redis.sock?db=1") == "redis+socket:///a/run/redis.sock?virtual_host=1"
    assert environment.broker_url("rediss://u:p@h:6380/2") == "rediss://u:p@h:6380/2"


def test_a_secret_key_is_made_once_and_is_the_owners_alone(var):
    first = environment.secret_key_file()
    text = first.read_text()
    assert len(text.strip()) >= 50
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert environment.secret_key_file().read_text() == text


def test_the_callers_own_settings_win(var, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "mine")
    monkeypatch.setenv("WEB_WORKERS", "3")
    env = environment.environment("postgres://a/b", "redis://c/0", port=8123)
    assert "SECRET_KEY_FILE" not in env
    assert env["WEB_WORKERS"] == "3"
    assert env["BASE_URL"] == "http://127.0.0.1:8123"
    assert env["PATH"].split(":")[0] == str(paths.VENV / "bin")


def test_what_was_chosen_is_written_for_manage_py_and_read_by_the_owner_only(var):
    environment.write_env(environment.environment("postgres://r@/d?host=/a/run", "redis://c/0", port=8123))
    written = var / "env"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert dict(line.split("=", 1) for line in written.read_text().splitlines()) == {
        "DATABASE_URL": "postgres://r@/d?host=/a/run",
        "REDIS_URL": "redis://c/0",
        "BROKER_URL": "redis://c/0",
        "SECRET_KEY_FILE": str(var / "secret-key"),
        "BASE_URL": "http://127.0.0.1:8123",
    }
