"""Coming in: by name or mail, throttled, written down; a lost password comes back by mail; sessions can be ended."""

import re
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from sla import settings as written
from sla.accounts import throttle
from sla.accounts.models import AuditEntry, User
from sla.accounts.throttle import Limit
from tests.conftest import People

pytestmark = pytest.mark.django_db
PASSWORD = "a long password a"


def log_in(login: str, password: str, client: Client | None = None, **extra: Any) -> Any:
    return (client or Client()).post("/login", {"login": login, "password": password}, **extra)


def test_by_name_or_by_mail_and_it_is_written_down(people: People) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example")
    for login in ("a", "a@alder.example", "A@Alder.example"):
        answer = log_in(login, PASSWORD)
        assert (answer.status_code, answer["Location"]) == (302, "/home"), login
    entries = AuditEntry.objects.filter(verb="logged in")
    assert {(entry.actor, entry.customer, entry.after["address"]) for entry in entries} == {
        (people.a, people.customer_a, "127.0.0.1")
    }


def test_the_page_that_was_asked_for_comes_next_but_never_another_site(people: People) -> None:
    for wanted, got in (("/agents", "/agents"), ("https://evil.example/", "/home"), ("//evil.example", "/home")):
        answer = Client().post("/login", {"login": "a", "password": PASSWORD, "next": wanted})
        assert answer["Location"] == got


def test_a_wrong_password_a_wrong_name_and_a_closed_account_stay_outside(people: People) -> None:
    User.objects.filter(pk=people.b.pk).update(is_active=False)
    texts = []
    for login, password in (("a", "wrong"), ("nobody", PASSWORD)):
        client = Client()
        answer = log_in(login, password, client)
        assert answer.status_code == 200
        texts.append(re.search(r'role="alert">([^<]+)<', answer.content.decode())[1])  # type: ignore[index]
        assert client.get("/account").status_code == 302
    assert texts[0] == texts[1]  # it does not tell which names there are
    client = Client()
    log_in("b", "a long password b", client)
    assert client.get("/account").status_code == 302


@pytest.mark.usefixtures("throttle_stands_still")
def test_after_too_many_failures_even_the_right_one_waits_but_elsewhere_it_does_not(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "PASSWORD_HERE", Limit(3, 900))
    for _ in range(3):
        assert log_in("a", "wrong").status_code == 200
    waits = log_in("a", PASSWORD)
    assert waits.status_code == 429 and 0 < int(waits["Retry-After"]) <= 900
    assert "unsafe" not in waits["Content-Security-Policy"]
    assert log_in("a", PASSWORD, REMOTE_ADDR="198.51.100.9").status_code == 302
    assert log_in("b", "a long password b").status_code == 302


@pytest.mark.usefixtures("throttle_stands_still")
def test_good_logins_from_one_office_meet_no_limit(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "PASSWORD_ADDRESS", Limit(3, 900))
    assert {log_in("a", PASSWORD).status_code for _ in range(35)} == {302}


def test_nobody_can_sign_up(client: Client) -> None:
    for path in ("/signup", "/signup/", "/accounts/signup/", "/account/signup"):
        assert client.get(path).status_code == 404


def test_a_lost_password_comes_back_by_mail_once(people: People) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example")
    for address in ("a@alder.example", "nobody@alder.example"):
        answer = Client().post("/password/forgotten", {"email": address})
        assert (answer.status_code, answer["Location"]) == (302, "/password/sent")
    (sent,) = mail.outbox
    assert sent.to == ["a@alder.example"] and sent.subject == "Plimsoll: A new password"
    link = re.search(r"http://[^/]+(/password/new/\S+)", sent.body)[1]  # type: ignore[index]
    client = Client()
    form = client.get(link, follow=True)
    place = form.request["PATH_INFO"]
    assert form.status_code == 200 and place != link  # the secret is out of the address: it stays in no history
    weak = client.post(place, {"password1": "short", "password2": "short"})
    assert weak.status_code == 200 and "at least 12" in weak.content.decode()
    done = client.post(place, {"password1": "a quite new one 77", "password2": "a quite new one 77"})
    assert done.status_code == 302
    assert log_in("a", PASSWORD).status_code == 200
    assert log_in("a", "a quite new one 77").status_code == 302
    assert AuditEntry.objects.filter(verb="password reset by mail", customer=people.customer_a).exists()
    again = Client().get(link, follow=True).content.decode()
    assert "invalid" in again and 'name="password1"' not in again


