"""Why a connection ended, in the owner's language.

The English sentence is in `Disconnect.reason`. Other languages say the same from what is in
`Disconnect.details`; the server's own words stay as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from protocol.account_errors import AccountError
from protocol.link import Disconnect
from protocol.refusals import GAME_VERSION, PROTOCOL_VERSION

#: What to do about a refusal, by its kind.
_NEXT_STEPS: Final = {
    "version": f"Numen 只玩 Minecraft {GAME_VERSION}。",
    "whitelist": "管理员可以用 /whitelist add {username} 放行。",
    "full": "等有人离开后再试。",
    "name_taken": "请给同伴换一个名字。",
    "online_account": "它要求 Minecraft 账号；离线同伴需要服务器设置 online-mode=false。",
    "auth_down": "会话服务可能暂时不可用，或登录已过期。",
    "resource_pack": "它强制要求资源包；设置 resource_packs: accept 即可进入。",
    "neoforge": "它有每个玩家都必须安装的模组。",
}
#: By kind: the facts a sentence needs, and the sentence. The first that can be filled in is taken.
_SENTENCES: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    (
        "version",
        ("address", "version", "protocol"),
        "{address} 的服务器是 Minecraft {version}（协议 {protocol}），"
        f"Numen 玩的是 {GAME_VERSION}（协议 {PROTOCOL_VERSION}）。",
    ),
    ("unknown_host", ("host",), "没有名为 {host} 的主机。"),
    ("unreachable", ("address",), "连不上 {address}：服务器在运行吗？端口对吗？"),
    ("timeout", ("address",), "{address} 没有回应：地址对吗？中间有防火墙吗？"),
    (
        "timeout",
        ("stuck_in", "seconds", "waiting_for"),
        "服务器卡在 {stuck_in}：等 {waiting_for} 等了 {seconds:g} 秒。",
    ),
    ("timeout", ("silent_s",), "服务器已经 {silent_s:g} 秒没有发来任何数据。"),
    ("username", ("name",), "{name!r} 不能作玩家名：要 1 到 16 个字母、数字或符号，不含空格。"),
    ("transfer", ("transfer",), "服务器要同伴转到 {transfer[0]}:{transfer[1]}。"),
    ("transfer", ("at_last",), "这些服务器让同伴转来转去，最后是 {at_last}。"),
    (
        "neoforge",
        ("channels",),
        "服务器拒绝了同伴：它的模组需要我们没有声明的通道，用 `numen doctor --neoforge` 可以找出来。",
    ),
    ("neoforge", (), "服务器不说 NeoForge 协议，而配置只允许加入这样的服务器。"),
    ("online_account", (), "服务器要求 Minecraft 账号（online-mode=true），而这个同伴没有。"),
    ("framing", ("cause",), "数据流已损坏：{cause}。"),
    ("framing", (), "服务器用来加密的密钥无法使用。"),
    ("lost", (), "与服务器的连接断开了。"),
)


def in_language(why: Disconnect, language: str) -> str:
    """One plain sentence, in English or (``zh``) Chinese."""
    if language != "zh":
        return why.reason
    facts: Mapping[str, Any] = why.details
    kind, error = facts.get("kind"), facts.get("error")
    if isinstance(error, AccountError):
        return f"无法向服务器证明 Minecraft 账号：{error.sentence('zh')}"
    if "text" in facts and not (kind == "neoforge" and "channels" in facts):
        return _told_by_server(why, facts)
    for of_kind, needed, sentence in _SENTENCES:
        if of_kind == kind and all(fact in facts for fact in needed):
            return sentence.format(**facts)
    return why.reason


def _told_by_server(why: Disconnect, facts: Mapping[str, Any]) -> str:
    opening = "服务器把同伴踢了出去" if why.state == "play" else "服务器拒绝了同伴"
    text = str(facts["text"])
    stop = "" if text[-1:] in ".!?。！？" else "。"
    step = _NEXT_STEPS.get(str(facts.get("kind")), "").format(username=facts.get("username", ""))
    return f"{opening}：{text}{stop}{step}"
