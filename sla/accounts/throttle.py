"""Is somebody guessing? Failures are counted by address and by account; success is never counted and never slowed.

So a fleet of good agents behind one address, or an office that logs in on Monday morning, meets no limit. A secret that
is right is let in whatever happened before; only for passwords, which people choose, is the door closed for a while.
"""

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.cache import cache

from sla.accounts.address import neighbourhood


@dataclass(frozen=True, slots=True)
class Limit:
    """So many failures within so many seconds; counting begins anew with each such span."""

    failures: int
    span_s: int


# Passwords have 12 characters at least: a hundred guesses in a quarter of an hour find none, and a person who has
# forgotten which one it was needs fewer than ten. The narrow limit is by account *and* address: a stranger cannot lock
# somebody out of an account from elsewhere. By account alone: guesses from many addresses at once.
PASSWORD_HERE = Limit(10, 900)
PASSWORD_ACCOUNT = Limit(100, 900)
PASSWORD_ADDRESS = Limit(100, 900)
# Tokens and keys are 256 random bits: guessing is hopeless, and what is bounded is the noise. Different wrong ones are
# counted: an agent that repeats the one it had before a restore is no guesser.
SECRET_ADDRESS = Limit(100, 300)


def _key(kind: str, who: str, span_s: int, now: float) -> str:
    digest = hashlib.sha256(f"{kind}\0{who}".encode()).hexdigest()[:32]
    return f"failures:{digest}:{int(now // span_s)}"


def left(span_s: int, now: float) -> int:
    """Seconds until counting begins anew."""
    return max(1, int(span_s - now % span_s))


def counted(key: str, span_s: int) -> int:
    """One more under this key of the cache, which is forgotten after span_s; how many there are."""
    try:
        return 1 if cache.add(key, 1, span_s) else int(cache.incr(key))
    except ValueError:  # it expired between the two
        return 1


def _count(kind: str, who: str, limit: Limit, now: float) -> int | None:
    """One more failure; the seconds to wait where that is over the limit."""
    count = counted(_key(kind, who, limit.span_s, now), limit.span_s)
    return left(limit.span_s, now) if count > limit.failures else None


def _over(kind: str, who: str, limit: Limit, now: float) -> int | None:
    count = cache.get(_key(kind, who, limit.span_s, now), 0)
    return left(limit.span_s, now) if count >= limit.failures else None


def _doors(address: str, account: str) -> Iterator[tuple[str, str, Limit]]:
    place, name = neighbourhood(address), account.strip().casefold()
    yield "here", f"{place}\0{name}", PASSWORD_HERE
    yield "account", name, PASSWORD_ACCOUNT
    yield "address", place, PASSWORD_ADDRESS


def password_wait(address: str, account: str, now: float | None = None) -> int | None:
    """Before a password is looked at: how many seconds until this address may try this account again; None: now."""
    now = time.time() if now is None else now
    waits = [_over(f"password {kind}", who, limit, now) for kind, who, limit in _doors(address, account)]
    return max((wait for wait in waits if wait is not None), default=None)


def password_failed(address: str, account: str, now: float | None = None) -> None:
    """A password was wrong."""
    now = time.time() if now is None else now
    for kind, who, limit in _doors(address, account):
        _count(f"password {kind}", who, limit, now)


def secret_failed(kind: str, address: str, secret: str, now: float | None = None) -> int | None:
    """A token, key or link that nobody has; the seconds to wait where too many different ones came from there."""
    now = time.time() if now is None else now
    place, limit = neighbourhood(address), SECRET_ADDRESS
    if cache.add(_key(f"tried {kind}", f"{place}\0{secret}", limit.span_s, now), 1, limit.span_s):
        return _count(kind, place, limit, now)
    over = cache.get(_key(kind, place, limit.span_s, now), 0) > limit.failures
    return left(limit.span_s, now) if over else None
