"""Who signs? Ed25519 keys: made, kept sealed or in a file of the operator's, rotated, and never forgotten."""

import base64
import hashlib
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.services import record
from sla.reports.models import SigningKey

NAME_LENGTH = 16


class NoKey(RuntimeError):
    """Nothing can be signed; the message says what to do."""


def name_of(public: bytes) -> str:
    """What a public key is called."""
    return hashlib.sha256(public).hexdigest()[:NAME_LENGTH]


def raw(public: Ed25519PublicKey) -> bytes:
    """32 bytes."""
    return public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def pem(key: SigningKey) -> bytes:
    """The public half as other programs read it."""
    public = Ed25519PublicKey.from_public_bytes(bytes(key.public))
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def signer() -> tuple[SigningKey, Ed25519PrivateKey]:
    """The key that signs now: the file's where STATEMENT_KEY_FILE names one, else the newest of the table's."""
    if settings.STATEMENT_KEY_FILE:
        return _from_file(Path(settings.STATEMENT_KEY_FILE))
    key = SigningKey.objects.filter(retired_at=None).exclude(sealed=None).first()
    if key is None:
        key = rotate()
    return key, _opened(key)


def _from_file(path: Path) -> tuple[SigningKey, Ed25519PrivateKey]:
    try:
        private = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise NoKey(f"STATEMENT_KEY_FILE {path}: {error}; make one: openssl genpkey -algorithm ed25519") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise NoKey(f"STATEMENT_KEY_FILE {path} holds a key of another kind: openssl genpkey -algorithm ed25519")
    public = raw(private.public_key())
    key, _ = SigningKey.objects.get_or_create(name=name_of(public), defaults={"public": public})
    return key, private


def _opened(key: SigningKey) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(_fernet().decrypt(bytes(key.sealed or b"")))
    except InvalidToken as error:
        raise NoKey(
            f"signing key {key.name} cannot be opened: SECRET_KEY is another one than when it was made. "
            "Put the old SECRET_KEY back, or run: manage.py statement_keys --rotate"
        ) from error


def _fernet() -> Fernet:
    derived = HKDF(hashes.SHA256(), 32, salt=None, info=b"plimsoll statement keys").derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


@transaction.atomic
def rotate(*, actor: User | None = None) -> SigningKey:
    """A new key signs from now on; what older ones signed stays verifiable by their public halves."""
    if settings.STATEMENT_KEY_FILE:
        raise NoKey("keys come from STATEMENT_KEY_FILE: to rotate, put a new key into the file")
    before = list(SigningKey.objects.select_for_update().filter(retired_at=None))
    private = Ed25519PrivateKey.generate()
    public = raw(private.public_key())
    SigningKey.objects.filter(pk__in=[key.pk for key in before]).update(retired_at=timezone.now())
    key = SigningKey.objects.create(
        name=name_of(public), public=public, sealed=_fernet().encrypt(private.private_bytes_raw())
    )
    record(
        verb="signing key rotated",
        object_label=key.name,
        actor=actor,
        before={"keys": [old.name for old in before]} if before else None,
        after={"key": key.name},
    )
    return key


def signed_by(key: SigningKey, signature: bytes, data: bytes) -> bool:
    """Did this key sign these bytes?"""
    try:
        Ed25519PublicKey.from_public_bytes(bytes(key.public)).verify(signature, data)
    except InvalidSignature:
        return False
    return True