def test_a_password_has_twelve_characters_and_is_no_common_one(people: People, client: Client) -> None:
    log_in("a", PASSWORD, client)
    User.objects.filter(pk=people.a.pk).update(email="elderberry.wine@alder.example")
    for wanted in ("short", "password1234", "elderberrywine"):
        answer = client.post("/account/password", {"oldpassword": PASSWORD, "password1": wanted, "password2": wanted})
        assert answer.status_code == 200, wanted
    assert log_in("a", PASSWORD).status_code == 302


def test_a_changed_password_ends_all_other_sessions(people: People) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        log_in("a", PASSWORD, client)
    new = "another long one 9"
    here.post("/account/password", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 302)
    assert AuditEntry.objects.filter(verb="password changed").count() == 1


def test_sessions_are_listed_and_each_can_be_ended(people: People) -> None:
    here, there, elsewhere = Client(), Client(), Client()
    log_in("a", PASSWORD, here, HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0")
    log_in("a", PASSWORD, there, HTTP_USER_AGENT="Mozilla/5.0 (iPhone) Safari/600")
    log_in("b", "a long password b", elsewhere)
    page = here.get("/account").content.decode()
    assert "Firefox, Linux" in page and "Safari, iPhone" in page
    (other,) = re.findall(r'name="id" value="(\d+)"', page)
    elsewhere.post("/account/sessions/end", {"id": other})  # somebody else's is not theirs to end
    assert there.get("/account").status_code == 200
    assert here.post("/account/sessions/end", {"id": other}).status_code == 302
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 302)
    log_in("a", PASSWORD, there)
    here.post("/account/sessions/end")
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 302)
    for wrong in ("x", "9" * 30, "-1"):
        assert here.post("/account/sessions/end", {"id": wrong}).status_code == 302


def code_of(secret: str) -> str:
    counter = next(iter(totp.yield_hotp_counters_from_time()))
    return str(totp.format_hotp_value(totp.hotp_value(secret, counter)))


def test_a_second_factor_is_asked_for_and_its_secret_is_kept_encrypted(people: People) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(people.a, secret)
    kept = Authenticator.objects.get(user=people.a, type="totp").data["secret"]
    assert secret not in kept
    client = Client()
    answer = log_in("a", PASSWORD, client)
    assert (answer.status_code, answer["Location"]) == (302, "/login/second")
    assert client.get("/account").status_code == 302  # not in yet
    assert client.post("/login/second", {"code": "000000"}).status_code == 200
    assert client.post("/login/second", {"code": code_of(secret)})["Location"] == "/home"
    assert client.get("/account").status_code == 200


def test_codes_cannot_be_guessed_on_and_on(people: People) -> None:
    totp.TOTP.activate(people.a, totp.generate_totp_secret())
    client = Client()
    log_in("a", PASSWORD, client)
    codes = [client.post("/login/second", {"code": f"{number:06}"}).status_code for number in range(7)]
    assert codes[:5] == [200] * 5 and codes[-1] == 429


def test_the_key_of_the_house_may_change(people: People, settings: Any) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(people.a, secret)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another one " * 5, [settings.SECRET_KEY]
    client = Client()
    log_in("a", PASSWORD, client)
    assert client.post("/login/second", {"code": code_of(secret)}).status_code == 302


def test_name_and_zone_are_kept_and_a_made_up_zone_is_not(people: People, client: Client) -> None:
    client.force_login(people.a)
    kept = client.post("/account", {"first_name": "Ada", "last_name": "B", "zone": "Europe/Prague"})
    assert kept.status_code == 302
    refused = client.post("/account", {"first_name": "Ada", "last_name": "B", "zone": "Europe/Atlantis"})
    assert refused.status_code == 422 and "Atlantis is no time zone" in refused.content.decode()
    people.a.refresh_from_db()
    assert (people.a.first_name, people.a.zone) == ("Ada", "Europe/Prague")


def test_passwords_are_kept_by_argon2() -> None:
    assert written.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


def test_who_lost_every_second_factor_is_let_in_by_the_machines_administrator(people: People) -> None:
    totp.TOTP.activate(people.a, totp.generate_totp_secret())
    said = StringIO()
    call_command("forget_second_factor", "a", stdout=said)
    assert "1 removed" in said.getvalue()
    assert log_in("a", PASSWORD)["Location"] == "/home"
    entry = AuditEntry.objects.get(verb="second factors removed")
    assert (entry.customer, entry.before, entry.actor) == (people.customer_a, {"types": ["totp"]}, None)
    with pytest.raises(CommandError, match="nobody of the name 'x'"):
        call_command("forget_second_factor", "x")


def test_a_mail_server_that_is_away_breaks_no_page(people: People, settings: Any) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = Client().post("/password/forgotten", {"email": "a@alder.example"}, follow=True)
    assert page.status_code == 200 and "could not be sent" in page.content.decode()
