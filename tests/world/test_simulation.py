"""The test kit itself: what tool authors may rely on."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from numen.testing import terrain
from numen.testing.simulation import Simulation
from protocol.codec import EncodeError
from protocol.game import GAME, UnknownName


def test_a_simulation_in_play_begins_with_nothing_sent() -> None:
    sim = Simulation()
    assert sim.state == "play"
    sim.sent.expect_nothing()


def test_the_login_can_be_watched_from_its_first_packet() -> None:
    sim = Simulation("login", username="Ada")
    sim.sent.expect("set_protocol", protocolVersion=767, nextState=2)
    sim.sent.expect("login_start", username="Ada")
    sim.sent.expect_nothing()
    sim.receive("compress", threshold=64)
    sim.receive("success", uuid=sim.link.uuid, username="Ada", properties=[], strictErrorHandling=False)
    sim.sent.expect("login_acknowledged")
    assert sim.state == "configuration"
    sim.sent.skip_to("settings", locale="en_us")


def test_sent_packets_are_the_real_bytes_decoded() -> None:
    sim = Simulation()
    sim.link.send("position", x=0.1, y=64.0, z=-3.0, onGround=True)
    sim.link.send("look", yaw=0.1, pitch=0.0, onGround=False)
    assert sim.sent.names() == ["position", "look"]
    assert sim.sent.expect("position", x=0.1, y=64, onGround=True)["z"] == -3.0
    sim.sent.expect("look", yaw=0.1)  # a 32-bit field holds the nearest number to 0.1
    sim.sent.expect_nothing()


def test_what_is_not_as_expected_says_what_there_is() -> None:
    sim = Simulation()
    with pytest.raises(AssertionError, match="nothing was sent"):
        sim.sent.expect("position")
    sim.link.send("arm_animation", hand=0)
    with pytest.raises(AssertionError, match=r"there is arm_animation\(hand=0\)"):
        sim.sent.expect_nothing()
    with pytest.raises(AssertionError, match=r"expected arm_animation with hand=1"):
        sim.sent.expect("arm_animation", hand=1)
    sim.link.send("arm_animation", hand=0)
    with pytest.raises(AssertionError, match=r"expected position, but arm_animation"):
        sim.sent.expect("position")
    sim.link.send("arm_animation", hand=0)
    with pytest.raises(AssertionError, match="has no field foot"):
        sim.sent.expect("arm_animation", foot=0)


def test_packets_can_be_picked_out_and_passed_over() -> None:
    sim = Simulation()
    for hand in (0, 1, 0):
        sim.link.send("arm_animation", hand=hand)
    sim.link.send("held_item_slot", slotId=3)
    assert sim.sent.maybe("arm_animation", hand=1) is None
    assert sim.sent.maybe("arm_animation", hand=0) == {"hand": 0}
    assert sim.sent.skip_to("held_item_slot", slotId=3) == {"slotId": 3}
    for hand in (0, 1):
        sim.link.send("arm_animation", hand=hand)
        sim.link.send("held_item_slot", slotId=hand)
    assert [packet.fields["slotId"] for packet in sim.sent.take("held_item_slot")] == [0, 1]
    assert sim.sent.names() == ["arm_animation", "arm_animation"]
    with pytest.raises(AssertionError, match="expected position somewhere"):
        sim.sent.skip_to("position")


def test_numbers_may_be_off_by_a_tolerance() -> None:
    sim = Simulation()
    sim.link.send("position", x=0.5, y=64.0, z=0.0, onGround=True)
    sim.sent.expect("position", x=0.50001, tol=1e-4)


def test_a_failing_handler_fails_the_test(caplog: pytest.LogCaptureFixture) -> None:
    sim = Simulation()

    def broken(fields: dict[str, Any]) -> None:
        raise ZeroDivisionError

    sim.link.subscribe("update_time", broken)
    with (
        caplog.at_level(logging.CRITICAL),
        pytest.raises(AssertionError, match="handling update_time failed"),
    ):
        sim.receive("update_time", age=1, time=1)


def test_bytes_the_client_can_not_read_fail_the_test() -> None:
    sim = Simulation()
    with pytest.raises(AssertionError, match="could not be decoded"):
        sim.receive_payload(b"\x64\x00")  # update_time, cut short


def test_fields_a_packet_does_not_have_are_refused() -> None:
    sim = Simulation()
    with pytest.raises(EncodeError):
        sim.receive("update_time", age=1, time=1, year=1)


def test_time_only_moves_by_ticks() -> None:
    sim = Simulation()
    fired: list[int] = []
    sim.clock.callLater(0.5, lambda: fired.append(sim.clock.ticks))
    sim.tick(9)
    assert fired == []
    sim.tick(1)
    assert fired == [10]
    assert sim.world.ticks == 10


def test_worlds_can_be_drawn() -> None:
    sim = Simulation()
    sim.layers(
        """
        ###
        #W#
        """,
        """
        L..
        .T#
        """,
        legend={"T": "torch"},
        at=(-1, 60, 15),
    )
    names = {
        (x, y, z): GAME.block_of(sim.world.block(x, y, z)).name.removeprefix("minecraft:")
        for x in range(-1, 2)
        for y in (60, 61)
        for z in (15, 16)
    }
    assert names[-1, 60, 15] == names[1, 60, 16] == "stone"
    assert names[0, 60, 16] == "water"
    assert (names[-1, 61, 15], names[0, 61, 16], names[1, 61, 16]) == ("oak_log", "torch", "stone")
    assert names[0, 61, 15] == "air"


def test_mistakes_in_a_drawing_are_told() -> None:
    with pytest.raises(KeyError):
        terrain.layers("?")
    with pytest.raises(UnknownName, match="oak_log"):
        terrain.column(0, 0, {(0, 0, 0): "oak_lok"})
    with pytest.raises(ValueError, match="not in chunk 0 0"):
        terrain.column(0, 0, {(16, 0, 0): "stone"})


def test_a_block_can_be_named_with_its_properties() -> None:
    assert terrain.state_of("oak_log[axis=x]") == GAME.state("oak_log", axis="x")
    assert terrain.state_of("chest[facing=east,type=left]") == GAME.state("chest", facing="east", type="left")


def test_a_kick_is_seen() -> None:
    sim = Simulation()
    sim.receive("kick_disconnect", reason={"text": "Be gone"})
    assert sim.closed is not None
    assert "Be gone" in sim.closed.reason
    sim.link.send("arm_animation", hand=0)
    sim.sent.expect_nothing()


def test_a_reconfiguration_leads_back_to_play() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    sim.receive("start_configuration")
    sim.sent.expect("configuration_acknowledged")
    assert sim.state == "configuration"
    sim.receive("finish_configuration")
    sim.login(entityId=5)
    assert (sim.state, sim.world.me.entity_id, len(sim.world.chunks)) == ("play", 5, 0)
