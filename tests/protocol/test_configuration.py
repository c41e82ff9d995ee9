"""Configuration: what the client answers, keeps, ignores and waits for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from numen.testing.link import InMemoryPair
from protocol.connection import ConnectFailed, ConnectionOptions
from protocol.registries import DIMENSION_TYPE
from protocol.server import ServerConnection, ServerOptions
from protocol.vanilla_registries import VANILLA_PACK, vanilla_registry_data

PACK = UUID(int=0xABCDEF)
PUSH = {"uuid": PACK, "url": "http://x/y.zip", "hash": "", "forced": True, "promptMessage": None}


class Curious(ServerConnection):
    """A server that sends more before it finishes configuration, and notes every answer."""

    more: tuple[tuple[str, dict[str, Any]], ...] = ()
    stall = False

    def setup(self) -> None:
        super().setup()
        self.answers: list[tuple[str, dict[str, Any]]] = []

    def send(self, packet: str, /, **fields: Any) -> None:
        if packet == "finish_configuration":
            for name, extra in self.more:
                super().send(name, **extra)
            if self.stall:
                return
        super().send(packet, **fields)

    def note(name: str) -> Any:  # type: ignore[misc]
        def handler(self: Any, fields: dict[str, Any]) -> None:
            self.answers.append((name, fields))

        return handler

    handle_configuration_pong = note("pong")
    handle_configuration_keep_alive = note("keep_alive")
    handle_configuration_resource_pack_receive = note("resource_pack_receive")
    handle_configuration_cookie_response = note("cookie_response")


@pytest.fixture
def curious(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(*more: tuple[str, dict[str, Any]], stall: bool = False, **rest: Any) -> InMemoryPair:
        monkeypatch.setattr("protocol.server.ServerConnectionFactory.protocol", Curious)
        monkeypatch.setattr(Curious, "more", more)
        monkeypatch.setattr(Curious, "stall", stall)
        return InMemoryPair(**rest)

    return make


def test_registries_come_whole_and_in_the_order_of_their_numbers() -> None:
    client = InMemoryPair().join().client
    assert client.registries.received == tuple(registry for registry, _ in vanilla_registry_data())
    assert client.registries.names(DIMENSION_TYPE)[0] == "minecraft:overworld"
    assert client.registries.dimension_type(0).height == 384


def test_a_client_that_holds_the_packs_fills_in_the_entries_it_was_spared() -> None:
    sent = 0

    def count(direction: str, data: bytes) -> None:
        nonlocal sent
        sent += len(data) if direction == "toClient" else 0

    options = ConnectionOptions(known_packs=(VANILLA_PACK,))
    client = (
        InMemoryPair(options=options, tap=count, server_options=ServerOptions(threshold=-1)).join().client
    )
    assert sent < 12_000
    assert client.registries.entry(DIMENSION_TYPE, "overworld")["height"] == 384


def test_tags_and_feature_flags_are_kept() -> None:
    options = ServerOptions(
        tags={"minecraft:block": {"minecraft:climbable": [5, 7]}},
        feature_flags=("minecraft:vanilla", "minecraft:bundle"),
    )
    registries = InMemoryPair(server_options=options).join().client.registries
    assert registries.tagged("block", "climbable") == {5, 7}
    assert registries.feature_flags == {"minecraft:vanilla", "minecraft:bundle"}


def test_brand_and_settings_reach_the_server() -> None:
    pair = InMemoryPair(options=ConnectionOptions(view_distance=4, brand="x" * 200)).join()
    assert pair.server.settings["viewDistance"] == 4
    assert pair.server.client_brand == "x" * 200
    assert pair.client.server_brand == "numen"


def test_pings_and_keep_alives_are_answered_with_their_number(curious: Any) -> None:
    pair = curious(("ping", {"id": 0}), ("keep_alive", {"keepAliveId": -5}), ("ping", {"id": 77})).join()
    assert pair.server.answers == [
        ("pong", {"id": 0}),
        ("keep_alive", {"keepAliveId": -5}),
        ("pong", {"id": 77}),
    ]


def test_a_resource_pack_is_accepted_by_its_own_uuid_without_loading_anything(curious: Any) -> None:
    pair = curious(("add_resource_pack", PUSH)).join()
    assert pair.server.answers == [
        ("resource_pack_receive", {"uuid": PACK, "result": result}) for result in (3, 4, 0)
    ]
    assert pair.client.packs.pushed == {PACK: "http://x/y.zip"}


def test_a_resource_pack_may_be_declined(curious: Any) -> None:
    pair = curious(("add_resource_pack", PUSH), options=ConnectionOptions(resource_packs="decline")).join()
    assert pair.server.answers == [("resource_pack_receive", {"uuid": PACK, "result": 1})]
    assert pair.client.packs.pushed == {}


@pytest.mark.parametrize("uuid", [PACK, None])
def test_a_resource_pack_is_taken_back(curious: Any, uuid: UUID | None) -> None:
    pair = curious(("add_resource_pack", PUSH), ("remove_resource_pack", {"uuid": uuid})).join()
    assert pair.client.packs.pushed == {}


def test_a_stored_cookie_is_given_back(curious: Any) -> None:
    pair = curious(
        ("store_cookie", {"key": "a:b", "value": b"123"}), ("cookie_request", {"cookie": "a:b"})
    ).join()
    assert pair.server.answers == [("cookie_response", {"key": "a:b", "value": b"123"})]


def test_payloads_go_to_those_who_know_the_channel_and_nowhere_else(curious: Any) -> None:
    seen: list[bytes] = []
    pair = curious(
        ("custom_payload", {"channel": "neoforge:register", "data": b"\0"}),
        ("custom_payload", {"channel": "nobody:knows", "data": b"\1\2"}),
        attach=lambda client: client.on_payload("neoforge:register", seen.append),
    ).join()
    assert seen == [b"\0"]
    assert not pair.client.dropped


def test_a_cookie_too_large_is_not_kept_and_of_many_the_oldest_goes(curious: Any) -> None:
    pair = curious(
        ("store_cookie", {"key": "a:large", "value": bytes(5121)}),
        *(("store_cookie", {"key": f"a:{number}", "value": b"x"}) for number in range(300)),
    ).join()
    assert list(pair.client.cookies) == [f"a:{number}" for number in range(44, 300)]


def test_what_only_concerns_people_is_kept_for_them(curious: Any) -> None:
    client = (
        curious(
            ("reset_chat", {}),
            ("custom_report_details", {"details": [{"key": "Server", "value": "Yard"}]}),
            (
                "server_links",
                {
                    "links": [
                        {"hasKnownType": True, "knownType": "website", "link": "https://a.example"},
                        {
                            "hasKnownType": False,
                            "unknownType": {"text": "Map"},
                            "link": "https://b.example",
                        },
                    ]
                },
            ),
        )
        .join()
        .client
    )
    assert client.report_details == {"Server": "Yard"}
    assert client.server_links == (("website", "https://a.example"), ("Map", "https://b.example"))


def test_a_forced_pack_that_was_declined_is_told_with_the_next_step(curious: Any) -> None:
    reason = {"translate": "multiplayer.requiredTexturePrompt.disconnect"}
    pair = curious(("disconnect", {"reason": reason}))
    pair.pump()
    failure = pair.client_factory.outcome.exception()
    assert isinstance(failure, ConnectFailed)
    assert failure.disconnect.details["kind"] == "resource_pack"
    assert "resource_packs: accept" in str(failure)


def test_a_kick_during_configuration_is_told_with_its_reason(curious: Any) -> None:
    reason = {
        "translate": "neoforge.network.negotiation.failure.vanilla.client.not_supported",
        "fallback": "You are trying to connect to a server that is running NeoForge, but you are not."
        " Please install NeoForge Version: %s to connect to this server.",
        "with": ["21.1.250"],
    }
    pair = curious(("disconnect", {"reason": reason}))
    pair.pump()
    failure = pair.client_factory.outcome.exception()
    assert isinstance(failure, ConnectFailed)
    assert failure.disconnect.details["kind"] == "neoforge"
    assert "Please install NeoForge Version: 21.1.250" in str(failure)


def test_a_transfer_ends_the_connection_with_its_target_and_the_cookies(curious: Any) -> None:
    pair = curious(
        ("store_cookie", {"key": "a:b", "value": b"1"}),
        ("transfer", {"host": "elsewhere", "port": 25570}),
    )
    pair.pump()
    failure = pair.client_factory.outcome.exception()
    assert isinstance(failure, ConnectFailed)
    assert failure.disconnect.details == {
        "kind": "transfer",
        "transfer": ("elsewhere", 25570),
        "cookies": {"a:b": b"1"},
    }


def test_a_server_stuck_in_configuration_is_named_with_what_was_waited_for(curious: Any) -> None:
    pair = curious(stall=True, options=ConnectionOptions(configuration_timeout_s=20))
    # Keep-alives show that the server lives; they do not bring us further.
    for _ in range(3):
        pair.advance(9)
        if not pair.ended:
            pair.server.send("keep_alive", keepAliveId=1)
    pair.pump()
    assert pair.ended["client"].reason == (
        "The server got stuck in configuration: waited 20 s for finish_configuration."
    )


def test_a_server_that_never_asks_for_packs_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    def configure(self: ServerConnection) -> None:
        self._step = "finish_configuration"
        self.send("finish_configuration")

    monkeypatch.setattr(ServerConnection, "_configure", configure)
    client = InMemoryPair().join().client
    # What was never sent is taken from vanilla.
    assert client.registries.received == ()
    assert client.registries.names("chat_type")[0] == "minecraft:chat"


def test_an_undecodable_packet_is_dropped_and_the_configuration_goes_on() -> None:
    pair = InMemoryPair().join()
    pair.server.reconfigure()
    pair.server.send_packet("registry_data", b"\x05ab")
    pair.pump()
    assert pair.client.state == "play"
    assert pair.client.dropped == {"registry_data": 1}
