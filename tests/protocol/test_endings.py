"""Why a connection ended, in Chinese: everything a person may be told has a sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from protocol.account_errors import AccountError
from protocol.endings import in_language
from protocol.link import Disconnect
from protocol.refusals import other_version, refused


@pytest.mark.parametrize(
    ("details", "sentence"),
    [
        ({"kind": "unknown_host", "host": "x.example"}, "没有名为 x.example 的主机。"),
        ({"kind": "unreachable", "address": "a:1", "cause": "no"}, "连不上 a:1：服务器在运行吗？端口对吗？"),
        ({"kind": "timeout", "address": "a:1"}, "a:1 没有回应：地址对吗？中间有防火墙吗？"),
        (
            {"kind": "timeout", "stuck_in": "login", "seconds": 5.0, "waiting_for": "success"},
            "服务器卡在 login：等 success 等了 5 秒。",
        ),
        ({"kind": "timeout", "silent_s": 30}, "服务器已经 30 秒没有发来任何数据。"),
        ({"kind": "transfer", "transfer": ("b", 2), "cookies": {}}, "服务器要同伴转到 b:2。"),
        ({"kind": "lost", "cause": "x"}, "与服务器的连接断开了。"),
        ({"kind": "framing", "cause": "too long"}, "数据流已损坏：too long。"),
    ],
)
def test_what_happened_to_the_connection(details: dict[str, Any], sentence: str) -> None:
    assert in_language(Disconnect("In English.", details=details), "zh") == sentence
    assert in_language(Disconnect("In English.", details=details), "en") == "In English."


def test_the_servers_words_stay_and_the_next_step_follows() -> None:
    component = {"translate": "multiplayer.disconnect.not_whitelisted"}
    assert in_language(refused(component, state="login", username="Ann"), "zh") == (
        "服务器拒绝了同伴：You are not white-listed on this server!管理员可以用 /whitelist add Ann 放行。"
    )
    assert in_language(refused("再见", state="play", username="Ann"), "zh") == "服务器把同伴踢了出去：再见。"


def test_another_version_is_named_with_both() -> None:
    sentence = in_language(other_version("1.20.4", 765, "a:1"), "zh")
    assert sentence == "a:1 的服务器是 Minecraft 1.20.4（协议 765），Numen 玩的是 1.21.1（协议 767）。"


def test_what_is_wrong_with_an_account_is_told_in_its_own_sentence() -> None:
    why = Disconnect("…", details={"kind": "online_account", "error": AccountError("banned")})
    assert in_language(why, "zh") == "无法向服务器证明 Minecraft 账号：这个账号已被封禁。"
    assert "online-mode" in in_language(Disconnect("…", details={"kind": "online_account"}), "zh")


def test_refused_channels_lead_to_the_command_that_finds_them() -> None:
    why = Disconnect("…", details={"kind": "neoforge", "text": "Incompatible", "channels": ()})
    assert "numen doctor --neoforge" in in_language(why, "zh")


def test_what_nobody_foresaw_is_told_in_english() -> None:
    assert in_language(Disconnect("Something else.", details={"kind": "odd"}), "zh") == "Something else."


def test_no_sentence_is_left_with_a_gap() -> None:
    from protocol.endings import _SENTENCES

    for kind, needed, sentence in _SENTENCES:
        named = {re.split(r"[\[!:]", each)[0] for each in re.findall(r"\{([^}]*)\}", sentence)}
        assert named <= set(needed), kind
