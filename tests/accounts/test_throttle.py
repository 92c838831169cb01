"""Failures are counted, success is not; by address and account; and the counts end."""

from typing import Any

import pytest

from sla.accounts.throttle import PASSWORD_HERE, SECRET_ADDRESS, password_failed, password_wait, secret_failed

HOME, AWAY, T0 = "198.51.100.1", "203.0.113.7", 1_800_000_000.0 // 900 * 900


def test_a_password_may_be_tried_ten_times_from_one_place() -> None:
    for _ in range(PASSWORD_HERE.failures):
        assert password_wait(HOME, "ada", T0) is None
        password_failed(HOME, "ada", T0)
    assert password_wait(HOME, "Ada ", T0 + 100) == 800
    assert password_wait(HOME, "ada", T0 + 900) is None


def test_a_stranger_cannot_lock_somebody_out_from_elsewhere() -> None:
    for _ in range(PASSWORD_HERE.failures):
        password_failed(AWAY, "ada", T0)
    assert password_wait(AWAY, "ada", T0) and password_wait(HOME, "ada", T0) is None


def test_one_place_that_tries_many_accounts_has_to_wait() -> None:
    for number in range(100):
        password_failed(HOME, f"person-{number}", T0)
    assert password_wait(HOME, "somebody else", T0)
    assert password_wait(AWAY, "somebody else", T0) is None


def test_one_account_tried_from_many_places_has_to_wait() -> None:
    for number in range(100):
        password_failed(f"192.0.2.{number}", "ada", T0)
    assert password_wait(AWAY, "ada", T0)


def test_different_wrong_secrets_are_counted_and_the_same_one_again_is_not() -> None:
    for _ in range(3 * SECRET_ADDRESS.failures):
        assert secret_failed("agent token", HOME, "the one before the restore", T0) is None
    waits = [secret_failed("agent token", HOME, f"guess {number}", T0) for number in range(SECRET_ADDRESS.failures)]
    assert waits[:-1] == [None] * (SECRET_ADDRESS.failures - 1) and waits[-1] == 300
    assert secret_failed("agent token", AWAY, "guess", T0) is None
    assert secret_failed("agent token", HOME, "guess", T0 + 300) is None


def test_without_redis_nobody_is_kept_out(settings: Any) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}}
    assert password_wait(HOME, "ada") is None
    password_failed(HOME, "ada")
    assert secret_failed("agent token", HOME, "guess") is None


@pytest.mark.parametrize("kind", ["API token", "enrolment key"])
def test_each_kind_of_secret_is_counted_apart(kind: str) -> None:
    for number in range(SECRET_ADDRESS.failures + 1):
        secret_failed(kind, HOME, f"guess {number}", T0)
    assert secret_failed("agent token", HOME, "guess", T0) is None
