"""How does a signed document travel? With its signature, in one canonical JSON text: any changed byte shows."""

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sla.domain.statement.canonical import canonical, digest
from sla.reports.models import SigningKey, Statement


def statement_json(statement: Statement) -> bytes:
    """`statement.json`: what was signed, as it was signed."""
    data = bytes(statement.canonical)
    signature = _signature(statement.key, bytes(statement.signature), statement.digest)
    return b'{"signature":' + signature + b',"statement":' + data + b"}"


def manifest_json(manifest: dict, key: SigningKey, private: Ed25519PrivateKey) -> bytes:
    """`evidence.json`: the list of a bundle's files, signed now."""
    data = canonical(manifest)
    return b'{"manifest":' + data + b',"signature":' + _signature(key, private.sign(data), digest(data)) + b"}"


def _signature(key: SigningKey, value: bytes, fingerprint: str) -> bytes:
    return canonical(
        {
            "algorithm": "Ed25519",
            "digest": fingerprint,
            "key": key.name,
            "public": base64.b64encode(bytes(key.public)).decode(),
            "value": base64.b64encode(value).decode(),
        }
    )
