"""Microsoft's, Xbox's and Minecraft's services in miniature, over HTTP on a real socket.

Each address answers as its documentation says; the attributes decide how. Everything asked is kept, so that
tests can see what was sent, and what was not.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from protocol.accounts import Services

PLAYER = "5627dd98e6be3c21b8a8e92344183641"
CLIENT_ID = "11111111-2222-3333-4444-555555555555"


@functools.cache
def key_pair(size: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=size)


@functools.cache
def certificate(expires_at: str, refreshed_after: str, size: int = 2048) -> dict[str, Any]:
    """What the service for certificates sends."""
    private = key_pair(size)
    secret = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def pem(kind: str, der: bytes) -> str:
        lines = base64.encodebytes(der).decode()
        return f"-----BEGIN RSA {kind} KEY-----\n{lines}-----END RSA {kind} KEY-----\n"

    return {
        "keyPair": {"privateKey": pem("PRIVATE", secret), "publicKey": pem("PUBLIC", public)},
        "publicKeySignature": base64.b64encode(b"old").decode(),
        "publicKeySignatureV2": base64.b64encode(b"certified" * 56).decode(),
        "expiresAt": expires_at,
        "refreshedAfter": refreshed_after,
    }


class AccountServices:
    """All services under one address."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str]] = []
        #: Answers to come instead of the usual ones, by path: (status, data).
        self.instead: dict[str, list[tuple[int, Any]]] = {}
        #: How often a person has not entered the code yet.
        self.pending = 2
        self.lasts_s = 900
        self.interval_s = 5
        self.refresh_token = "refresh-1"
        self.minecraft_token = "minecraft-1"
        #: The server's hash that the player has last joined.
        self.joined = ""
        self.certificate = certificate("2100-01-02T00:00:00.123456789Z", "2100-01-01T00:00:00Z")

    @property
    def paths(self) -> list[str]:
        return [path for path, _, _ in self.asked]

    def body_of(self, path: str) -> dict[str, Any]:
        """What was last asked at `path`."""
        return next(body for asked, body, _ in reversed(self.asked) if asked == path)

    def answer(self, path: str, body: dict[str, Any], authorization: str) -> tuple[int, Any]:
        if self.instead.get(path):
            return self.instead[path].pop(0)
        if path.startswith("/session/session/minecraft/hasJoined?"):
            asked = parse_qs(path.partition("?")[2])
            known = asked["username"] == ["Tester"] and asked["serverId"] == [self.joined]
            return (200, {"id": PLAYER, "name": "Tester", "properties": []}) if known else (204, None)
        match path:
            case "/oauth/devicecode":
                return 200, {
                    "device_code": "secret-device",
                    "user_code": "ABCD-EFGH",
                    "verification_uri": "https://www.microsoft.com/link",
                    "expires_in": self.lasts_s,
                    "interval": self.interval_s,
                }
            case "/oauth/token":
                return self.token(body)
            case "/xbox/user/authenticate":
                good = body["Properties"]["RpsTicket"] == "d=microsoft-1"
                return (200, {"Token": "xbox-1"}) if good else (400, {})
            case "/xsts/xsts/authorize":
                good = body["Properties"]["UserTokens"] == ["xbox-1"]
                claims = {"xui": [{"uhs": "hash"}]}
                return (200, {"Token": "xsts-1", "DisplayClaims": claims}) if good else (401, {})
            case "/minecraft/authentication/login_with_xbox":
                good = body["identityToken"] == "XBL3.0 x=hash;xsts-1"
                token = {"access_token": self.minecraft_token, "expires_in": 86400}
                return (200, token) if good else (401, {})
        if path == "/session/session/minecraft/join":
            good = body["accessToken"] == self.minecraft_token and body["selectedProfile"] == PLAYER
            self.joined = body["serverId"] if good else ""
        else:
            good = authorization == f"Bearer {self.minecraft_token}"
        if not good:
            return 401, {"errorMessage": "Invalid token"}
        return {
            "/minecraft/minecraft/profile": (200, {"id": PLAYER, "name": "Tester"}),
            "/minecraft/entitlements/mcstore": (200, {"items": []}),
            "/minecraft/player/certificates": (200, self.certificate),
            "/session/session/minecraft/join": (204, None),
        }[path]

    def token(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["client_id"] != CLIENT_ID:
            return 400, {"error": "unauthorized_client"}
        if body["grant_type"] == "refresh_token":
            if body["refresh_token"] != self.refresh_token:
                return 400, {"error": "invalid_grant"}
            self.refresh_token = f"refresh-{int(self.refresh_token[8:]) + 1}"
        elif self.pending:
            self.pending -= 1
            return 400, {"error": "authorization_pending"}
        return 200, {"access_token": "microsoft-1", "refresh_token": self.refresh_token, "expires_in": 3600}

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers: Mapping[str, str] = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        path = first.split()[1]
        if headers.get("content-type", "").startswith("application/json"):
            body = json.loads(content)
        else:
            body = {key: values[0] for key, values in parse_qs(content.decode()).items()}
        self.asked.append((path, body, headers.get("authorization", "")))
        status, data = self.answer(path, body, headers.get("authorization", ""))
        answer = b"" if data is None else json.dumps(data).encode()
        extra = "Retry-After: 30\r\n" if status == 429 else ""
        writer.write(f"HTTP/1.1 {status} X\r\n{extra}Content-Length: {len(answer)}\r\n\r\n".encode() + answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def account_services() -> AsyncIterator[tuple[AccountServices, Services]]:
    stand_in = AccountServices()
    listening = await asyncio.start_server(stand_in.talk, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield (
            stand_in,
            Services(
                microsoft=f"{base}/oauth",
                xbox=f"{base}/xbox",
                xsts=f"{base}/xsts",
                minecraft=f"{base}/minecraft",
                session=f"{base}/session",
            ),
        )
    finally:
        listening.close()
