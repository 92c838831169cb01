"""What every test may ask for: the four people, a machine that is let in, and a way to call the API."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from sla.accounts import throttle
from sla.accounts.models import Customer, Membership, User
from sla.accounts.services import issue_api_token
from sla.contracts.services import ensure_default_contract
from sla.fleet.services import issue_enrolment_key


@dataclass(frozen=True)
class People:
    """NOC, a person of customer A, one of customer B, and a stranger without any customer."""

    noc: User
    a: User
    b: User
    stranger: User
    customer_a: Customer
    customer_b: Customer


@pytest.fixture(autouse=True)
def counts_of_its_own(settings: Any) -> None:
    """What a test counts in Redis (failed logins, wrong tokens) is no other test's."""
    mine = {**settings.CACHES["default"], "KEY_PREFIX": f"test-{uuid.uuid4().hex}"}
    settings.CACHES = {"default": mine}


@pytest.fixture
def throttle_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures are counted by spans of time: none of them ends while a test counts."""
    monkeypatch.setattr(throttle, "time", SimpleNamespace(time=lambda: 1_800_000_050.0))


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Argon2 is slow by design, and every test makes four people."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def people(db: None) -> People:
    customer_a, customer_b = (Customer.objects.create(name=name) for name in ("Alder", "Birch"))
    noc = User.objects.create_user("noc", password="a long password 1", noc_role=User.NocRole.ADMIN)
    a, b, stranger = (User.objects.create_user(name, password=f"a long password {name}") for name in ("a", "b", "s"))
    Membership.objects.create(user=a, customer=customer_a)
    Membership.objects.create(user=b, customer=customer_b)
    ensure_default_contract()
    return People(noc, a, b, stranger, customer_a, customer_b)


class Api:
    """The API as one caller sees it."""

    def __init__(self, token: str | None) -> None:
        self.client, self.token = Client(), token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The response; `.json()` has its content."""
        if self.token:
            headers.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        return self.client.generic(method, path, body or b"", content_type="application/json", **headers)

    def get(self, path: str) -> Any:
        return self.call("GET", path)


@pytest.fixture
def api_of(people: People) -> Callable[[User | None], Api]:
    """The API for a person (None: nobody)."""

    def make(user: User | None) -> Api:
        return Api(issue_api_token(user=user, name="test", scopes=["read", "write"]) if user else None)

    return make


@pytest.fixture
def key_a(people: People) -> str:
    """An enrolment key of customer A with three uses."""
    return issue_enrolment_key(customer=people.customer_a, name="test", uses=3, lifetime=timedelta(days=1))
