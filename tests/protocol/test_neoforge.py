"""Meeting a NeoForge server: its questions, its registries, its own payloads, and its refusals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numen.testing.link import LOGIN, InMemoryPair
from protocol import neoforge_payloads as payloads
from protocol.codec import NEOFORGE, VANILLA
from protocol.connection import ConnectFailed, ConnectionOptions
from protocol.neoforge_payloads import Channel
from protocol.server import ServerConnection
from tests.protocol.neoforge_server import (
    ITEMS,
    TASKS,
    Declared,
    NeoForgeServer,
    component,
    read_register,
    text,
)

Make = Callable[..., InMemoryPair]


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Make:
    def make(options: ConnectionOptions | None = None, *, on_play: Any = None, **server: Any) -> InMemoryPair:
        monkeypatch.setattr("protocol.server.ServerConnectionFactory.protocol", NeoForgeServer)
        for name, value in server.items():
            monkeypatch.setattr(NeoForgeServer, name, value)
        return InMemoryPair(options=options, on_play=on_play)

    return make


def failure(pair: InMemoryPair) -> ConnectFailed:
    pair.pump()
    error = pair.client_factory.outcome.exception()
    assert isinstance(error, ConnectFailed)
    return error


def in_play(forge: Make, *packets: str, **more: Any) -> tuple[InMemoryPair, list[tuple[str, dict[str, Any]]]]:
    """A joined pair, and what comes of some packets."""
    pair = forge(**more).join()
    seen: list[tuple[str, dict[str, Any]]] = []
    for packet in packets:
        pair.client.subscribe(packet, lambda fields, packet=packet: seen.append((packet, fields)))
    pair.pump()
    return pair, seen


# --- negotiation -------------------------------------------------------------------------------------------


def test_our_channels_are_told_before_the_ping_is_answered(forge: Make) -> None:
    pair = forge().join()
    assert [name for name, _ in pair.server.heard] == [
        *("neoforge:register", "pong", "neoforge:frozen_registry_sync_completed"),
        *(
            "neoforge:known_registry_data_maps_reply",
            "neoforge:extensible_enum_ack",
            "neoforge:feature_flags_ack",
        ),
    ]
    assert pair.server.heard[1] == ("pong", 0)


def test_our_own_channels_are_those_neoforge_needs_and_all_optional(forge: Make) -> None:
    told = read_register(forge().join().server.heard[0][1])
    assert list(told) == [4, 1]
    assert all(each.optional and each.version == "1" for of in told.values() for each in of)
    configuration = {each.id.removeprefix("neoforge:"): each.flow for each in told[4]}
    assert configuration == {
        **dict.fromkeys(("frozen_registry_sync_start", "frozen_registry", "known_registry_data_maps"), 1),
        **dict.fromkeys(("frozen_registry_sync_completed", "split"), None),
        **dict.fromkeys(("extensible_enum_data", "feature_flags"), 1),
        **dict.fromkeys(("known_registry_data_maps_reply", "extensible_enum_ack", "feature_flags_ack"), 0),
    }
    play = {each.id.removeprefix("neoforge:"): each.flow for each in told[1]}
    assert play == {
        **dict.fromkeys(("advanced_open_screen", "advanced_container_set_data", "custom_time_packet"), 1),
        "registry_data_map_sync": 1,
        "split": None,
    }


def test_the_first_bytes_of_the_register_reply(forge: Make) -> None:
    data = forge().join().server.heard[0][1]
    assert data.startswith(b"\x02\x04\x0a\x23neoforge:frozen_registry_sync_start\x011\x01\x01\x01")
    assert data.endswith(b"\x0eneoforge:split\x011\x00\x01")


def test_channels_of_mods_are_declared_as_configured(forge: Make) -> None:
    mods = {
        4: [Declared("create:hello", "3", None, False)],
        1: [Declared("create:main", "6.0", 1, False), Declared("jei:up", "1.0.0", 0, False)],
    }
    channels = (
        Channel("create:hello", "3", "both", "configuration"),
        Channel("create:main", "6.0", "clientbound"),
        Channel("jei:up", "1.0.0", "serverbound"),
        Channel("gone:away", "1"),
    )
    pair = forge(ConnectionOptions(channels=channels), required=mods).join()
    told = read_register(pair.server.heard[0][1])
    assert told[4][-1] == Declared("create:hello", "3", None, True)
    assert told[1][-3:] == [
        Declared("create:main", "6.0", 1, True),
        Declared("jei:up", "1.0.0", 0, True),
        Declared("gone:away", "1", None, True),
    ]
    assert pair.client.neoforge.agreed["play"]["create:main"] == "6.0"
    assert pair.client.neoforge.agreed["configuration"]["create:hello"] == "3"
    assert "gone:away" not in pair.client.neoforge.channels
    assert pair.client.neoforge.mods == ("create", "jei")


def test_channels_the_server_announces_are_kept_and_bad_names_left_out(forge: Make) -> None:
    client = forge().join().client
    assert "create:extra" in client.neoforge.announced
    assert "bad channel" not in client.neoforge.announced


def test_a_companion_in_vanilla_posture_answers_nothing_and_joins_where_it_may(forge: Make) -> None:
    pair = forge(ConnectionOptions(posture="vanilla")).join()
    assert pair.server.heard == [("pong", 0)]
    assert not pair.client.neoforge.speaking
    assert pair.client.codec is VANILLA
    assert pair.client.registries.frozen == ()


def test_a_vanilla_posture_is_refused_where_mods_insist_and_it_is_said_plainly(forge: Make) -> None:
    required = {1: [Declared("create:main", "6.0", 1, False)]}
    end = failure(forge(ConnectionOptions(posture="vanilla"), required=required)).disconnect
    assert end.details["kind"] == "neoforge"
    assert "21.1.200" in end.reason
    assert "mods that every player must have" in end.reason


def test_a_posture_of_neoforge_leaves_servers_that_do_not_speak_it() -> None:
    end = failure(InMemoryPair(options=ConnectionOptions(posture="neoforge"))).disconnect
    assert end.details["kind"] == "neoforge"
    assert "does not speak NeoForge" in end.reason


def test_a_refusal_names_the_mods_and_keeps_the_reasons_apart(forge: Make) -> None:
    required = {
        1: [
            Declared("create:main", "6.0", 1, False),
            Declared("create:up", "6.0", 0, False),
            Declared("jei:both", "19", None, False),
        ]
    }
    end = failure(forge(required=required, mod_names={"create": "Create"})).disconnect
    assert end.reason == (
        "The server refused the companion: its mods have channels that do not fit ours: "
        "Create (create:main, create:up); jei (jei:both). "
        "`numen doctor --neoforge` finds out which channels to declare."
    )
    assert end.details["kind"] == "neoforge"
    assert [(each.channel, each.problem, each.mod) for each in end.details["channels"]] == [
        ("create:main", "missing.server.client", "Create"),
        ("create:up", "missing.server.client", "Create"),
        ("jei:both", "missing.server.client", None),
    ]
    assert end.details["channels"][0].text == (
        "create:main: the server insists on it, and it was not declared"
    )


def test_a_refused_version_comes_with_both_versions(forge: Make) -> None:
    required = {1: [Declared("create:main", "6.0", 1, False)]}
    options = ConnectionOptions(channels=(Channel("create:main", "5.9", "clientbound"),))
    (refusal,) = failure(forge(options, required=required)).disconnect.details["channels"]
    assert (refusal.problem, refusal.arguments) == ("version.mismatch", ("6.0", "5.9"))
    assert refusal.text == "create:main: it has version 6.0 there, and was declared with 5.9"


# --- configuration -----------------------------------------------------------------------------------------


def test_frozen_registries_are_kept_by_number(forge: Make) -> None:
    registries = forge().join().client.registries
    assert registries.frozen == ("minecraft:item",)
    assert registries.name_of("item", 300) == "create:cogwheel"
    assert registries.id_of("item", "create:cogwheel") == registries.id_of("item", "create:gear") == 300
    assert registries.name_of("item", 2) is None
    assert registries.names("minecraft:item")[1] == "minecraft:stone"
    # the registries of data packs are where they were
    assert registries.names("chat_type")[0] == "minecraft:chat"


def test_data_maps_are_asked_for_where_they_help(forge: Make) -> None:
    server = forge().join().server
    assert dict(server.heard)["neoforge:known_registry_data_maps_reply"] == (
        b"\x01\x0eminecraft:item\x01\x16neoforge:furnace_fuels"
    )


def test_without_such_data_maps_none_are_asked_for(forge: Make) -> None:
    offer = ("neoforge:known_registry_data_maps", b"\x00", "neoforge:known_registry_data_maps_reply")
    server = forge(tasks=(offer,)).join().server
    assert server.heard[-1] == ("neoforge:known_registry_data_maps_reply", b"\x00")


def test_acknowledgements_are_empty_and_feature_flags_are_kept(forge: Make) -> None:
    pair = forge().join()
    heard = dict(pair.server.heard)
    assert heard["neoforge:extensible_enum_ack"] == heard["neoforge:feature_flags_ack"] == b""
    assert heard["neoforge:frozen_registry_sync_completed"] == b""
    assert pair.client.neoforge.feature_flags == ("create:steam",)


def test_the_common_questions_are_answered_when_asked(forge: Make) -> None:
    tasks = (
        ("c:version", b"\x01\x01", "c:version"),
        ("c:register", b"\x01\x04play\x01\x0acreate:hey", "c:register"),
    )
    options = ConnectionOptions(channels=(Channel("a:b"), Channel("a:up", "1", "serverbound")))
    pair = forge(options, tasks=tasks).join()
    heard = dict(pair.server.heard)
    assert heard["c:version"] == b"\x01\x01"
    assert heard["c:register"].startswith(b"\x01\x04play\x06\x1dneoforge:advanced_open_screen")
    assert heard["c:register"].endswith(b"\x03a:b")
    assert "create:hey" in pair.client.neoforge.channels


def test_a_broken_payload_is_dropped_alone_and_never_answered_from(forge: Make) -> None:
    broken = b"\x01" + text("minecraft:item") + b"\x7f"
    tasks = (
        ("neoforge:known_registry_data_maps", broken, "neoforge:known_registry_data_maps_reply"),
        ("neoforge:frozen_registry", b"\x7f", None),
        ("neoforge:frozen_registry", text("minecraft:block") + b"\x05\x00", None),
        ("neoforge:split", b"\x02\x00x", None),
        *TASKS,
    )
    pair = forge(tasks=tasks).join()
    assert pair.server.heard[2] == ("neoforge:known_registry_data_maps_reply", b"\x00")
    assert pair.client.dropped == {
        "neoforge:known_registry_data_maps": 1,
        "neoforge:frozen_registry": 1,
        "neoforge:split": 1,
    }
    assert pair.client.registries.name_of("block", 0) is None
    assert pair.client.registries.name_of("item", 1) == "minecraft:stone"


def test_a_mod_that_waits_for_an_answer_is_named(forge: Make) -> None:
    task = ("create:hello", b"\x01", "create:hello")
    pair = forge(ConnectionOptions(configuration_timeout_s=20), tasks=(task,))
    for _ in range(3):
        pair.advance(9)
        if not pair.ended:
            pair.server.send("keep_alive", keepAliveId=1)
    assert pair.ended["client"].reason == (
        "The server got stuck in configuration: waited 20 s for select_known_packs or registry_data. "
        "One of its mods may wait for an answer on create:hello."
    )
    assert pair.ended["client"].details["unanswered"] == ("create:hello",)


def test_a_packet_in_pieces_is_read_as_one(forge: Make) -> None:
    # tags of one registry, one tag, one number: id 0x0d and its body
    packet = b"\x0d\x01" + text("minecraft:block") + b"\x01" + text("create:fans") + b"\x01\x2a"
    pieces = [b"\x01" + packet[:3], b"\x00" + packet[3:20], b"\x02" + packet[20:]]
    tasks = tuple(("neoforge:split", bytes([len(piece)]) + piece, None) for piece in pieces)
    client = forge(tasks=tasks).join().client
    assert client.registries.tagged("block", "create:fans") == {42}


# --- play --------------------------------------------------------------------------------------------------


def test_screens_with_extra_data_open_like_any_other(forge: Make) -> None:
    pair, seen = in_play(forge, "open_window")
    pair.server.payload(
        "neoforge:advanced_open_screen", b"\x05\xc8\x01" + component("Mixer") + b"\x02\xff\xff"
    )
    pair.pump()
    ((name, fields),) = seen
    assert (name, fields["windowId"], fields["inventoryType"]) == ("open_window", 5, 200)
    assert fields["windowTitle"].value == "Mixer"


def test_container_values_have_thirty_two_bits(forge: Make) -> None:
    pair, seen = in_play(forge, "craft_progress_bar")
    pair.server.payload("neoforge:advanced_container_set_data", b"\x05\x00\x03\xa0\x8d\x06")
    pair.pump()
    assert seen == [("craft_progress_bar", {"windowId": 5, "property": 3, "value": 100_000})]


def test_the_time_comes_in_neoforges_way(forge: Make) -> None:
    pair, seen = in_play(forge, "update_time")
    rest = b"\x3f\x00\x00\x00\xbf\x80\x00\x00"
    for body in (b"\x90\x4e\xe8\x07\x01", b"\x90\x4e\xe8\x07\x00", b"\x01\x00\x00"):
        pair.server.payload("neoforge:custom_time_packet", body + rest)
    pair.pump()
    assert [(fields["age"], fields["time"]) for _, fields in seen] == [
        (10_000, 1000),
        (10_000, -1000),
        (1, -1),
    ]


def test_neoforges_payloads_keep_their_place_in_a_bundle(forge: Make) -> None:
    pair, seen = in_play(forge, "update_health", "update_time")
    pair.server.send("bundle_delimiter")
    pair.server.send("update_health", health=1.0, food=1, foodSaturation=0.0)
    pair.server.payload("neoforge:custom_time_packet", b"\x01\x01\x01" + bytes(8))
    pair.pump()
    assert seen == []
    pair.server.send("update_health", health=2.0, food=1, foodSaturation=0.0)
    pair.server.send("bundle_delimiter")
    pair.pump()
    assert [name for name, _ in seen] == ["update_health", "update_time", "update_health"]


def test_data_of_the_maps_we_asked_for_is_kept(forge: Make) -> None:
    pair, _ = in_play(forge, "update_health")
    body = text("minecraft:item") + b"\x01" + text("neoforge:furnace_fuels") + b"\x01"
    body += text("create:coke") + text('{"burn_time":3200}')
    pair.server.payload("neoforge:registry_data_map_sync", body)
    pair.pump()
    fuels = pair.client.neoforge.data_maps["minecraft:item"]["neoforge:furnace_fuels"]
    assert fuels == {"create:coke": {"burn_time": 3200}}


#: A potion with one effect that has no hidden one, up to where NeoForge goes on: window 0, state 1, slot 36.
POTION = b"\x00\x01\x00\x24\x01\x05\x01\x00\x1f\x00\x00\x01\x02\x00\x14\x00\x01\x01\x00"


def test_effects_in_items_are_followed_by_what_cures_them(forge: Make) -> None:
    pair, seen = in_play(forge, "set_slot")
    pair.server.send_packet("set_slot", POTION + b"\x01\x01" + text("milk"))
    pair.pump()
    ((_, fields),) = seen
    (component,) = fields["item"]["components"]
    assert component["data"]["customEffects"][0]["details"]["cures"] == ["milk"]
    assert not pair.client.dropped


def test_in_vanilla_posture_effects_in_items_are_vanillas(forge: Make) -> None:
    pair, seen = in_play(forge, "set_slot", options=ConnectionOptions(posture="vanilla"))
    pair.server.send_packet("set_slot", POTION)
    pair.pump()
    assert len(seen) == 1
    assert not pair.client.dropped


def test_payloads_nobody_understands_do_no_harm_in_play(forge: Make) -> None:
    pair, seen = in_play(forge, "update_health")
    pair.server.payload("create:anything", bytes(range(256)))
    pair.server.payload("neoforge:sync_attachments", b"\xff")
    pair.server.send("update_health", health=1.0, food=1, foodSaturation=0.0)
    pair.pump()
    assert len(seen) == 1
    assert not pair.client.dropped


# --- reconfiguration ---------------------------------------------------------------------------------------


def test_a_reconfiguration_negotiates_anew(forge: Make) -> None:
    pair = forge().join()
    pair.server.heard.clear()
    pair.server.reconfigure()
    pair.pump()
    assert pair.server.heard[0][0] == "neoforge:register"
    assert pair.client.state == "play"
    assert pair.client.codec is NEOFORGE
    assert pair.client.registries.name_of("item", 300) == "create:cogwheel"


def test_behind_a_proxy_a_vanilla_server_may_follow(forge: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = forge(on_play=lambda server: server.send("login", **LOGIN)).join()
    assert pair.client.codec is NEOFORGE
    monkeypatch.setattr(NeoForgeServer, "_configure", ServerConnection._configure)
    pair.server.reconfigure()
    pair.pump()
    assert pair.client.state == "play"
    assert not pair.client.neoforge.speaking
    assert pair.client.codec is VANILLA
    assert pair.client.registries.frozen == ()


# --- bytes that are no payload -----------------------------------------------------------------------------

READERS = [
    payloads.read_agreement,
    payloads.read_refusals,
    payloads.read_registry_list,
    payloads.read_frozen_name,
    payloads.read_frozen_registry,
    payloads.read_data_map_offers,
    payloads.read_data_maps,
    payloads.read_split,
    payloads.read_open_screen,
    payloads.read_container_data,
    payloads.read_time,
    payloads.read_common_register,
]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
@given(data=st.binary(max_size=200) | st.sampled_from([ITEMS[:cut] for cut in range(len(ITEMS))]))
def test_whatever_comes_is_read_or_refused(read: Any, data: bytes) -> None:
    with contextlib.suppress(payloads.PayloadError):
        read(data)


@given(st.binary(max_size=300))
def test_names_of_channels_are_read_from_anything(data: bytes) -> None:
    assert all(":" in name for name in payloads.read_channel_names(data))
