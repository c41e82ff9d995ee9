"""Coming in, being seen, talking, leaving."""

from __future__ import annotations

from numen.testing.sandbox import Client, Env
from protocol.text import plain_text


def lines(client: Client) -> list[str]:
    return [plain_text(each["content"]) for each in client.seen("system_chat")]


def test_a_client_is_told_what_it_needs_in_the_games_order() -> None:
    env = Env()
    steve = env.join()
    order = steve.order
    for earlier, later in (
        ("login", "difficulty"),
        ("difficulty", "abilities"),
        ("abilities", "held_item_slot"),
        ("player_info", "position"),
        ("position", "game_state_change"),
        ("game_state_change", "chunk_batch_start"),
    ):
        assert order.index(earlier) < order.index(later)
    login = steve.last("login")
    assert login["worldState"]["gamemode"] == "survival"
    assert login["worldState"]["isFlat"] is True
    assert steve.last("update_health") == {"health": 20.0, "food": 20, "foodSaturation": 5.0}
    assert len(steve.last("window_items")["items"]) == 46


def test_the_columns_around_the_player_arrive() -> None:
    env = Env(view_distance=3)
    steve = env.join(settle=20)
    assert steve.player.view.complete
    assert len(steve.player.view) == 49


def test_players_see_each_other_come_move_and_go() -> None:
    env = Env()
    steve = env.join("Steve")
    alex = env.join("Alex")
    env.tick(5)
    assert [each["entityId"] for each in alex.seen("spawn_entity")] == [steve.player.id]
    assert [each["entityId"] for each in steve.seen("spawn_entity")] == [alex.player.id]
    listed = {entry["player"]["name"] for info in alex.seen("player_info") for entry in info["data"]}
    assert listed == {"Steve", "Alex"}
    steve.forget()
    alex.walk(1.0, 0.0)
    moved = sum(each["dX"] for each in steve.seen("rel_entity_move")) / 4096
    assert abs(moved - 1.0) < 0.3
    number = alex.player.id
    alex.pair.client.close("bye")
    env.tick(2)
    assert steve.last("entity_destroy") == {"entityIds": [number]}
    assert steve.last("player_remove")["players"] == [alex.pair.client.uuid]
    assert lines(steve)[-1] == "Alex left the game"


def test_a_second_login_of_the_same_name_sends_the_first_away() -> None:
    env = Env()
    first = env.join("Steve")
    second = env.join("Steve")
    env.tick(2)
    assert first.gone is not None
    assert second.gone is None
    assert len(env.sandbox.players) == 1


def test_a_full_server_refuses() -> None:
    env = Env(max_players=1)
    env.join("Steve")
    assert env.sandbox.connection_options().refuse("Alex", env.world.players[0].uuid)


def test_chat_reaches_everybody_as_an_unsigned_player_message() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    heard = []
    env.sandbox.on_chat.append(lambda player, line: heard.append((player.name, line)))
    steve.say("hello there")
    for client in (steve, alex):
        message = client.last("player_chat")
        assert message["plainMessage"] == "hello there"
        assert message["senderUuid"] == steve.player.uuid
        assert plain_text(message["networkName"]) == "Steve"
    assert heard == [("Steve", "hello there")]


def test_an_illegal_character_ends_the_connection() -> None:
    env = Env()
    steve = env.join()
    steve.say("§4red")
    env.tick()
    assert steve.gone is not None
    assert env.judge.counts["bad_chat"] == 1


def test_only_fifty_packets_a_tick_are_handled() -> None:
    env = Env()
    steve = env.join()
    player = steve.player
    for _ in range(120):
        steve.send("held_item_slot", slotId=1)
    steve.send("held_item_slot", slotId=5)
    env.tick(2)
    assert player.inventory.held_slot == 1
    env.tick()
    assert player.inventory.held_slot == 5


def test_a_hotbar_slot_that_is_none_is_refused() -> None:
    env = Env()
    steve = env.join()
    steve.send("held_item_slot", slotId=9)
    env.tick()
    assert steve.player.inventory.held_slot == 0
    assert env.judge.counts["bad_slot"] == 1


def test_an_honest_visit_leaves_no_mark() -> None:
    env = Env()
    steve = env.join()
    steve.walk(3.0, 2.0)
    env.tick(30)
    assert not env.judge.counts
