"""From the first byte to configuration, with both ends real and memory between them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from numen.testing.link import InMemoryPair
from protocol import codec
from protocol.connection import ConnectFailed, ConnectionOptions
from protocol.framing import FrameSplitter
from protocol.server import ServerConnection, ServerOptions


def refusal(pair: InMemoryPair) -> ConnectFailed:
    """What became of a login that is to fail."""
    pair.pump()
    failure = pair.client_factory.outcome.exception()
    assert isinstance(failure, ConnectFailed)
    return failure


class Ask(ServerConnection):
    """A server that asks things, and goes on with the login when all is answered."""

    questions: tuple[tuple[str, dict[str, Any]], ...] = ()
    answers: list[tuple[str, dict[str, Any]]]

    def handle_login_login_start(self, fields: dict[str, Any]) -> None:
        self.answers = []
        self.login_start = fields
        for name, question in self.questions:
            self.send(name, **question)

    def handle_login_login_plugin_response(self, fields: dict[str, Any]) -> None:
        self.answered("login_plugin_response", fields)

    def handle_login_cookie_response(self, fields: dict[str, Any]) -> None:
        self.answered("cookie_response", fields)

    def answered(self, name: str, fields: dict[str, Any]) -> None:
        self.answers.append((name, fields))
        if len(self.answers) == len(self.questions):
            super().handle_login_login_start(self.login_start)


def asking(
    monkeypatch: pytest.MonkeyPatch, *questions: tuple[str, dict[str, Any]], **more: Any
) -> InMemoryPair:
    monkeypatch.setattr("protocol.server.ServerConnectionFactory.protocol", Ask)
    monkeypatch.setattr(Ask, "questions", questions)
    return InMemoryPair(**more)


@pytest.mark.parametrize("threshold", [256, 64, 0, -1])
@pytest.mark.parametrize("encrypt", [False, True])
@pytest.mark.parametrize("piece", [None, 1, 13])
def test_login_reaches_play(threshold: int, encrypt: bool, piece: int | None) -> None:
    options = ServerOptions(threshold=threshold, encrypt=encrypt)
    pair = InMemoryPair(server_options=options, piece=piece).join()
    assert (pair.client.state, pair.server.state) == ("play", "play")
    assert pair.client.uuid == pair.server.uuid == UUID("f3d28cb0-7225-3cb1-baeb-2dadd2be89ae")
    assert (pair.client.cipher is not None) == encrypt


def test_the_handshake_names_the_host_the_user_gave() -> None:
    pair = InMemoryPair().join()
    assert (pair.server.host, pair.server.port, pair.server.transferred) == ("localhost", 25565, False)


def test_a_player_sent_here_by_another_server_says_so() -> None:
    pair = InMemoryPair(options=ConnectionOptions(transferred=True)).join()
    assert pair.server.transferred


def test_the_first_packets_of_a_client_are_vanillas() -> None:
    sent = bytearray()
    InMemoryPair(
        server_options=ServerOptions(threshold=-1),
        tap=lambda direction, data: sent.extend(data if direction == "toServer" else b""),
    ).join()
    splitter = FrameSplitter()
    splitter.feed(bytes(sent))
    states = [
        "handshaking",
        "login",
        "login",
        "configuration",
        "configuration",
        "configuration",
        "configuration",
    ]
    packets = [
        codec.decode(state, "toServer", payload)
        for state, payload in zip(states, splitter.packets(), strict=True)
    ]
    assert [packet.name for packet in packets] == [
        *("set_protocol", "login_start", "login_acknowledged"),
        *("custom_payload", "settings", "select_known_packs", "finish_configuration"),
    ]
    assert packets[0].fields == {
        "protocolVersion": 767,
        "serverHost": "localhost",
        "serverPort": 25565,
        "nextState": 2,
    }
    assert packets[3].fields == {"channel": "minecraft:brand", "data": b"\x05numen"}
    assert packets[5].fields == {"packs": []}


def test_compression_holds_from_the_packet_after_set_compression_both_ways() -> None:
    sent: list[tuple[str, bytes]] = []
    InMemoryPair(
        server_options=ServerOptions(threshold=256),
        tap=lambda direction, data: sent.append((direction, data)),
    ).join()
    client = [data for direction, data in sent if direction == "toServer"]
    server = [data for direction, data in sent if direction == "toClient"]
    # compress(256) is framed plainly, success after it carries the 0 of a short packet ...
    assert server[0].startswith(b"\x03\x03\x80\x02")
    assert server[0][5] == 0
    # ... and so does the client's acknowledgement: length 2, not compressed, id 3.
    assert client[1].startswith(b"\x02\x00\x03")


def test_a_login_plugin_request_is_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    question = {"messageId": 7, "channel": "velocity:player_info", "data": b"\x04"}
    pair = asking(monkeypatch, ("login_plugin_request", question)).join()
    assert pair.server.answers == [("login_plugin_response", {"messageId": 7, "data": None})]


def test_cookies_are_answered_with_what_is_kept_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = asking(
        monkeypatch,
        ("cookie_request", {"cookie": "proxy:session"}),
        ("cookie_request", {"cookie": "proxy:other"}),
        options=ConnectionOptions(cookies={"proxy:session": b"secret"}),
    ).join()
    assert pair.server.answers == [
        ("cookie_response", {"key": "proxy:session", "value": b"secret"}),
        ("cookie_response", {"key": "proxy:other", "value": None}),
    ]


def test_a_refusal_at_login_is_a_plain_sentence() -> None:
    options = ServerOptions(refuse=lambda name, uuid: {"translate": "multiplayer.disconnect.not_whitelisted"})
    failure = refusal(InMemoryPair(server_options=options))
    assert str(failure) == (
        "The server refused the companion: You are not white-listed on this server! "
        "An operator can let it in with /whitelist add Tester."
    )
    assert failure.disconnect.details["kind"] == "whitelist"
    assert failure.disconnect.details["key"] == "multiplayer.disconnect.not_whitelisted"
    assert failure.disconnect.by_server
    assert failure.disconnect.state == "login"


def test_a_refusal_in_bare_text_is_told_as_it_is() -> None:
    failure = refusal(
        InMemoryPair(server_options=ServerOptions(refuse=lambda name, uuid: "Come back §clater"))
    )
    assert str(failure) == "The server refused the companion: Come back later."
    assert failure.disconnect.details["kind"] == "kicked"


def test_a_refusal_that_is_no_json_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = asking(monkeypatch, ("disconnect", {"reason": "Outdated, go away"}))
    assert str(refusal(pair)) == "The server refused the companion: Outdated, go away."


def test_another_version_is_refused_with_the_servers_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protocol.client.PROTOCOL_VERSION", 765)
    failure = refusal(InMemoryPair())
    assert failure.disconnect.details["kind"] == "version"
    assert "Incompatible client! Please use 1.21.1" in str(failure)


def test_a_server_that_wants_an_account_is_named_for_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    question = {"serverId": "", "publicKey": b"k", "verifyToken": b"t", "shouldAuthenticate": True}
    failure = refusal(asking(monkeypatch, ("encryption_begin", question)))
    assert failure.disconnect.details["kind"] == "online_account"
    assert "Minecraft account" in str(failure)


async def test_an_authenticator_is_asked_before_the_secret_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def join(server_hash: str) -> None:
        asked.append(server_hash)

    original = ServerConnection.send

    def send(self: ServerConnection, packet: str, /, **fields: Any) -> None:
        if packet == "encryption_begin":
            fields["shouldAuthenticate"] = True
        original(self, packet, **fields)

    monkeypatch.setattr(ServerConnection, "send", send)
    pair = InMemoryPair(
        options=ConnectionOptions(authenticator=join), server_options=ServerOptions(encrypt=True)
    )
    pair.pump()
    assert pair.client.cipher is None
    await pair.client._joining
    pair.join()
    assert len(asked) == 1
    assert pair.client.cipher is not None


def test_a_servers_unusable_key_ends_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    question = {"serverId": "", "publicKey": b"k", "verifyToken": b"t", "shouldAuthenticate": False}
    assert "key for encryption" in str(refusal(asking(monkeypatch, ("encryption_begin", question))))


def test_a_server_that_never_answers_is_named_with_what_was_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ServerConnection, "handle_login_login_start", lambda self, fields: None)
    pair = InMemoryPair(options=ConnectionOptions(login_timeout_s=5))
    pair.advance(6)
    failure = refusal(pair)
    assert str(failure) == "The server got stuck in login: waited 5 s for an answer to the login."
    assert failure.disconnect.details["waiting_for"] == "an answer to the login"


def test_a_name_a_server_can_not_have_is_refused_by_it() -> None:
    failure = refusal(InMemoryPair(username="far too long a name"))
    assert "Invalid characters" in str(failure)


def test_a_client_out_of_turn_is_sent_away() -> None:
    pair = InMemoryPair(server_options=ServerOptions(threshold=-1))
    pair.client.send("login_start", username="Again", playerUUID=UUID(int=0))
    pair.pump()
    assert pair.ended["server"].reason == "Unexpected login_start"


def test_a_slow_client_is_sent_away() -> None:
    pair = InMemoryPair(server_options=ServerOptions(login_timeout_s=5))
    pair.server.dataReceived(b"")
    pair.clock.advance(6)
    pair.pump()
    assert pair.ended["server"].component == {"translate": "multiplayer.disconnect.slow_login"}
