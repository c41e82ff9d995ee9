"""The cipher of a connection and the exchange of its secret (protocol 767).

The server sends an RSA key, the client answers with sixteen secret bytes under it, and from then on both
directions are AES-128 in CFB8 with the secret as key and as first vector. CFB8 is old-fashioned and encrypts
byte by byte: it is the ceiling of an encrypted link, at some 38 MB/s.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

try:  # cryptography moves this mode out of the way of new designs; older versions have the old place only
    from cryptography.hazmat.decrepit.ciphers.modes import CFB8
except ImportError:
    from cryptography.hazmat.primitives.ciphers.modes import CFB8


class StreamCipher:
    """Both directions of one connection."""

    def __init__(self, secret: bytes) -> None:
        cipher = Cipher(algorithms.AES(secret), CFB8(secret))
        self.encrypt = cipher.encryptor().update
        self.decrypt = cipher.decryptor().update


def new_secret() -> bytes:
    """Sixteen random bytes."""
    return os.urandom(16)


def seal(public_key: bytes, *values: bytes) -> list[bytes]:
    """Encrypt each value for the holder of `public_key` (DER). Raises ValueError when that is no RSA key."""
    try:
        key = load_der_public_key(public_key)
    except Exception as error:
        raise ValueError("what it sent is no public key") from error
    if not isinstance(key, rsa.RSAPublicKey):
        raise ValueError("not an RSA key")
    return [key.encrypt(value, padding.PKCS1v15()) for value in values]


def server_hash(server_id: str, secret: bytes, public_key: bytes) -> str:
    """The name under which client and server meet at the session service.

    It is SHA-1 read as a signed number, in hexadecimal with a minus sign and without leading zeros.
    """
    digest = hashlib.sha1(server_id.encode("latin-1") + secret + public_key).digest()
    return f"{int.from_bytes(digest, 'big', signed=True):x}"


class ServerKey:
    """A server's RSA key pair."""

    def __init__(self) -> None:
        self._private: Any = rsa.generate_private_key(public_exponent=65537, key_size=1024)
        self.public = self._private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt what a client sealed. Raises ValueError when it was not sealed for this key."""
        return bytes(self._private.decrypt(sealed, padding.PKCS1v15()))
