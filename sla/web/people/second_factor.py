"""How are second factors kept? Encrypted by a key made from SECRET_KEY: a copy of the database opens nothing."""

import base64
import hashlib

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def _key(secret: str) -> Fernet:
    """Fernet wants 32 bytes; SECRET_KEY is as random as it is long."""
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"second factor\0" + secret.encode()).digest()))


class SecondFactorAdapter(DefaultMFAAdapter):
    """Encrypts by SECRET_KEY, and still reads what older ones (SECRET_KEY_FALLBACKS) wrote."""

    def _keys(self) -> MultiFernet:
        return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])

    def encrypt(self, text: str) -> str:
        return self._keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return self._keys().decrypt(encrypted_text.encode()).decode()

    def get_totp_issuer(self) -> str:
        return "Plimsoll"

    def _get_site_name(self) -> str:
        return "Plimsoll"
