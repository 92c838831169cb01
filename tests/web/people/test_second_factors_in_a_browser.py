"""Passkeys and codes with a real browser: the policy lets our own module run, and nothing of it is inline."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp

from tests.conftest import People
from tests.web.browser import Page

pytestmark = [pytest.mark.page, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
PASSWORD = "a long password a"


def with_a_key(page: Any) -> None:
    """A device with a key store, as a phone has one."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def come_in(page: Any, then: str) -> None:
    """Log in, and show once more who one is where `then` asks for it."""
    page.fill("input[name=login]", "a")
    page.fill("input[name=password]", PASSWORD)
    page.click("button.button-main")
    page.wait_for_url(f"**/account/confirm?next=*{then.rpartition('/')[2]}")
    page.fill("input[name=password]", PASSWORD)
    page.click("button.button-main")
    page.wait_for_url(f"**{then}")


def leave(page: Any) -> None:
    page.locator("#person summary").click()
    page.click("text=Log out")
    page.wait_for_url("**/login")


def test_a_passkey_is_added_and_then_logs_in_alone(people: People, open_page: Open) -> None:
    opened = open_page(None, "/login?next=/account/passkeys/add")
    page: Any = opened.page
    with_a_key(page)
    come_in(page, "/account/passkeys/add")
    page.fill("input[name=name]", "My phone")
    assert not opened.accessibility()
    page.click("text=Add it")
    page.wait_for_url("**/account/recovery-codes")
    assert Authenticator.objects.filter(user=people.a).count() == 2
    opened.go("/account")
    assert page.get_by_text("My phone").first.is_visible()
    assert not opened.accessibility()
    leave(page)
    page.click("text=Log in with a passkey")
    page.wait_for_url(lambda address: "/login" not in address)
    opened.go("/account")
    assert page.get_by_text("logs in alone").is_visible()
    assert opened.complaints == []


def test_a_cancelled_passkey_is_said_and_changes_nothing(people: People, open_page: Open) -> None:
    page: Any = open_page(None, "/login").page
    page.evaluate("""() => { navigator.credentials.get = async () => {
        throw new DOMException('no', 'NotAllowedError'); } }""")
    page.click("text=Log in with a passkey")
    alert = page.locator("[data-passkey-problem]")
    alert.wait_for(state="visible")
    assert "cancelled" in alert.inner_text()


def test_an_app_with_codes_is_set_up_and_asked_for(people: People, open_page: Open) -> None:
    opened = open_page(None, "/login?next=/account/app/add")
    page: Any = opened.page
    come_in(page, "/account/app/add")
    assert page.locator("img.qr").evaluate("image => image.naturalWidth") > 0
    assert not opened.accessibility()
    secret = page.input_value("#authenticator_secret")
    counter = next(iter(totp.yield_hotp_counters_from_time()))
    page.fill("input[name=code]", totp.format_hotp_value(totp.hotp_value(secret, counter)))
    page.click("button.button-main")
    page.wait_for_url("**/account/recovery-codes")
    assert len(page.locator("pre.codes").inner_text().split()) == 10
    code = page.locator("pre.codes").inner_text().split()[0]
    page.goto(opened.base + "/account")
    leave(page)
    page.fill("input[name=login]", "a")
    page.fill("input[name=password]", PASSWORD)
    page.click("button.button-main")
    page.wait_for_url("**/login/second")
    assert not opened.accessibility()
    page.fill("input[name=code]", code)
    page.click("button.button-main")
    page.wait_for_url(lambda address: "/login" not in address)
    assert opened.complaints == []
