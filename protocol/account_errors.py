"""Why an account can't be used, in a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal[
    "login_needed",
    "declined",
    "code_expired",
    "app_unknown",
    "app_not_allowed",
    "no_xbox",
    "country",
    "adult_check",
    "child",
    "banned",
    "no_licence",
    "no_profile",
    "multiplayer_off",
    "session_refused",
    "rate",
    "network",
    "service",
    "storage",
]

#: English and Chinese.
_SENTENCES: Final[Mapping[Kind, tuple[str, str]]] = {
    "login_needed": (
        "The Microsoft account's login is missing or has expired; log in again with `numen login`.",
        "微软账号尚未登录或登录已过期，请用 `numen login` 重新登录。",
    ),
    "declined": (
        "The login was declined in the browser.",
        "登录在浏览器中被拒绝。",
    ),
    "code_expired": (
        "The code was not entered in time; start the login again.",
        "验证码没有及时输入，请重新登录。",
    ),
    "app_unknown": (
        "Microsoft does not know the client id; check account.client_id.",
        "微软不认识这个 client id，请检查 account.client_id。",
    ),
    "app_not_allowed": (
        "This client id may not use Minecraft's services yet; its owner can apply at "
        "https://aka.ms/mce-reviewappid.",
        "这个 client id 还不能使用 Minecraft 服务，其所有者可在 https://aka.ms/mce-reviewappid 申请。",
    ),
    "no_xbox": (
        "The Microsoft account has no Xbox profile; create one at https://www.xbox.com first.",
        "这个微软账号没有 Xbox 档案，请先在 https://www.xbox.com 创建。",
    ),
    "country": (
        "Xbox Live is not available in the account's country.",
        "账号所在的国家或地区不提供 Xbox Live。",
    ),
    "adult_check": (
        "The account must pass an adult check on the Xbox page first.",
        "账号需要先在 Xbox 页面完成成人验证。",
    ),
    "child": (
        "It is a child's account; an adult must add it to a Microsoft family first.",
        "这是儿童账号，需要先由成年人把它加入微软家庭组。",
    ),
    "banned": (
        "The account is banned.",
        "这个账号已被封禁。",
    ),
    "no_licence": (
        "The account does not own Minecraft: Java Edition.",
        "这个账号没有购买 Minecraft Java 版。",
    ),
    "no_profile": (
        "The account owns Minecraft and has no player name yet; choose one in the game's launcher.",
        "这个账号拥有 Minecraft 但还没有玩家名，请先在官方启动器里取名。",
    ),
    "multiplayer_off": (
        "The account's privacy settings forbid multiplayer; see https://account.xbox.com/settings.",
        "账号的隐私设置禁止多人游戏，见 https://account.xbox.com/settings。",
    ),
    "session_refused": (
        "The session service does not accept the login; it may be in use by another program.",
        "会话服务不接受这次登录，账号可能正被别的程序使用。",
    ),
    "rate": (
        "{service} has had too many requests; wait {wait} and try again.",
        "对 {service} 的请求太频繁，请等待 {wait} 后再试。",
    ),
    "network": (
        "{service} can't be reached: {cause}.",
        "无法连接 {service}：{cause}。",
    ),
    "service": (
        "{service} answered with something unexpected (HTTP {status}).",
        "{service} 的回应出乎意料（HTTP {status}）。",
    ),
    "storage": (
        "The login can't be kept in {path}: {cause}.",
        "登录信息无法保存到 {path}：{cause}。",
    ),
}


class AccountError(Exception):
    """An account that can't be used. `kind` is for code, the text and `sentence` for people."""

    def __init__(self, kind: Kind, **facts: object) -> None:
        self.kind = kind
        self.facts = facts
        super().__init__(self.sentence())

    def sentence(self, language: str = "en") -> str:
        """One plain sentence, in English or (``zh``) Chinese."""
        english, chinese = _SENTENCES[self.kind]
        return (chinese if language == "zh" else english).format(**self.facts)

    @property
    def final(self) -> bool:
        """Trying again changes nothing until a person has done something."""
        return self.kind not in ("rate", "network", "service", "session_refused")
