"""The key pair that a Minecraft account signs chat with, certified for a day or two."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_der_public_key


@dataclass(frozen=True)
class PlayerKeys:
    """One certified key pair. Times are in milliseconds since 1970."""

    private: rsa.RSAPrivateKey = field(repr=False, compare=False)
    #: X.509, as servers want it.
    public: bytes = field(repr=False)
    #: The account service's signature over the owner's UUID, the expiry and the public key.
    certificate: bytes = field(repr=False)
    expires_at: int
    #: From here on a new pair should be had.
    refresh_after: int

    @classmethod
    def from_json(cls, data: Any) -> PlayerKeys:
        """Read what the account service sends. Raises ValueError for what is no such thing."""
        try:
            pair = data["keyPair"]
            private = load_der_private_key(_der(pair["privateKey"]), password=None)
            public = _der(pair["publicKey"])
            load_der_public_key(public)
            certificate = base64.b64decode(data["publicKeySignatureV2"])
            times = (_milliseconds(data["expiresAt"]), _milliseconds(data["refreshedAfter"]))
        except Exception:
            raise ValueError("the player's certificate can't be read") from None  # without what it holds
        if not isinstance(private, rsa.RSAPrivateKey) or private.key_size != 2048:
            raise ValueError("the player's key is no RSA key of 2048 bits")
        return cls(private, public, certificate, *times)

    def sign(self, data: bytes) -> bytes:
        """256 bytes of RSA over SHA-256."""
        return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())


def _der(pem: str) -> bytes:
    # The headings say RSA PRIVATE KEY and RSA PUBLIC KEY, and what is inside is PKCS #8 and X.509.
    return base64.b64decode(re.sub("-----[A-Z ]+-----", "", pem))


def _milliseconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)
