"""Minecraft accounts: logging in by device code, staying logged in, and what servers and chat want of them.

The way is Microsoft -> Xbox Live -> XSTS -> Minecraft services: each token buys the next. The first is had by
a person who enters a code in a browser once; after that a refresh token does. Tokens live in one file that
only its owner can read, and never show in messages, logs or representations.

    account = Account(client_id, Path(".numen/accounts/numen.json"), prompt=show)
    await account.log_in()
    link = await connect(host, port, account.name, options=account.options(ConnectionOptions()))
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import stat
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from protocol.account_errors import AccountError, Kind
from protocol.options import ConnectionOptions
from protocol.player_keys import PlayerKeys
from protocol.web import web_client

log = logging.getLogger(__name__)

SCOPE: Final = "XboxLive.signin offline_access"
#: A token that ends sooner than this is not used any more.
MARGIN_S: Final = 300.0
REQUEST_TIMEOUT_S: Final = 20.0
#: A service that can't be reached, or has a fault of its own, is asked once more after so long.
RETRY_S: Final = 1.0

#: What XSTS has against an account, by its XErr.
_XSTS_ERRORS: Final[Mapping[int, Kind]] = {
    2148916227: "banned",
    2148916229: "child",
    2148916233: "no_xbox",
    2148916234: "no_xbox",
    2148916235: "country",
    2148916236: "adult_check",
    2148916237: "adult_check",
    2148916238: "child",
}
_OAUTH_ERRORS: Final[Mapping[str, Kind]] = {
    "authorization_declined": "declined",
    "access_denied": "declined",
    "expired_token": "code_expired",
    "bad_verification_code": "code_expired",
    "invalid_grant": "login_needed",
    "interaction_required": "login_needed",
    "invalid_client": "app_unknown",
    "unauthorized_client": "app_unknown",
    "invalid_request": "app_unknown",
}
_SESSION_ERRORS: Final[Mapping[str, Kind]] = {
    "InsufficientPrivilegesException": "multiplayer_off",
    "UserBannedException": "banned",
}


@dataclass(frozen=True)
class Services:
    """Where the services are."""

    microsoft: str = "https://login.microsoftonline.com/consumers/oauth2/v2.0"
    xbox: str = "https://user.auth.xboxlive.com"
    xsts: str = "https://xsts.auth.xboxlive.com"
    minecraft: str = "https://api.minecraftservices.com"
    session: str = "https://sessionserver.mojang.com"


@dataclass(frozen=True)
class DeviceCode:
    """What a person does to log in: open `url` in any browser and enter `code`, within so many seconds."""

    url: str
    code: str
    expires_in_s: float


class _Answer:
    """What a service said."""

    def __init__(self, service: str, status: int, data: Any, headers: Mapping[str, str]) -> None:
        self.service, self.status, self.headers = service, status, headers
        self.data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def need(self, *path: str | int) -> Any:
        """A part of the answer. Raises AccountError where it has none."""
        value: Any = self.data
        try:
            for step in path:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            raise self.odd() from None
        return value

    def odd(self) -> AccountError:
        """What to raise for an answer nobody foresaw."""
        if self.status == 429:
            wait = self.headers.get("retry-after", "")
            return AccountError(
                "rate", service=self.service, wait=f"{wait} s" if wait.isdigit() else "a minute"
            )
        return AccountError("service", service=self.service, status=self.status)


class Account:
    """One Minecraft account. `name` and `uuid` are known after `log_in`."""

    name: str
    uuid: UUID

    def __init__(
        self,
        client_id: str,
        file: Path,
        *,
        prompt: Callable[[DeviceCode], None] | None = None,
        services: Services | None = None,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`client_id` is the application's at Microsoft; `file` keeps the login. `prompt` shows a person the
        code to enter; without it a login that has expired is an error."""
        self._client_id = client_id
        self._file = file
        self._prompt = prompt
        self._services = services or Services()
        self._now = now
        self._sleep = sleep
        self._kept: dict[str, Any] = {}
        self._loaded = False
        self._lock = asyncio.Lock()

    def __repr__(self) -> str:
        return f"Account({getattr(self, 'name', 'not logged in')})"

    async def log_in(self) -> None:
        """Make sure that the account can be used. Raises AccountError."""
        async with self._lock:
            await self._token()

    async def join(self, server_hash: str) -> None:
        """Meet a server at the session service, under the hash of `encryption.server_hash`. Raises
        AccountError."""
        async with self._lock:
            answer = await self._authorized(
                lambda token: self._post(
                    f"{self._services.session}/session/minecraft/join",
                    json={
                        "accessToken": token,
                        "selectedProfile": self.uuid.hex,
                        "serverId": server_hash,
                    },
                ),
                expired=lambda answer: answer.status in (401, 403) and not _session_error(answer),
            )
        if not answer.good:
            kind = _session_error(answer)
            if kind is None and answer.status not in (401, 403):
                raise answer.odd()
            raise AccountError(kind or "session_refused")

    async def player_keys(self) -> PlayerKeys:
        """The keys to sign chat with, fetched when the last ones are old. Raises AccountError."""
        async with self._lock:
            self._load()
            kept = self._kept.get("certificate")
            if kept is not None:
                with contextlib.suppress(ValueError):
                    keys = PlayerKeys.from_json(kept)
                    if self._now() * 1000 < keys.refresh_after:
                        return keys
            url = f"{self._services.minecraft}/player/certificates"
            answer = await self._authorized(
                lambda token: self._post(url, token=token), expired=lambda answer: answer.status == 401
            )
            if not answer.good:
                raise answer.odd()
            try:
                keys = PlayerKeys.from_json(answer.data)
            except ValueError:
                raise answer.odd() from None
            self._keep(certificate=dict(answer.data))
            return keys

    def options(self, options: ConnectionOptions) -> ConnectionOptions:
        """Options that log in with this account."""
        return replace(options, uuid=self.uuid, authenticator=self.join, player_keys=self.player_keys)

    # --- tokens --------------------------------------------------------------------------------------------

    async def _authorized(
        self, request: Callable[[str], Awaitable[_Answer]], *, expired: Callable[[_Answer], bool]
    ) -> _Answer:
        """A request with the Minecraft token; with a new one where the service no longer takes a kept one."""
        self._load()
        before = self._kept.get("minecraft")
        answer = await request(await self._token())
        if before is not None and before is self._kept.get("minecraft") and expired(answer):
            self._keep(minecraft=None)
            answer = await request(await self._token())
        return answer

    async def _token(self) -> str:
        """A Minecraft token that is good for a while."""
        self._load()
        kept = self._kept.get("minecraft")
        if kept and kept["expires_at"] - MARGIN_S > self._now() and "profile" in self._kept:
            self._know_profile()
            return str(kept["token"])
        microsoft = await self._microsoft_token()
        token, lasts_s = await self._minecraft_token(await self._xbox_identity(microsoft))
        profile = await self._profile(token)
        if profile["id"] != self._kept.get("profile", {}).get("id"):
            self._keep(certificate=None)  # another account's
        self._keep(minecraft={"token": token, "expires_at": self._now() + lasts_s}, profile=profile)
        self._know_profile()
        return token

    async def _microsoft_token(self) -> str:
        refresh = self._kept.get("refresh_token")
        if refresh:
            answer = await self._oauth(
                "token", grant_type="refresh_token", refresh_token=refresh, scope=SCOPE
            )
            if answer.good:
                return self._keep_microsoft(answer)
            error = self._oauth_error(answer)
            if error.kind != "login_needed" or self._prompt is None:
                raise error
        return await self._log_in_by_code()

    async def _log_in_by_code(self) -> str:
        if self._prompt is None:
            raise AccountError("login_needed")
        begun = await self._oauth("devicecode", scope=SCOPE)
        if not begun.good:
            raise self._oauth_error(begun)
        code = str(begun.need("device_code"))
        lasts_s = float(begun.data.get("expires_in", 900))
        interval_s = float(begun.data.get("interval", 5))
        self._prompt(DeviceCode(str(begun.need("verification_uri")), str(begun.need("user_code")), lasts_s))
        deadline = self._now() + lasts_s
        while self._now() < deadline:
            await self._sleep(interval_s)
            answer = await self._oauth(
                "token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=code
            )
            if answer.good:
                return self._keep_microsoft(answer)
            match answer.data.get("error"):
                case "authorization_pending":
                    pass
                case "slow_down":
                    interval_s += 5
                case _:
                    raise self._oauth_error(answer)
        raise AccountError("code_expired")

    def _keep_microsoft(self, answer: _Answer) -> str:
        # The old refresh token is void from now on: keep the new one before anything else can fail.
        token = str(answer.need("access_token"))
        self._keep(refresh_token=str(answer.data.get("refresh_token") or self._kept.get("refresh_token", "")))
        return token

    async def _xbox_identity(self, microsoft: str) -> str:
        user = await self._post(
            f"{self._services.xbox}/user/authenticate",
            json={
                "Properties": {
                    "AuthMethod": "RPS",
                    "SiteName": "user.auth.xboxlive.com",
                    "RpsTicket": f"d={microsoft}",
                },
                "RelyingParty": "http://auth.xboxlive.com",
                "TokenType": "JWT",
            },
        )
        if not user.good:
            raise user.odd()
        xsts = await self._post(
            f"{self._services.xsts}/xsts/authorize",
            json={
                "Properties": {"SandboxId": "RETAIL", "UserTokens": [user.need("Token")]},
                "RelyingParty": "rp://api.minecraftservices.com/",
                "TokenType": "JWT",
            },
        )
        if not xsts.good:
            kind = _XSTS_ERRORS.get(_number(xsts.data.get("XErr")))
            raise AccountError(kind) if kind else xsts.odd()
        user_hash = xsts.need("DisplayClaims", "xui", 0, "uhs")
        return f"XBL3.0 x={user_hash};{xsts.need('Token')}"

    async def _minecraft_token(self, identity: str) -> tuple[str, float]:
        url = f"{self._services.minecraft}/authentication/login_with_xbox"
        answer = await self._post(url, json={"identityToken": identity})
        if answer.status == 403:
            raise AccountError("app_not_allowed")
        if not answer.good:
            raise answer.odd()
        return str(answer.need("access_token")), float(answer.data.get("expires_in", 86400))

    async def _profile(self, token: str) -> dict[str, str]:
        answer = await self._get(f"{self._services.minecraft}/minecraft/profile", token=token)
        if answer.status == 404:
            owned = await self._get(f"{self._services.minecraft}/entitlements/mcstore", token=token)
            raise AccountError("no_profile" if owned.data.get("items") else "no_licence")
        if not answer.good:
            raise answer.odd()
        return {"id": str(answer.need("id")), "name": str(answer.need("name"))}

    def _know_profile(self) -> None:
        profile = self._kept["profile"]
        self.name, self.uuid = profile["name"], UUID(profile["id"])

    # --- requests ------------------------------------------------------------------------------------------

    async def _oauth(self, step: str, **fields: str) -> _Answer:
        return await self._request(
            "POST", f"{self._services.microsoft}/{step}", data={"client_id": self._client_id, **fields}
        )

    @staticmethod
    def _oauth_error(answer: _Answer) -> AccountError:
        kind = _OAUTH_ERRORS.get(str(answer.data.get("error")))
        return AccountError(kind) if kind and answer.status != 429 else answer.odd()

    async def _post(self, url: str, *, json: Any = None, token: str | None = None) -> _Answer:
        return await self._request("POST", url, json=json, token=token)

    async def _get(self, url: str, *, token: str) -> _Answer:
        return await self._request("GET", url, token=token)

    async def _request(self, method: str, url: str, *, token: str | None = None, **body: Any) -> _Answer:
        service = urlsplit(url).hostname or url
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        for last in (False, True):
            client = await web_client(timeout=REQUEST_TIMEOUT_S)
            import httpx  # loaded by now, and not before somebody needed it

            try:
                async with client:
                    response = await client.request(method, url, headers=headers, **body)
            except httpx.HTTPError as error:
                if last:
                    cause = str(error) or type(error).__name__
                    # without the chain: it holds the request
                    raise AccountError("network", service=service, cause=cause.rstrip(".")) from None
            else:
                if response.status_code < 500 or last:
                    break
            await self._sleep(RETRY_S)
        try:
            data = response.json() if response.content else {}
        except ValueError:
            data = {}
        return _Answer(service, response.status_code, data, response.headers)

    # --- the file ------------------------------------------------------------------------------------------

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        try:
            if os.name == "posix" and stat.S_IMODE(self._file.stat().st_mode) & 0o077:
                log.warning("%s could be read by others; it can't any more", self._file)
                self._file.chmod(0o600)
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except OSError as error:
            raise AccountError("storage", path=self._file, cause=error.strerror) from None
        except ValueError:
            log.warning("%s is damaged and is not used", self._file)
            return
        if _sound(data) and data["client_id"] == self._client_id:
            self._kept = data

    def _keep(self, **changes: Any) -> None:
        """Change what is kept, on disk as well: whole or not at all, and for its owner's eyes only."""
        self._kept = {**self._kept, **changes, "client_id": self._client_id}
        temporary = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.unlink(missing_ok=True)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(self._kept, file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._file)
        except OSError as error:
            raise AccountError("storage", path=self._file, cause=error.strerror) from None


def _session_error(answer: _Answer) -> Kind | None:
    return _SESSION_ERRORS.get(str(answer.data.get("error", "")).rpartition(".")[2])


def _sound(data: Any) -> bool:
    """Whether what was kept has the shape we gave it."""
    try:
        kept, profile = data.get("minecraft"), data.get("profile")
        if kept is not None:
            float(kept["expires_at"])
            str(kept["token"])
        if profile is not None:
            UUID(profile["id"])
            str(profile["name"])
        return isinstance(data["client_id"], str)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0
