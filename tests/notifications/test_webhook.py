"""Signed, once, to a checked address, and no further."""

import hashlib
import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.notifications import webhook
from sla.notifications.deliver import deliver
from sla.notifications.models import Channel, Notice
from sla.notifications.outside import checked_address, may_reach
from sla.notifications.sealed import CannotOpen, unseal
from sla.notifications.services import Refused as NotUsable
from sla.notifications.services import add_channel, remove_channel, send_test
from sla.notifications.trouble import NotNow, Refused
from tests.conftest import People
from tests.notifications.conftest import Clock, MakeDisks, notices, opened
from tests.notifications.hooks import Receiver, receiving

State = Notice.State


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    with receiving(Receiver()) as made:
        yield made


def post(receiver: Receiver) -> None:
    webhook.post(webhook.Target(receiver.url, "a secret"), b'{"a": 1}', "delivery-1")


def test_who_has_the_secret_can_check_who_sent_it_and_when(receiver: Receiver) -> None:
    post(receiver)
    ((path, headers, body),) = receiver.came
    assert path == "/hook?team=1"
    signed = f"{headers['Plimsoll-Timestamp']}.".encode() + body
    assert headers["Plimsoll-Signature"] == "v1=" + hmac.new(b"a secret", signed, hashlib.sha256).hexdigest()
    assert abs(time.time() - int(headers["Plimsoll-Timestamp"])) < 5
    assert headers["Plimsoll-Delivery"] == "delivery-1"
    assert headers["Host"] == f"127.0.0.1:{receiver.port}"


def test_a_private_network_is_refused_before_a_byte_is_sent(receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_NETWORKS = ["192.0.2.0/24"]
    with pytest.raises(Refused, match="not a public address"):
        post(receiver)
    assert receiver.came == []


def test_no_redirect_is_followed(receiver: Receiver) -> None:
    with receiving(Receiver()) as inside:
        receiver.status, receiver.location = 307, inside.url
        with pytest.raises(NotNow, match="307"):
            post(receiver)
        assert inside.came == []


@pytest.mark.parametrize("slow", [{"wait_s": 3.0}, {"drip_s": 0.2}])
def test_a_receiver_that_hangs_or_drips_costs_its_time_limit(
    receiver: Receiver, slow: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "TIMEOUT_S", 1.0)
    for name, value in slow.items():
        setattr(receiver, name, value)
    begun = time.monotonic()
    with pytest.raises(NotNow):
        post(receiver)
    assert time.monotonic() - begun < 2.5


def test_the_name_is_asked_for_once_and_the_connection_goes_to_what_was_checked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    usual = socket.getaddrinfo

    def turns(host: str, port: int, *more: Any, **named: Any) -> Any:
        """Points to the receiver, and from the second time on elsewhere."""
        asked.append(host)
        return usual("127.0.0.1" if len(asked) == 1 else "192.0.2.1", port, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", turns)
    webhook.post(webhook.Target(f"http://hook.example:{receiver.port}/", "s"), b"{}", "d")
    assert asked == ["hook.example"]
    assert receiver.came[0][1]["Host"] == f"hook.example:{receiver.port}"


def test_one_address_of_several_that_lies_inside_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 443)) for ip in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(Refused, match=r"10\.0\.0\.1"):
        checked_address("both.example", 443, [])


@pytest.mark.parametrize(
    "inside",
    [
        *(
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",  # noqa: S104
            "224.0.0.1",
        ),
        *("::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:0a00:0001::", "ff02::1", "::"),
    ],
)
def test_these_are_inside(inside: str) -> None:
    assert not may_reach(ipaddress.ip_address(inside), [])


@given(inside=st.ip_addresses(v=4, network="10.0.0.0/8"))
def test_no_form_of_a_private_address_passes(inside: ipaddress.IPv4Address) -> None:
    for wrapped in (f"::ffff:{inside}", f"64:ff9b::{inside}"):
        assert not may_reach(ipaddress.ip_address(wrapped), [])
        assert may_reach(ipaddress.ip_address(wrapped), [ipaddress.ip_network("10.0.0.0/8")])


def test_public_addresses_may_be_reached() -> None:
    assert may_reach(ipaddress.ip_address("93.184.216.34"), [])
    assert may_reach(ipaddress.ip_address("2606:2800:220:1::1"), [])


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "ftp://example.com/", "https://", "https://u:p@example.com/", "javascript:alert(1)"),
        *(
            "https://example.com:99999/",
            "https://example.com/\r\nX: y",
            "https://example.com/ x",
            f"https://{'x' * 1100}",
        ),
    ],
)
def test_an_address_that_is_none_of_ours_to_call_is_refused_when_it_is_typed(url: str) -> None:
    assert webhook.refused_because(url)


