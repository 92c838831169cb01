"""From where does a request come? The address of the client, through as many proxies as we put there ourselves."""

import ipaddress
from collections.abc import Iterable

from django.conf import settings
from django.http import HttpRequest

NOWHERE = "0.0.0.0"  # noqa: S104  (a Unix socket, or a request that no server made)
# A home or a server is given a /64 at least: one address of it is as good as any other.
IPV6_PREFIX = 64


def client_address(request: HttpRequest) -> str:
    """The peer's address; behind N proxies of ours, what the outermost of them saw. The rest is hearsay."""
    seen = request.META.get("REMOTE_ADDR", "")
    if proxies := settings.TRUSTED_PROXIES:
        told = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
        if len(told) >= proxies:
            seen = told[-proxies]
    return _plain(seen)


def _plain(text: str) -> str:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return NOWHERE
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def neighbourhood(address: str) -> str:
    """What failures are counted by: an IPv4 address, a /64 of IPv6."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address}/{IPV6_PREFIX}", strict=False).network_address)


def parse_networks(text: str) -> list[str]:
    """'10.0.0.0/8, 2001:db8::/32' as canonical CIDRs; ValueError names the word that is none."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            found.append(str(ipaddress.ip_network(word)))
        except ValueError as error:
            raise ValueError(f"{word[:60]} is no network: {error}") from error
    return found


def within(address: str, networks: Iterable[str]) -> bool:
    """Is the address in one of them? With none given, it always is."""
    networks = list(networks)
    parsed = ipaddress.ip_address(address)
    return not networks or any(parsed in ipaddress.ip_network(network) for network in networks)
