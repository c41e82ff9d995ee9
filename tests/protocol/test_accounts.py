"""Minecraft accounts against services of our own: every step, every refusal, and what is kept."""

from __future__ import annotations

import json
import logging
import stat
import traceback
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from numen.testing.link import LOGIN
from protocol.account_errors import AccountError
from protocol.accounts import Account, DeviceCode, Services
from protocol.connection import ConnectFailed, ConnectionOptions, connect
from protocol.player_keys import PlayerKeys
from protocol.server import ServerConnection, ServerOptions, serve
from tests.protocol.account_services import CLIENT_ID, PLAYER, AccountServices, account_services, certificate

#: Whatever must not be seen anywhere.
SECRETS = ("microsoft-1", "refresh-", "minecraft-1", "xbox-1", "xsts-1", "secret-device", "PRIVATE")
START = 1_000_000.0


class Person:
    """Someone at a browser, and their clock."""

    def __init__(self) -> None:
        self.shown: list[DeviceCode] = []
        self.time = START
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def account(
        self, services: Services, file: Path, *, asks: bool = True, client_id: str = CLIENT_ID
    ) -> Account:
        prompt = self.shown.append if asks else None
        return Account(client_id, file, prompt=prompt, services=services, now=self.now, sleep=self.sleep)


def hides(error: BaseException) -> bool:
    told = f"{error} {error!r} {''.join(traceback.format_exception(error))}"
    return not any(secret in told for secret in SECRETS)


async def refusal(
    stand_in: AccountServices, account: Account, path: str, *answers: tuple[int, Any]
) -> AccountError:
    stand_in.instead[path] = list(answers)
    with pytest.raises(AccountError) as caught:
        await account.log_in()
    assert hides(caught.value)
    assert caught.value.sentence("zh") != str(caught.value)
    return caught.value


# --- logging in --------------------------------------------------------------------------------------------


async def test_a_person_enters_a_code_and_the_account_is_known(tmp_path: Path) -> None:
    person = Person()
    async with account_services() as (stand_in, services):
        account = person.account(services, tmp_path / "deep" / "account.json")
        await account.log_in()
    assert person.shown == [DeviceCode("https://www.microsoft.com/link", "ABCD-EFGH", 900.0)]
    assert person.slept == [5.0, 5.0, 5.0]
    assert (account.name, account.uuid) == ("Tester", UUID(PLAYER))
    assert repr(account) == "Account(Tester)"
    assert stand_in.paths == [
        *("/oauth/devicecode", "/oauth/token", "/oauth/token", "/oauth/token"),
        *("/xbox/user/authenticate", "/xsts/xsts/authorize"),
        *("/minecraft/authentication/login_with_xbox", "/minecraft/minecraft/profile"),
    ]
    assert stand_in.body_of("/oauth/devicecode")["scope"] == "XboxLive.signin offline_access"
    assert stand_in.body_of("/oauth/token")["device_code"] == "secret-device"
    assert stand_in.body_of("/xsts/xsts/authorize")["RelyingParty"] == "rp://api.minecraftservices.com/"


async def test_a_service_that_wants_us_slower_is_asked_slower(tmp_path: Path) -> None:
    person = Person()
    async with account_services() as (stand_in, services):
        stand_in.pending = 0
        stand_in.instead["/oauth/token"] = [(400, {"error": "slow_down"}), (400, {"error": "slow_down"})]
        await person.account(services, tmp_path / "account.json").log_in()
    assert person.slept == [5.0, 10.0, 15.0]


