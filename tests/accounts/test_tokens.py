"""Bearer tokens: kept as hashes, valid for a time, a scope and an active person."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sla.accounts.models import ApiToken
from sla.accounts.selectors import TokenRefused, token_user
from sla.accounts.services import issue_api_token
from sla.accounts.tokens import bearer, hash_token, make_token
from tests.conftest import People

NOW = timezone.now()


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), ("Bearer", None), ("", None), (None, None)],
)
def test_only_a_bearer_header_holds_a_token(header: str | None, token: str | None) -> None:
    assert bearer(header) == token


def test_two_tokens_are_never_alike_and_only_the_hash_is_to_be_kept() -> None:
    (one, kept), (other, _) = make_token("api"), make_token("api")
    assert one != other and kept == hash_token(one) and one.encode() not in kept


@pytest.mark.django_db
def test_the_token_in_clear_is_nowhere_in_the_database(people: People) -> None:
    token = issue_api_token(user=people.a, name="x", scopes=["read"])
    assert token.encode() not in bytes(ApiToken.objects.get().token_hash)
    assert token_user(token, NOW) == people.a


@pytest.mark.django_db
def test_a_token_ends_with_its_time_its_scope_and_its_person(people: People) -> None:
    expired = issue_api_token(user=people.a, name="old", scopes=["read"], expires_at=NOW)
    valid = issue_api_token(user=people.a, name="new", scopes=["read"], expires_at=NOW + timedelta(seconds=1))
    assert token_user(expired, NOW) is None
    assert token_user(valid, NOW) == people.a
    with pytest.raises(TokenRefused, match="needs write"):
        token_user(valid, NOW, "write")
    people.a.is_active = False
    people.a.save()
    assert token_user(valid, NOW) is None


@pytest.mark.django_db
def test_a_polling_reader_writes_its_last_use_once_a_minute(people: People) -> None:
    token = issue_api_token(user=people.a, name="poll", scopes=["read"])
    for seconds, noted in ((0, 0), (30, 0), (61, 61)):
        token_user(token, NOW + timedelta(seconds=seconds))
        assert ApiToken.objects.get().last_used_at == NOW + timedelta(seconds=noted)
