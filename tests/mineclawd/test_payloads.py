"""The payloads of MineClawd's channels, bare and wrapped, whole and damaged."""

from __future__ import annotations

import json
import logging
import random

import pytest

from numen.mineclawd import payloads as p


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def string(text: str) -> bytes:
    raw = text.encode()
    return varint(len(raw)) + raw


def document(value: object) -> bytes:
    return string(json.dumps(value, ensure_ascii=False))


def wrap(body: bytes, times: int) -> bytes:
    for _ in range(times):
        body = varint(len(body)) + body
    return body


QUESTION = {"questionId": "a1b2c3d4", "question": "Oak?", "options": ["是", "No", "Other"]}
BODIES: list[tuple[str, bytes, p.Body]] = [
    (p.CLIENT_READY, b"\1", p.Flag(True)),
    (p.CLIENT_READY, b"", p.Flag(True)),
    (p.CLIENT_GUI_PREF, b"\0", p.Flag(False)),
    (
        p.QUESTION_RESPONSE,
        document({"questionId": "a1", "type": "option", "optionIndex": 1, "value": "No"}),
        p.QuestionResponse("a1", "option", 1, "No"),
    ),
    (
        p.OPEN_CONFIG,
        string("ops") + document({"apiKey": "sk-secret"}),
        p.ServerConfig("ops", {"apiKey": "sk-secret"}),
    ),
    (p.SYNC_BROADCAST_TARGET, string("all"), p.Text("all")),
    (p.SYNC_ASSISTIVE_TOUCH, b"\1", p.Flag(True)),
    (p.SYNC_DYNAMIC_CONTENT, document({"enabled": False}), p.Document({"enabled": False})),
    (
        p.OPEN_QUESTION,
        document({**QUESTION, "expiresAtEpochMillis": 99}),
        p.AskedByServer("a1b2c3d4", "Oak?", ("是", "No", "Other"), 99),
    ),
    (p.OPEN_SESSIONS, document({"sessions": []}), p.Document({"sessions": []})),
    (p.OPEN_ASSETS, document({"assets": ["x" * 40_000]}), p.Document({"assets": ["x" * 40_000]})),
    (p.OPEN_HISTORY_BOOK, document({"pages": ["a"]}), p.Document({"pages": ["a"]})),
    (p.AGENT_STREAM_EVENT, string("r1") + b"\1" + string("Hé"), p.StreamEvent("r1", 1, "Hé")),
]


@pytest.mark.parametrize("wraps", [0, 1, 2])
@pytest.mark.parametrize(("channel", "body", "meant"), BODIES)
def test_every_channel_is_read_with_none_one_or_two_lengths_before_it(
    channel: str, body: bytes, meant: p.Body, wraps: int
) -> None:
    assert p.decode(channel, wrap(body, wraps)) == meant


def test_each_channel_is_among_the_cases() -> None:
    assert {each[0] for each in BODIES} == {*p.TO_SERVER, *p.TO_CLIENT}


def test_client_ready_has_two_lengths_before_its_flag() -> None:
    assert p.encode_flag(True) == bytes.fromhex("020101")
    assert p.encode_flag(False, wraps=0) == b"\0"


@pytest.mark.parametrize("wraps", [0, 1, 2])
def test_an_answer_comes_back_as_it_was_sent(wraps: int) -> None:
    answer = p.QuestionResponse("a1b2c3d4", "other", -1, "桦木 " * 100)
    assert p.decode(p.QUESTION_RESPONSE, p.encode_question_response(answer, wraps=wraps)) == answer
    with pytest.raises(ValueError, match="too long"):
        p.encode_question_response(p.QuestionResponse("a", "other", -1, "x" * 33_000))


@pytest.mark.parametrize(
    ("channel", "data"),
    [
        (p.SYNC_ASSISTIVE_TOUCH, b""),
        (p.SYNC_ASSISTIVE_TOUCH, b"\7"),
        (p.SYNC_BROADCAST_TARGET, string("x" * 65)),
        (p.SYNC_BROADCAST_TARGET, b"\xff\xff\xff\xff\xff\xff"),
        (p.SYNC_BROADCAST_TARGET, b"\2\xff\xfe"),
        (p.SYNC_DYNAMIC_CONTENT, string("[1]")),
        (p.SYNC_DYNAMIC_CONTENT, string("{")),
        (p.SYNC_DYNAMIC_CONTENT, string("[" * 20_000)),
        (p.OPEN_QUESTION, document({"question": "?"})),
        (p.OPEN_CONFIG, string("ops")),
        (p.AGENT_STREAM_EVENT, string("r1")),
        (p.AGENT_STREAM_EVENT, string("r1") + b"\1" + string("x") + b"more"),
        ("mineclawd:unheard_of", b"\1"),
    ],
)
def test_what_is_malformed_is_dropped_with_a_line_in_the_log(
    channel: str, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert p.read(channel, data) is None
    assert "is dropped" in caplog.text


def test_random_bytes_and_damaged_payloads_raise_nothing() -> None:
    dice = random.Random(5)
    for channel, body, _ in BODIES:
        for _ in range(100):
            damaged = bytearray(wrap(body[:300], dice.randrange(3)) or b"\0")
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            p.read(channel, bytes(damaged[: dice.randrange(len(damaged) + 1)]))
            p.read(channel, dice.randbytes(dice.randrange(40)))


def test_the_keys_of_a_servers_configuration_are_in_no_repr() -> None:
    assert "secret" not in repr(p.ServerConfig("ops", {"apiKey": "sk-secret"}))
