"""May we connect there? Only to public addresses, and to networks that the operator has named.

A name is resolved once, every address it has is checked, and the connection goes to the address that was checked: a
name that points elsewhere a moment later (DNS rebinding) leads nowhere.
"""

import ipaddress
import socket
from collections.abc import Iterable

from sla.notifications.trouble import NotNow, Refused

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
# Carry an IPv4 address inside: what they lead to counts. NAT64 (RFC 6052).
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def checked_address(host: str, port: int, allowed: Iterable[str]) -> tuple[int, str]:
    """(address family, address) to connect to. Raises Refused where any address of the name is inside, NotNow where it
    has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise NotNow(f"{host} has no address: {error}") from error
    networks = [ipaddress.ip_network(one) for one in allowed]
    for _, _, _, _, place in found:
        if not may_reach(ipaddress.ip_address(place[0].partition("%")[0]), networks):
            raise Refused(f"{host} is {place[0]}, which is not a public address: see WEBHOOK_NETWORKS")
    family, _, _, _, place = found[0]
    return family, str(place[0])


def may_reach(address: Ip, allowed: Iterable[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    """Public, or in one of the allowed networks. What an IPv6 address wraps is what counts."""
    real = _unwrapped(address)
    if any(real in network for network in allowed if network.version == real.version):
        return True
    return real.is_global and not real.is_multicast


def _unwrapped(address: Ip) -> Ip:
    if isinstance(address, ipaddress.IPv6Address):
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inside is None and address in _NAT64:
            inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inside is not None:
            return inside
    return address
