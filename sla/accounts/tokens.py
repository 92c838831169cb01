"""Which secret is this? Bearer tokens are random, shown once, and kept only as their SHA-256.

256 random bits need no slow hash: guessing one is hopeless, and ingest looks a token up on every request.
"""

import hashlib
import secrets


def make_token(kind: str) -> tuple[str, bytes]:
    """A new token `plimsoll_KIND_…` and the hash to keep."""
    token = f"plimsoll_{kind}_{secrets.token_urlsafe(32)}"
    return token, hash_token(token)


def hash_token(token: str) -> bytes:
    """32 bytes; what the database keeps and looks up."""
    return hashlib.sha256(token.encode()).digest()


def bearer(header: str | None) -> str | None:
    """The token of an `Authorization: Bearer …` header, or None."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
