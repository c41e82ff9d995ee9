"""The cipher and the exchange of its secret."""

from __future__ import annotations

import contextlib
import warnings

import pytest

from protocol.encryption import ServerKey, StreamCipher, new_secret, seal, server_hash


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Notch", "4ed1f46bbe04bc756bcb17c0c7ce3e4632f06a48"),
        ("jeb_", "-7c9d5b0044c130109a5d7b5fb5c317c02b4e28c1"),
        ("simon", "88e16a1019277b15d58faf0541e11910eb756f6"),
    ],
)
def test_the_server_hash_is_a_signed_number(name: str, expected: str) -> None:
    assert server_hash(name, b"", b"") == expected


def test_cfb8_gives_the_bytes_of_its_standard() -> None:
    # NIST SP 800-38A: the first byte is the first of AES(vector) xor the plaintext. Key and vector are the
    # same here, so no published example fits.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    secret = bytes(range(16))
    block = Cipher(algorithms.AES(secret), modes.ECB()).encryptor().update(secret)
    assert StreamCipher(secret).encrypt(b"\x01") == bytes((block[0] ^ 1,))


def test_both_ends_of_a_link_understand_each_other_piece_by_piece() -> None:
    secret = new_secret()
    near, far = StreamCipher(secret), StreamCipher(secret)
    data = bytes(range(256)) * 3
    there = b"".join(near.encrypt(data[start : start + 7]) for start in range(0, len(data), 7))
    assert there != data
    assert b"".join(far.decrypt(there[start : start + 11]) for start in range(0, len(there), 11)) == data


def test_the_cipher_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StreamCipher(new_secret()).encrypt(b"x")


def test_a_sealed_secret_opens_with_the_servers_key_only() -> None:
    key = ServerKey()
    sealed_secret, sealed_token = seal(key.public, b"s" * 16, b"tokn")
    assert key.open(sealed_secret) == b"s" * 16
    assert key.open(sealed_token) == b"tokn"
    other = ServerKey()
    with contextlib.suppress(ValueError):
        assert other.open(sealed_secret) != b"s" * 16


def test_what_is_no_key_is_refused() -> None:
    with pytest.raises(ValueError, match="no public key"):
        seal(b"nonsense", b"x")
