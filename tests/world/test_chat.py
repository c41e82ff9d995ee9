"""Talk: who said what to whom, whatever packet brings it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from numen.testing.simulation import Simulation
from numen.world import ChatLine
from numen.world.chat import KEPT_LINES, pattern

ADA = UUID(int=0xADA)
#: Numbers of vanilla's chat types, as registries send them.
TYPES = (
    *("chat", "emote_command", "msg_command_incoming", "msg_command_outgoing"),
    *("say_command", "team_msg_command_incoming", "team_msg_command_outgoing"),
)


def chat_type(sim: Simulation, name: str) -> dict[str, int]:
    return {"chatType": sim.link.registries.names("minecraft:chat_type").index(f"minecraft:{name}")}


def with_ada() -> Simulation:
    sim = Simulation()
    sim.receive(
        "player_info",
        action=["add_player"],
        data=[{"uuid": ADA, "player": {"name": "Ada", "properties": []}}],
    )
    return sim


def last(sim: Simulation) -> ChatLine:
    return sim.world.chat.recent(1)[0]


def system(sim: Simulation, content: Any) -> ChatLine:
    sim.receive("system_chat", content=content)
    return last(sim)


def test_a_players_message_has_its_sender() -> None:
    sim = with_ada()
    told: list[ChatLine] = []
    sim.world.events.on("chat", told.append)
    sim.tick(4)
    sim.receive(
        "player_chat",
        senderUuid=ADA,
        plainMessage="hello there",
        networkName={"text": "Ada"},
        type=chat_type(sim, "chat"),
    )
    (line,) = told
    assert (line.kind, line.sender, line.sender_uuid, line.text) == ("chat", "Ada", ADA, "hello there")
    assert (line.display, line.at, line.own) == ("<Ada> hello there", 4, False)


def test_what_the_server_made_of_a_message_counts_more_than_the_signed_words() -> None:
    sim = with_ada()
    sim.receive(
        "player_chat",
        senderUuid=ADA,
        plainMessage="hello",
        unsignedChatContent={"text": "", "extra": [{"text": "hel"}, "lo!"]},
        networkName="Ada",
    )
    assert last(sim).text == "hello!"


def test_a_nickname_does_not_hide_the_account() -> None:
    sim = with_ada()
    sim.receive("player_chat", senderUuid=ADA, plainMessage="hi", networkName={"text": "The Countess"})
    assert (last(sim).sender, last(sim).display) == ("Ada", "<The Countess> hi")


def test_our_own_words_are_known_by_our_uuid() -> None:
    sim = Simulation(username="Tester")
    sim.receive("player_chat", senderUuid=sim.link.uuid, plainMessage="echo", networkName="Somebody else")
    assert last(sim).own


@pytest.mark.parametrize(
    ("name", "kind"),
    [("msg_command_incoming", "whisper"), ("say_command", "say"), ("emote_command", "emote")],
)
def test_the_chat_type_tells_the_kind(name: str, kind: str) -> None:
    sim = with_ada()
    sim.receive(
        "player_chat", senderUuid=ADA, plainMessage="psst", networkName="Ada", type=chat_type(sim, name)
    )
    assert (last(sim).kind, last(sim).sender) == (kind, "Ada")


def test_a_whisper_we_sent_is_ours() -> None:
    sim = with_ada()
    sim.receive(
        "profileless_chat",
        message="psst",
        name="Tester",
        target="Ada",
        type=chat_type(sim, "msg_command_outgoing"),
    )
    line = last(sim)
    assert (line.kind, line.own, line.sender, line.target) == ("whisper_sent", True, "Tester", "Ada")


def test_a_chat_type_may_come_inline() -> None:
    sim = with_ada()
    part = {"translationKey": "%s says %s", "parameters": ["sender", "content"], "style": {}}
    sim.receive(
        "profileless_chat", message="hi", name="Ada", type={"data": {"chat": part, "narration": part}}
    )
    assert (last(sim).display, last(sim).kind, last(sim).sender_uuid) == ("Ada says hi", "chat", ADA)


def test_a_server_without_signed_chat_is_read_by_patterns() -> None:
    sim = with_ada()
    line = system(sim, "<Ada> come here")
    assert (line.kind, line.sender, line.sender_uuid, line.text) == ("chat", "Ada", ADA, "come here")
    assert sim.world.chat.system_only


@pytest.mark.parametrize(
    ("text", "kind", "sender", "said"),
    [
        ("<Stranger> hi: all", "chat", "Stranger", "hi: all"),
        ("<[VIP] Ada> hi", "chat", "Ada", "hi"),
        ("Ada whispers to you: psst", "whisper", "Ada", "psst"),
        ("[Ada -> me] psst", "whisper", "Ada", "psst"),
        ("Ada: hi", "chat", "Ada", "hi"),
        ("[Admin] [World] Ada: hi", "chat", "Ada", "hi"),
        ("VIP Ada » hi", "chat", "Ada", "hi"),
    ],
)
def test_common_formats_are_understood(text: str, kind: str, sender: str, said: str) -> None:
    line = system(with_ada(), text)
    assert (line.kind, line.sender, line.text, line.display) == (kind, sender, said, text)


@pytest.mark.parametrize(
    "text", ["Ada joined the game", "Warning: server restarts", "Stranger: hi", "Time: 12:30", "<Ada>", ""]
)
def test_other_system_messages_stay_system_messages(text: str) -> None:
    line = system(with_ada(), text)
    assert (line.kind, line.sender, line.text) == ("system", None, text)


def test_the_games_own_sentences_are_known_by_key() -> None:
    sim = with_ada()
    line = system(sim, {"translate": "multiplayer.player.joined", "with": [{"text": "Ada"}]})
    assert (line.kind, line.key, line.text) == ("system", "multiplayer.player.joined", "Ada joined the game")
    spoof = system(sim, {"translate": "death.attack.mob", "with": ["x", "<Ada> give me everything"]})
    assert spoof.kind == "system"


def test_a_translated_whisper_in_a_system_message_is_a_whisper() -> None:
    sim = with_ada()
    line = system(sim, {"translate": "commands.message.display.incoming", "with": [{"text": "Ada"}, "psst"]})
    assert (line.kind, line.sender, line.sender_uuid, line.text) == ("whisper", "Ada", ADA, "psst")


def test_our_echo_in_a_system_message_is_ours() -> None:
    sim = Simulation(username="Tester")
    assert system(sim, "<Tester> hello world").own
    assert not sim.world.chat.system_only


def test_the_action_bar_is_no_chat() -> None:
    sim = Simulation()
    told: list[str] = []
    sim.world.events.on("action_bar", told.append)
    sim.receive("system_chat", content="You are tired", isActionBar=True)
    sim.receive("action_bar", text={"text": "Combat in 3"})
    assert told == ["You are tired", "Combat in 3"]
    assert len(sim.world.chat) == 0
    assert sim.world.chat.action_bar == "Combat in 3"


def test_the_log_forgets_the_oldest() -> None:
    sim = Simulation()
    for number in range(KEPT_LINES + 5):
        sim.receive("system_chat", content=f"line {number}")
    lines = list(sim.world.chat)
    assert (len(lines), lines[0].text) == (KEPT_LINES, "line 5")
    assert [line.text for line in sim.world.chat.recent(2)] == [
        f"line {KEPT_LINES + 3}",
        f"line {KEPT_LINES + 4}",
    ]
    assert sim.world.chat.recent(5, "whisper") == []


def test_a_servers_own_format_can_be_added() -> None:
    sim = Simulation()
    chat = sim.world.chat
    chat.patterns = (pattern(r"\*\*NAME\*\* (?P<text>.+)"), *chat.patterns)
    assert (system(sim, "**Ada** hi").sender, last(sim).text) == ("Ada", "hi")
    with pytest.raises(ValueError, match="text"):
        pattern("NAME: .*")
