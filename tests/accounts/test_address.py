"""Where a request comes from: the peer, or what our own proxies saw; never what the client wrote into the header."""

from typing import Any

import pytest
from django.test import RequestFactory

from sla.accounts.address import NOWHERE, client_address, neighbourhood, parse_networks, within


def asked(forwarded: str | None, peer: str = "203.0.113.9") -> Any:
    headers = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded is not None else {}
    return RequestFactory().get("/", REMOTE_ADDR=peer, **headers)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "wanted"),
    [
        (0, "198.51.100.1", "203.0.113.9"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.3", "198.51.100.1"),
        (2, "198.51.100.1", "203.0.113.9"),
        (1, None, "203.0.113.9"),
        (1, "not an address", NOWHERE),
        (1, "::ffff:198.51.100.1", "198.51.100.1"),
    ],
)
def test_only_what_our_own_proxies_wrote_is_believed(
    proxies: int, forwarded: str | None, wanted: str, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert client_address(asked(forwarded)) == wanted


def test_a_unix_socket_has_no_address() -> None:
    assert client_address(asked(None, peer="")) == NOWHERE


def test_a_whole_64_of_ipv6_is_one_neighbour() -> None:
    assert neighbourhood("2001:db8:1:2:3::4") == neighbourhood("2001:db8:1:2::9") == "2001:db8:1:2::"
    assert neighbourhood("198.51.100.1") == "198.51.100.1"


def test_networks_are_read_as_people_write_them() -> None:
    assert parse_networks("10.0.0.0/8,2001:db8::/32  192.0.2.7") == ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7/32"]
    assert parse_networks(" ") == []
    with pytest.raises(ValueError, match="office"):
        parse_networks("10.0.0.0/8 office")
    with pytest.raises(ValueError, match="host bits"):
        parse_networks("10.0.0.1/8")


def test_within_a_network() -> None:
    assert within("10.2.3.4", ["192.0.2.0/24", "10.0.0.0/8"])
    assert not within("11.2.3.4", ["10.0.0.0/8"])
    assert not within("2001:db8::1", ["10.0.0.0/8"])
    assert within("11.2.3.4", [])