@pytest.mark.django_db
def test_an_incident_reaches_the_webhook_and_a_repeat_has_the_same_name(
    readers: People, make_disks: MakeDisks, clock: Clock, receiver: Receiver, sink: Any
) -> None:
    channel, secret = add_channel(
        by=readers.a, owner=readers.a, kind="webhook", name="ours", address=receiver.url, least="page"
    )
    receiver.status = 503
    incident = opened(make_disks(1), clock.now)
    deliver()
    receiver.status = 200
    clock.on(minutes=1)
    deliver()
    (_, first, body), (_, second, again) = receiver.came
    assert body == again
    assert first["Plimsoll-Delivery"] == second["Plimsoll-Delivery"]
    said = json.loads(body)
    assert (said["type"], said["incident"]["id"]) == ("incident.opened", incident.pk)
    signed = f"{second['Plimsoll-Timestamp']}.".encode() + again
    assert second["Plimsoll-Signature"] == "v1=" + hmac.new(str(secret).encode(), signed, hashlib.sha256).hexdigest()
    assert [one.state for one in notices() if one.channel == channel] == [State.SENT]


@pytest.mark.django_db
def test_a_receiver_that_is_gone_is_given_up_and_one_that_is_down_holds_up_nobody(
    readers: People, make_disks: MakeDisks, clock: Clock, receiver: Receiver, sink: Any
) -> None:
    with receiving(Receiver(status=410)) as gone:
        for name, address in (("gone", gone.url), ("well", receiver.url)):
            add_channel(by=readers.noc, owner=None, kind="webhook", name=name, address=address, least="info")
        opened(make_disks(1), clock.now)
        deliver()
    assert {one.channel.name: one.state for one in notices() if one.channel} == {"gone": "given_up", "well": "sent"}


@pytest.mark.django_db
def test_addresses_lie_sealed_and_no_more_than_the_host_is_shown(people: People, settings: Any) -> None:
    address = "https://hooks.example.com/services/T000/secret-part"
    channel, secret = add_channel(by=people.a, owner=people.a, kind="webhook", name="x", address=address, least="page")
    stored = Channel.objects.get(pk=channel.pk)
    assert b"secret-part" not in bytes(stored.address)
    assert (stored.shown, unseal(stored.address), unseal(stored.secret)) == ("hooks.example.com", address, secret)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key, as after a rotation"
    assert unseal(stored.address) == address
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(CannotOpen, match="enter the address again"):
        unseal(stored.address)
    remove_channel(channel=stored, by=people.a)
    assert bytes(Channel.objects.get(pk=channel.pk).address) == b""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "address"),
    [
        *(
            ("apprise", f"{scheme}://127.0.0.1/x")
            for scheme in ("json", "form", "xml", "file", "dbus", "syslog", "mailto")
        ),
        ("apprise", "workflows://internal.example/x/y/z"),
        ("apprise", "tgram://123456789:abcdefg_hijklmnop/12315544/?rto=600"),
        ("apprise", "not an address"),
        ("webhook", "http://example.com/"),
    ],
)
def test_ways_that_lead_inside_or_nowhere_are_refused(people: People, kind: str, address: str) -> None:
    with pytest.raises(NotUsable):
        add_channel(by=people.a, owner=people.a, kind=kind, name="x", address=address, least="page")
    assert not Channel.objects.exists()


@pytest.mark.django_db
def test_well_known_services_are_taken_and_their_secret_is_not_shown(people: People) -> None:
    for address in (
        "tgram://123456789:abcdefg_hijklmnop/12315544/",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
        "pagerduty://an-integration-key@an-api-key",
    ):
        channel, secret = add_channel(
            by=people.noc, owner=None, kind="apprise", name="x", address=address, least="page"
        )
        assert secret is None
        assert channel.shown == address.split("://", maxsplit=1)[0] + "://…"


@pytest.mark.django_db
def test_a_message_service_is_really_called(
    readers: People, make_disks: MakeDisks, clock: Clock, receiver: Receiver, sink: Any, settings: Any
) -> None:
    settings.APPRISE_SERVICES = ["json"]  # Apprise's plain way to any host: what the operator opened, people may name
    address = f"json://127.0.0.1:{receiver.port}/x"
    channel, _ = add_channel(by=readers.noc, owner=None, kind="apprise", name="x", address=address, least="page")
    opened(make_disks(1), clock.now)
    deliver()
    ((_, _, body),) = receiver.came
    assert "is slow" in json.loads(body)["title"]
    assert [one.state for one in notices() if one.channel] == [State.SENT]
    receiver.status = 500
    send_test(person=None, channel=channel)
    deliver()
    last = notices()[-1]
    assert (last.state, last.last_error) == (State.FAILED, "json://… did not take it")
