"""Access tokens for a Google service account (RFC 7523: a signed statement is exchanged for a token)."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numen.llm.errors import BadKey, Unreachable

if TYPE_CHECKING:
    import httpx

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LIFE_S = 3_600
EARLY_S = 120
"""A token is renewed this long before it ends."""


class ServiceAccount:
    """The holder of a key file as Google hands it out."""

    def __init__(self, key_file: str, now: Callable[[], float] = time.time) -> None:
        """`key_file` is the text of the file. Raises ValueError, without quoting it, when it is none."""
        try:
            given: Any = json.loads(key_file)
            self._email, self._uri = str(given["client_email"]), str(given["token_uri"])
            self._key = str(given["private_key"])
            self.project = str(given.get("project_id", ""))
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                "llm.api_key is no service account: client_email, private_key or token_uri is missing"
            ) from None
        self._now = now
        self._token = ""
        self._ends = 0.0
        self._kept = False

    async def token(self, client: httpx.AsyncClient, label: str) -> str:
        """A token that is good for some minutes at least. Raises BadKey and Unreachable."""
        self._kept = self._now() < self._ends - EARLY_S
        if not self._kept:
            await self._renew(client, label)
        return self._token

    def forget(self) -> bool:
        """The last token was refused; True when another may do better."""
        self._ends = 0.0
        return self._kept

    def secrets(self) -> list[str]:
        return [self._token]

    async def _renew(self, client: httpx.AsyncClient, label: str) -> None:
        import httpx

        try:
            assertion = self._assertion()
        except (ValueError, TypeError) as error:
            raise BadKey(label, f"the private key of {self._email} cannot be used: {error}") from None
        try:
            answer = await client.post(
                self._uri,
                data={"grant_type": GRANT, "assertion": assertion},
                headers={"content-type": "application/x-www-form-urlencoded", "accept": "application/json"},
                timeout=30.0,
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise Unreachable(label, f"no token from {self._uri}: {error or type(error).__name__}") from None
        try:
            given: Any = answer.json()
            self._token = str(given["access_token"])
            self._ends = self._now() + float(given.get("expires_in", LIFE_S))
        except (ValueError, KeyError, TypeError):
            raise BadKey(label, f"no token from {self._uri}: HTTP {answer.status_code}") from None

    def _assertion(self) -> str:
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

        key = serialization.load_pem_private_key(self._key.encode(), None)
        if not isinstance(key, RSAPrivateKey):
            raise ValueError("not an RSA key")
        begun = int(self._now())
        claims = {
            "iss": self._email,
            "scope": SCOPE,
            "aud": self._uri,
            "iat": begun,
            "exp": begun + LIFE_S,
        }
        signed = f"{_part({'alg': 'RS256', 'typ': 'JWT'})}.{_part(claims)}"
        signature = key.sign(signed.encode(), PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_base64(signature)}"


def _part(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
