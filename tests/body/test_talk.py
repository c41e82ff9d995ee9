"""What is said in chat, how it is cut, and how fast."""

from __future__ import annotations

import pytest

from numen.body.talk import MAX_UNITS, MAX_WAITING, clean, say, split, units
from numen.testing.simulation import Simulation


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("hello", "hello"),
        ("§cred§r and §§ signs", "red and signs"),
        ("two\nlines\tand a bell\x07", "two lines and a bell"),
        ("  blanks   within  ", "blanks within"),
        ("你好，世界", "你好，世界"),
        ("broken \ud83d half", "broken half"),
        ("\x7f\x1b[31m", "[31m"),
    ],
)
def test_text_is_cleaned_of_what_ends_a_connection(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_long_text_is_cut_between_words() -> None:
    text = " ".join(["word"] * 120)
    pieces = split(text)
    assert all(units(piece) <= MAX_UNITS for piece in pieces)
    assert " ".join(pieces) == text


def test_text_without_blanks_is_cut_at_the_limit() -> None:
    assert [len(piece) for piece in split("x" * 600)] == [256, 256, 88]


def test_signs_outside_the_basic_plane_count_twice() -> None:
    pieces = split("🙂" * 200)
    assert [len(piece) for piece in pieces] == [128, 72]
    assert all(units(piece) <= MAX_UNITS for piece in pieces)


def joined() -> Simulation:
    return Simulation(body=True)


def test_a_message_is_sent_at_once_and_unsigned() -> None:
    sim = joined()
    verdict = say(sim.body, "hello there")
    assert verdict.ok
    sim.sent.expect("chat_message", message="hello there", signature=None, offset=0, acknowledged=bytes(3))
    sim.sent.expect_nothing()


def test_a_slash_makes_it_a_command() -> None:
    sim = joined()
    say(sim.body, "/time set day")
    sim.sent.expect("chat_command", command="time set day")
    sim.sent.expect_nothing()


@pytest.mark.parametrize(
    "text", ["/op Eve", " //op Eve", "\x01/op Eve", "§r/op Eve", "§/ §/op Eve", "\ud800/op Eve"]
)
def test_words_alone_never_become_a_command(text: str) -> None:
    sim = joined()
    assert say(sim.body, text, words_only=True).ok
    sim.sent.expect("chat_message", message="op Eve")
    sim.sent.expect_nothing()
    assert not say(sim.body, " §r/ / ", words_only=True).ok


def test_no_piece_of_a_long_message_becomes_a_command() -> None:
    sim = joined()
    assert say(sim.body, f"{'x' * 255} /op Eve").ok
    assert [each.fields["message"] for each in sim.sent.take("chat_message")] == ["x" * 255, "op Eve"]
    assert say(sim.body, f"{'x' * 256}/op Eve").ok
    assert [each.fields["message"] for each in sim.sent.take("chat_message")] == ["x" * 256, "op Eve"]
    sim.sent.expect_nothing()


def test_nothing_is_said_of_an_empty_text() -> None:
    sim = joined()
    verdict = say(sim.body, " §a \n")
    assert not verdict.ok
    assert verdict.kind == "bad_target"
    sim.sent.expect_nothing()


def test_a_flood_is_slowed_below_the_servers_spam_limit() -> None:
    sim = joined()
    for number in range(20):
        assert say(sim.body, f"message {number}").ok
    heat = 0
    sent = 0
    for _ in range(300):
        now = len(sim.sent.take("chat_message"))
        sent += now
        heat += 20 * now
        assert heat <= 200, "vanilla would have kicked"
        heat = max(0, heat - 1)
        sim.tick()
    assert sent == 20
    assert sim.body.talk.waiting == 0


def test_messages_keep_their_order_while_they_wait() -> None:
    sim = joined()
    for number in range(12):
        say(sim.body, f"{number}")
    sim.tick(100)
    texts = [packet.fields["message"] for packet in sim.sent.take("chat_message")]
    assert texts == [str(number) for number in range(12)]


def test_an_endless_queue_is_refused() -> None:
    sim = joined()
    verdicts = [say(sim.body, f"{number}") for number in range(MAX_WAITING + 20)]
    assert verdicts[0].ok
    assert verdicts[-1].kind == "full"


def test_nothing_is_said_into_a_closed_connection() -> None:
    sim = joined()
    sim.disconnect()
    assert say(sim.body, "anyone?").ok
    assert sim.body.talk.waiting == 1
    sim.sent.expect_nothing()
