"""How do addresses that are secrets lie in the database? Encrypted with a key made from SECRET_KEY.

A copy of the database alone (a dump, a replica) opens none of them. Old keys in SECRET_KEY_FALLBACKS still open.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class CannotOpen(ValueError):
    """Sealed with a key that is not known any more."""


def _box() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    derived = (HKDF(SHA256(), 32, salt=None, info=b"plimsoll notifications").derive(key.encode()) for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(one)) for one in derived])


def seal(text: str) -> bytes:
    return _box().encrypt(text.encode())


def unseal(sealed: bytes) -> str:
    """Raises CannotOpen."""
    try:
        return _box().decrypt(bytes(sealed)).decode()
    except InvalidToken as error:
        raise CannotOpen("sealed with another SECRET_KEY: enter the address again") from error
