"""What a connection does by itself in play, and what it hands on."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

import pytest

from numen.testing.link import LOGIN, InMemoryPair
from protocol.connection import ConnectionOptions
from protocol.link import Disconnect, WrongState
from protocol.server import ServerConnection, ServerOptions

HEALTH = {"health": 20.0, "food": 20, "foodSaturation": 5.0}


def health(food: int) -> dict[str, Any]:
    return {"health": 20.0, "food": food, "foodSaturation": 5.0}


class Order:
    """Notes which packets were handled, in order."""

    def __init__(self, link: Any, *packets: str) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        for packet in packets:
            link.subscribe(packet, lambda fields, packet=packet: self.seen.append((packet, fields)))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.seen]


# --- handing on ---------------------------------------------------------------------------------------------


def test_whoever_subscribes_right_after_connecting_misses_nothing() -> None:
    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        server.send("update_health", **HEALTH)

    pair = InMemoryPair(on_play=on_play).join()
    late = Order(pair.client, "login", "update_health")
    later = Order(pair.client, "update_health")
    pair.pump()
    assert late.names == ["login", "update_health"]
    assert later.names == ["update_health"]


def test_what_is_attached_before_the_login_sees_it_as_it_comes() -> None:
    orders: list[Order] = []
    InMemoryPair(attach=lambda client: orders.append(Order(client, "login"))).join()
    assert orders[0].names == ["login"]


def test_handlers_are_called_in_order_of_subscription() -> None:
    pair = InMemoryPair().join()
    seen: list[int] = []
    for number in range(3):
        pair.client.subscribe("update_health", lambda fields, number=number: seen.append(number))
    pair.server.send("update_health", **HEALTH)
    pair.pump()
    assert seen == [0, 1, 2]


def test_subscribing_to_a_packet_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        InMemoryPair().join().client.subscribe("no_such_packet", print)


def test_packets_of_a_bundle_are_handed_on_together_when_it_closes() -> None:
    pair = InMemoryPair().join()
    order = Order(pair.client, "update_health", "experience")
    pair.pump()
    pair.server.send("bundle_delimiter")
    pair.server.send("update_health", **HEALTH)
    pair.pump()
    pair.server.send("experience", experienceBar=0.5, level=1, totalExperience=10)
    pair.pump()
    assert order.names == []
    pair.server.send("bundle_delimiter")
    pair.server.send("update_health", **HEALTH)
    pair.pump()
    assert order.names == ["update_health", "experience", "update_health"]


def test_a_keep_alive_does_not_wait_for_the_end_of_a_bundle_and_a_ping_does() -> None:
    answers: list[str] = []

    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        server.subscribe("keep_alive", lambda fields: answers.append("keep_alive"))
        server.subscribe("pong", lambda fields: answers.append("pong"))

    pair = InMemoryPair(on_play=on_play).join()
    Order(pair.client, "login")
    pair.pump()
    pair.server.send("bundle_delimiter")
    pair.server.send("ping", id=5)
    pair.server._beat()
    pair.pump()
    assert answers == ["keep_alive"]
    pair.server.send("bundle_delimiter")
    pair.pump()
    assert answers == ["keep_alive", "pong"]


def test_a_bundle_beyond_its_limit_is_handed_on_in_parts_and_still_ends_where_it_ends() -> None:
    pair = InMemoryPair().join()
    order = Order(pair.client, "update_health")
    pair.pump()

    def eaten() -> list[int]:
        return [fields["food"] for _, fields in order.seen]

    pair.server.send("bundle_delimiter")
    for food in range(5000):
        pair.server.send("update_health", **health(food))
    pair.pump()
    assert eaten() == list(range(4097))
    pair.server.send("bundle_delimiter")
    pair.server.send("update_health", **health(5000))
    pair.pump()
    assert eaten() == list(range(5001))


def test_bundles_are_whole_when_they_were_kept_for_the_first_subscriber() -> None:
    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        server.send("bundle_delimiter")
        server.send("update_health", **HEALTH)

    pair = InMemoryPair(on_play=on_play).join()
    order = Order(pair.client, "update_health")
    pair.pump()
    assert order.names == []
    pair.server.send("bundle_delimiter")
    pair.pump()
    assert order.names == ["update_health"]


# --- packets that go wrong ----------------------------------------------------------------------------------


def test_an_undecodable_packet_is_dropped_counted_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    pair = InMemoryPair().join()
    order = Order(pair.client, "update_health", "system_chat")
    pair.pump()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            pair.server.send_packet("system_chat", b"\xff\xff\x01")
            pair.server.send("update_health", **HEALTH)
        pair.pump()
    assert order.names == ["update_health"] * 3
    assert pair.client.dropped == {"system_chat": 3}
    assert [record.message for record in caplog.records if "system_chat" in record.message] == [
        caplog.records[0].message
    ]
    assert "6cffff01" in caplog.records[0].message
    assert pair.ended == {}


def test_a_packet_nobody_subscribed_to_is_not_decoded() -> None:
    pair = InMemoryPair().join()
    Order(pair.client, "login")
    pair.pump()
    pair.server.send_packet("action_bar", b"\xff\xff\x01")
    pair.pump()
    assert not pair.client.dropped


def test_a_failing_handler_is_logged_with_its_packet_and_the_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pair = InMemoryPair().join()

    def fail(fields: dict[str, Any]) -> None:
        raise ZeroDivisionError

    pair.client.subscribe("update_health", fail)
    order = Order(pair.client, "update_health")
    pair.pump()
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            pair.server.send("update_health", **HEALTH)
        pair.pump()
    assert len(order.seen) == 3
    assert pair.client.failures == {"update_health": 3}
    assert [record.message for record in caplog.records] == ["handling play update_health failed"]
    assert pair.ended == {}


def test_unknown_ids_are_ignored_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    pair = InMemoryPair().join()
    order = Order(pair.client, "update_health")
    pair.pump()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            pair.server._write(b"\x7d\x01\x02")
            pair.server._write(b"\x85\x02\x01")
            pair.server.send("update_health", **HEALTH)
        pair.pump()
    assert len(order.seen) == 2
    assert [record.message for record in caplog.records] == [
        "ignored a packet with the unknown id 0x7d in state play: 7d0102",
        "ignored a packet with the unknown id 0x105 in state play: 850201",
    ]


def test_a_broken_byte_stream_ends_the_connection() -> None:
    pair = InMemoryPair().join()
    pair.client.dataReceived(b"\xff\xff\xff\xff\xff")
    pair.pump()
    assert pair.ended["client"].details["kind"] == "framing"
    assert pair.ended["client"].reason == "The byte stream is broken: a frame's length is wider than 21 bits."


# --- upkeep -------------------------------------------------------------------------------------------------


def test_keep_alives_are_answered_for_hours() -> None:
    pair = InMemoryPair().join()
    pair.advance(3600, step=5)
    assert pair.ended == {}
    assert pair.server.latency_ms == 0


def test_keep_alives_are_answered_while_packets_wait_for_a_subscriber() -> None:
    pair = InMemoryPair().join()
    pair.server.send("update_health", **HEALTH)
    pair.advance(120)
    assert pair.ended == {}


@pytest.mark.parametrize("idle_timeout_s", [20, 1000])
def test_a_client_that_answers_no_keep_alive_is_sent_away(idle_timeout_s: float) -> None:
    pair = InMemoryPair(server_options=ServerOptions(idle_timeout_s=idle_timeout_s)).join()
    pair.client._table("play")[0x26] = None
    pair.advance(31)
    assert pair.ended["client"].details == {
        "kind": "timeout",
        "text": "Timed out",
        "username": "Tester",
        "key": "disconnect.timeout",
        "with": [],
    }


def test_a_silent_server_is_noticed() -> None:
    pair = InMemoryPair(
        options=ConnectionOptions(idle_timeout_s=10), server_options=ServerOptions(keep_alive_s=1000)
    ).join()
    pair.clock.advance(11)
    pair.pump()
    assert pair.ended["client"].reason == "The server has sent nothing for 10 s."


def test_every_chunk_batch_is_acknowledged_an_empty_one_too() -> None:
    rates: list[float] = []

    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        server.subscribe("chunk_batch_received", lambda fields: rates.append(fields["chunksPerTick"]))

    pair = InMemoryPair(on_play=on_play).join()
    Order(pair.client, "login")
    for size in (0, 4, 0, 25):
        pair.server.send("chunk_batch_start")
        pair.server.send("chunk_batch_finished", batchSize=size)
        pair.pump()
    assert len(rates) == 4
    assert all(1 <= rate <= 64 for rate in rates)
    assert rates[0] == pytest.approx(3.5)


def test_resource_packs_and_cookies_work_in_play_as_well() -> None:
    answers: list[tuple[str, dict[str, Any]]] = []

    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        for name in ("resource_pack_receive", "cookie_response"):
            server.subscribe(name, lambda fields, name=name: answers.append((name, fields)))

    pair = InMemoryPair(on_play=on_play).join()
    Order(pair.client, "login")
    pack = UUID(int=3)
    pair.server.send("store_cookie", key="a:b", value=b"x")
    pair.server.send("cookie_request", cookie="a:b")
    pair.server.send("add_resource_pack", uuid=pack, url="u", hash="", forced=False, promptMessage=None)
    pair.pump()
    assert answers == [
        ("cookie_response", {"key": "a:b", "value": b"x"}),
        *(("resource_pack_receive", {"uuid": pack, "result": result}) for result in (3, 4, 0)),
    ]


# --- the gate, and reconfiguration --------------------------------------------------------------------------


def test_a_packet_of_another_state_is_not_sent() -> None:
    pair = InMemoryPair()
    with pytest.raises(WrongState, match="position can't be sent in state login"):
        pair.client.send("position", x=0.0, y=0.0, z=0.0, onGround=True)
    pair.join()
    with pytest.raises(WrongState):
        pair.client.send("finish_configuration")


def test_start_configuration_shuts_the_gate_at_once_and_play_comes_back() -> None:
    sent: list[str] = []
    pair = InMemoryPair().join()
    order = Order(pair.client, "login", "start_configuration", "update_health")

    def refuse(fields: dict[str, Any]) -> None:
        with pytest.raises(WrongState):
            pair.client.send("position", x=0.0, y=0.0, z=0.0, onGround=True)
        sent.append(pair.client.state)

    pair.client.subscribe("start_configuration", refuse)
    pair.pump()
    pair.server.reconfigure()
    pair.pump()
    pair.server.send("update_health", **HEALTH)
    pair.pump()
    assert sent == ["configuration"]
    assert order.names == ["login", "start_configuration", "login", "update_health"]
    assert pair.server.times_in_play == 2
    assert pair.ended == {}


def test_brand_and_settings_are_not_sent_again() -> None:
    pair = InMemoryPair().join()
    pair.server.settings = {}
    pair.server.client_brand = None
    pair.server.reconfigure()
    pair.pump()
    assert pair.client.state == "play"
    assert pair.server.settings == {}
    assert pair.server.client_brand is None


def test_what_a_client_still_plays_before_it_acknowledges_goes_unread() -> None:
    order: list[Order] = []

    def on_play(server: ServerConnection) -> None:
        server.send("login", **LOGIN)
        order.append(Order(server, "arm_animation"))

    pair = InMemoryPair(on_play=on_play).join()
    pair.client.send("arm_animation", hand=0)
    pair.server.reconfigure()
    with pytest.raises(WrongState):
        pair.server.send("update_health", **HEALTH)
    pair.pump()
    assert [each.names for each in order] == [[], []]
    pair.client.send("arm_animation", hand=0)
    pair.pump()
    assert [each.names for each in order] == [[], ["arm_animation"]]


def test_a_reconfiguration_before_anyone_subscribed_starts_afresh() -> None:
    pair = InMemoryPair().join()
    pair.server.send("update_health", **HEALTH)
    pair.server.reconfigure()
    pair.pump()
    assert pair.server.times_in_play == 2
    order = Order(pair.client, "login", "update_health")
    pair.pump()
    assert order.names == ["login"]


def test_a_bundle_left_open_at_start_configuration_is_handed_on_first() -> None:
    pair = InMemoryPair().join()
    order = Order(pair.client, "update_health", "start_configuration")
    pair.pump()
    pair.server.send("bundle_delimiter")
    pair.server.send("update_health", **HEALTH)
    pair.server.reconfigure()
    pair.pump()
    assert order.names == ["update_health", "start_configuration"]
    assert pair.client.state == "play"


def test_many_reconfigurations_leave_nothing_behind() -> None:
    pair = InMemoryPair(piece=100).join()
    order = Order(pair.client, "login")
    pair.pump()
    for _ in range(20):
        pair.server.reconfigure()
        pair.pump()
    assert len(order.seen) == 21
    assert len(pair.clock.getDelayedCalls()) <= 4


# --- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "sentence", "kind"),
    [
        ("Bye", "The server kicked the companion: Bye.", "kicked"),
        ({"text": "§4No§r way!"}, "The server kicked the companion: No way!", "kicked"),
        (
            {"translate": "multiplayer.disconnect.banned.reason", "with": ["griefing"]},
            "The server kicked the companion: You are banned from this server. Reason: griefing.",
            "banned",
        ),
        ({"translate": "disconnect.spam"}, "The server kicked the companion: Kicked for spamming.", "spam"),
        ({"text": ""}, "The server kicked the companion: no reason given.", "kicked"),
        (
            {"text": "", "extra": ["A", {"text": "B", "extra": [{"text": "C"}]}, {"keybind": "key.jump"}]},
            "The server kicked the companion: ABCJump.",
            "kicked",
        ),
    ],
)
def test_a_kick_is_one_plain_sentence(reason: Any, sentence: str, kind: str) -> None:
    pair = InMemoryPair().join()
    pair.server.close(reason)
    pair.pump()
    end = pair.ended["client"]
    assert (end.reason, end.details["kind"], end.by_server, end.state) == (sentence, kind, True, "play")


def test_closing_tells_everyone_once_and_stops_every_timer() -> None:
    pair = InMemoryPair().join()
    told: list[Disconnect] = []
    pair.client.on_closed(told.append)
    pair.client.close("enough")
    pair.client.close("again")
    pair.client.send("position", x=0.0, y=0.0, z=0.0, onGround=True)
    pair.pump()
    pair.client.on_closed(told.append)
    assert [end.reason for end in told] == ["enough", "enough"]
    assert not told[0].by_server
    assert pair.ended["server"].details["kind"] == "lost"
    assert pair.clock.getDelayedCalls() == []


def test_a_peer_that_takes_no_bytes_is_cut_off() -> None:
    pair = InMemoryPair().join()
    pair.client.close()
    pair.clock.advance(6)
    assert pair.client.transport.aborted


def test_a_transfer_in_play_is_left_to_the_owner() -> None:
    pair = InMemoryPair().join()
    pair.server.send("transfer", host="elsewhere", port=1)
    pair.pump()
    assert pair.ended["client"].details["transfer"] == ("elsewhere", 1)