async def test_a_login_is_kept_for_its_owner_only_and_used_again(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "accounts" / "account.json"
    async with account_services() as (stand_in, services):
        await person.account(services, file).log_in()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert list(file.parent.iterdir()) == [file]
        stand_in.asked.clear()
        again = person.account(services, file, asks=False)
        await again.log_in()
        assert stand_in.asked == []
        assert again.name == "Tester"


async def test_a_file_open_to_others_is_closed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (_, services):
        await person.account(services, file).log_in()
        file.chmod(0o644)
        await person.account(services, file, asks=False).log_in()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "could be read by others" in caplog.text


async def test_an_old_token_is_refreshed_and_the_new_refresh_token_kept(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (stand_in, services):
        await person.account(services, file).log_in()
        for number in (2, 3):
            person.time += 86_400
            stand_in.asked.clear()
            await person.account(services, file, asks=False).log_in()
            assert stand_in.paths[0] == "/oauth/token"
            assert stand_in.body_of("/oauth/token")["refresh_token"] == f"refresh-{number - 1}"
            assert json.loads(file.read_text())["refresh_token"] == f"refresh-{number}"


async def test_a_new_refresh_token_is_kept_even_when_the_rest_fails(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (stand_in, services):
        await person.account(services, file).log_in()
        person.time += 86_400
        account = person.account(services, file, asks=False)
        await refusal(stand_in, account, "/xbox/user/authenticate", (400, {}))
        assert json.loads(file.read_text())["refresh_token"] == "refresh-2"


async def test_an_expired_login_asks_a_person_again_or_says_so(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (stand_in, services):
        await person.account(services, file).log_in()
        stand_in.refresh_token = "refresh-99"
        person.time += 86_400
        error = await refusal(stand_in, person.account(services, file, asks=False), "", (0, None))
        assert error.kind == "login_needed"
        assert error.final
        stand_in.pending = 0
        await person.account(services, file).log_in()
        assert len(person.shown) == 2


async def test_without_a_login_nobody_to_ask_is_an_error(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services):
        account = Person().account(services, tmp_path / "account.json", asks=False)
        assert (await refusal(stand_in, account, "", (0, None))).kind == "login_needed"
        assert stand_in.asked == []


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"client_id": 1}', json.dumps({"client_id": CLIENT_ID, "minecraft": {}})]
)
async def test_a_damaged_file_is_no_login(tmp_path: Path, content: str) -> None:
    file = tmp_path / "account.json"
    file.write_text(content)
    async with account_services() as (_, services):
        with pytest.raises(AccountError, match="numen login"):
            await Person().account(services, file, asks=False).log_in()


async def test_another_applications_login_is_not_used(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (_, services):
        await person.account(services, file).log_in()
        with pytest.raises(AccountError, match="numen login"):
            await person.account(services, file, asks=False, client_id="other").log_in()


# --- refusals ----------------------------------------------------------------------------------------------

DEVICE, TOKEN, XBOX, XSTS, GAME, PROFILE = (
    *("/oauth/devicecode", "/oauth/token", "/xbox/user/authenticate", "/xsts/xsts/authorize"),
    *("/minecraft/authentication/login_with_xbox", "/minecraft/minecraft/profile"),
)


@pytest.mark.parametrize(
    ("path", "status", "data", "kind", "words"),
    [
        (DEVICE, 400, {"error": "unauthorized_client"}, "app_unknown", "account.client_id"),
        (TOKEN, 400, {"error": "authorization_declined"}, "declined", "declined in the browser"),
        (TOKEN, 400, {"error": "expired_token"}, "code_expired", "not entered in time"),
        (XSTS, 401, {"XErr": 2148916227}, "banned", "banned"),
        (XSTS, 401, {"XErr": 2148916233}, "no_xbox", "no Xbox profile"),
        (XSTS, 401, {"XErr": 2148916235}, "country", "not available"),
        (XSTS, 401, {"XErr": 2148916236}, "adult_check", "adult check"),
        (XSTS, 401, {"XErr": 2148916237}, "adult_check", "adult check"),
        (XSTS, 401, {"XErr": 2148916238}, "child", "child's account"),
        (XSTS, 401, {"XErr": 1}, "service", "HTTP 401"),
        (GAME, 403, {"errorMessage": "Invalid app registration"}, "app_not_allowed", "aka.ms"),
        (GAME, 429, {}, "rate", "wait 30 s"),
        (PROFILE, 404, {"error": "NOT_FOUND"}, "no_licence", "does not own Minecraft"),
        (PROFILE, 200, {"id": 1}, "service", "127.0.0.1"),
        (XBOX, 200, ["odd"], "service", "127.0.0.1"),
    ],
)
async def test_each_refusal_is_one_plain_sentence(
    tmp_path: Path, path: str, status: int, data: Any, kind: str, words: str
) -> None:
    async with account_services() as (stand_in, services):
        account = Person().account(services, tmp_path / "account.json")
        error = await refusal(stand_in, account, path, (status, data))
    assert error.kind == kind
    assert words in str(error)
    assert str(error).count("\n") == 0


async def test_an_account_with_the_game_and_no_name_is_told_apart(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services):
        stand_in.instead["/minecraft/entitlements/mcstore"] = [(200, {"items": [{"name": "game_minecraft"}]})]
        account = Person().account(services, tmp_path / "account.json")
        assert (await refusal(stand_in, account, PROFILE, (404, {}))).kind == "no_profile"


async def test_a_code_nobody_enters_expires(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services):
        stand_in.pending = 100
        stand_in.lasts_s = 60
        account = Person().account(services, tmp_path / "account.json")
        assert (await refusal(stand_in, account, "", (0, None))).kind == "code_expired"
        assert len(stand_in.paths) == 1 + 12


async def test_a_service_with_a_fault_is_asked_once_more(tmp_path: Path) -> None:
    person = Person()
    async with account_services() as (stand_in, services):
        stand_in.instead[XBOX] = [(503, {})]
        await person.account(services, tmp_path / "account.json").log_in()
        error = await refusal(
            stand_in, person.account(services, tmp_path / "b.json"), XBOX, (503, {}), (502, {})
        )
    assert (error.kind, error.final) == ("service", False)


async def test_a_service_that_can_not_be_reached_is_named(tmp_path: Path) -> None:
    services = Services(microsoft="http://127.0.0.1:9/oauth")
    with pytest.raises(AccountError, match=r"127\.0\.0\.1 can't be reached") as caught:
        await Person().account(services, tmp_path / "account.json").log_in()
    assert caught.value.kind == "network"


async def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with account_services() as (_, services):
        with pytest.raises(AccountError) as caught:
            await Person().account(services, tmp_path / "file" / "account.json").log_in()
    assert caught.value.kind == "storage"
    assert hides(caught.value)


async def test_nothing_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with account_services() as (_, services):
        account = Person().account(services, tmp_path / "account.json")
        await account.join("abc")
        keys = await account.player_keys()
    told = (
        f"{caplog.text} {account!r} {account._kept.keys()} {keys!r} {account.options(ConnectionOptions())!r}"
    )
    assert not any(secret in told for secret in SECRETS)


# --- what servers and chat want ----------------------------------------------------------------------------


async def test_a_session_is_joined_under_the_servers_hash(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services):
        await (
            Person()
            .account(services, tmp_path / "account.json")
            .join("-7c9d5b0044c130109a5d7b5fb5c317c02b4e28c1")
        )
    assert stand_in.body_of("/session/session/minecraft/join") == {
        "accessToken": "minecraft-1",
        "selectedProfile": PLAYER,
        "serverId": "-7c9d5b0044c130109a5d7b5fb5c317c02b4e28c1",
    }


async def test_a_token_that_was_revoked_is_replaced(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (stand_in, services):
        await person.account(services, file).log_in()
        stand_in.minecraft_token = "minecraft-10"
        account = person.account(services, file, asks=False)
        await account.join("abc")
        assert stand_in.paths[-2:] == [PROFILE, "/session/session/minecraft/join"]
        stand_in.minecraft_token = "minecraft-11"
        await account.player_keys()


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (403, "InsufficientPrivilegesException", "multiplayer_off"),
        (403, "com.mojang.authlib.exceptions.UserBannedException", "banned"),
        (403, "ForbiddenOperationException", "session_refused"),
        (429, "", "rate"),
        (500, "", "service"),
    ],
)
async def test_a_session_that_is_refused_is_told_plainly(
    tmp_path: Path, status: int, error: str, kind: str
) -> None:
    async with account_services() as (stand_in, services):
        account = Person().account(services, tmp_path / "account.json")
        stand_in.instead["/session/session/minecraft/join"] = [(status, {"error": error})] * 3
        with pytest.raises(AccountError) as caught:
            await account.join("abc")
    assert caught.value.kind == kind


async def test_keys_are_kept_until_they_should_be_renewed(tmp_path: Path) -> None:
    person, file = Person(), tmp_path / "account.json"
    async with account_services() as (stand_in, services):
        stand_in.certificate = certificate("1970-01-14T00:00:00Z", "1970-01-13T00:00:00Z")
        keys = await person.account(services, file).player_keys()
        assert (keys.expires_at, keys.refresh_after) == (13 * 86_400_000, 12 * 86_400_000)
        assert keys.certificate == b"certified" * 56
        assert len(keys.sign(b"x")) == 256
        stand_in.asked.clear()
        assert await person.account(services, file).player_keys() == keys
        assert stand_in.asked == []
        person.time = 12 * 86_400
        await person.account(services, file).player_keys()
        assert "/minecraft/player/certificates" in stand_in.paths


async def test_keys_that_make_no_sense_are_a_fault_of_the_service(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services):
        account = Person().account(services, tmp_path / "account.json")
        for odd in ({}, certificate("2100-01-01T00:00:00Z", "2100-01-01T00:00:00Z", 1024)):
            stand_in.certificate = odd
            with pytest.raises(AccountError) as caught:
                await account.player_keys()
            assert caught.value.kind == "service"
            assert hides(caught.value)


def test_times_come_with_more_digits_than_a_clock_has() -> None:
    keys = PlayerKeys.from_json(certificate("2100-01-02T00:00:00.123456789Z", "2100-01-01T00:00:00Z"))
    assert keys.expires_at % 1000 == 123


# --- a server that wants an account ------------------------------------------------------------------------


class OnlineServer(ServerConnection):
    """Asks the session service about everyone, as a server with online-mode does."""

    joined: dict[str, str] = {}  # noqa: RUF012

    def send(self, packet: str, /, **fields: Any) -> None:
        if packet == "encryption_begin":
            fields["shouldAuthenticate"] = True
        super().send(packet, **fields)


async def test_an_account_gets_into_a_server_that_wants_one(tmp_path: Path) -> None:
    running = await serve(
        "127.0.0.1",
        0,
        on_play=lambda each: each.send("login", **LOGIN),
        options=ServerOptions(encrypt=True),
    )
    running.factory.protocol = OnlineServer
    async with account_services() as (stand_in, services):
        account = Person().account(services, tmp_path / "account.json")
        await account.log_in()
        options = account.options(ConnectionOptions())
        link = await connect("127.0.0.1", running.port, account.name, options=options)
        assert stand_in.paths[-1] == "/session/session/minecraft/join"
        assert link.cipher is not None
        link.close()
        stand_in.instead["/session/session/minecraft/join"] = [(403, {"error": "UserBannedException"})]
        with pytest.raises(ConnectFailed, match="The account is banned"):
            await connect("127.0.0.1", running.port, account.name, options=options)
    await running.close()
