"""The few sentences a rehearsal understands, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass

from numen.llm.rehearsal.lore import item_named


@dataclass(frozen=True, slots=True)
class Have:
    """So many more of it than now. `made` when it was asked to be crafted."""

    item: str
    count: int
    made: bool = False


@dataclass(frozen=True, slots=True)
class Attack:
    kind: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Give:
    item: str
    count: int


@dataclass(frozen=True, slots=True)
class Build:
    """A hut, small and plain."""


@dataclass(frozen=True, slots=True)
class Come:
    pass


@dataclass(frozen=True, slots=True)
class Follow:
    pass


@dataclass(frozen=True, slots=True)
class Stop:
    pass


@dataclass(frozen=True, slots=True)
class Look:
    pass


@dataclass(frozen=True, slots=True)
class Greet:
    pass


@dataclass(frozen=True, slots=True)
class Speak:
    text: str


Job = Have | Attack | Give | Build | Come | Follow
"""Takes a while, and the companion works at it until it is done."""

JOBS = (Have, Attack, Give, Build, Come, Follow)

Aside = Stop | Look | Greet | Speak
"""Answered at once."""

Wish = Job | Aside

NUMBERS = {
    **{word: number for number, word in enumerate("零一二三四五六七八九十")},
    "两": 2,
    "几": 4,
    "一些": 4,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "a": 1,
    "an": 1,
    "the": 1,
    "that": 1,
    "this": 1,
    "some": 4,
    "a few": 4,
    "a dozen": 12,
}

_COUNT = rf"(?P<count>\d+|{'|'.join(sorted(filter(str.isascii, NUMBERS), key=len, reverse=True))})"
_ZH_COUNT = r"(?P<count>\d+|一些|[一二三四五六七八九十两几])?\s*[个块根棵把张支只头条点]?\s*"
_WHAT = r"(?P<what>.+)"

_POLITE = r"^(?:(?:please|now|then|first|can you|could you|would you|numen|ok|okay)[,\s]+)*"
_POLITE_ZH = r"^(请|帮我|麻烦你?|你?去|先|现在|再|用它)+"

_GATHER = "gather|mine|collect|dig|chop|get|fetch|cut|take"
_BUILD = "build|make|construct|put up"
_HUT = "hut|house|shelter|cabin|home"
_LOOK = "what (do|can) you (see|have|carry)|look around|where are you|status|report|how are you|inventory"
_LOOK_ZH = (
    "你?(看到|看见|能看到)了?(什么|啥)|看看(周围|四周)|你在哪|状态|你?(有|带了|带着)(什么|啥)|背包|你怎么样"
)
_GREET = "(say )?(hi|hello|hey|good (morning|evening|day)|thanks?( you)?)"

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("stop", r"^(stop|halt|cancel|enough|wait|never ?mind|停|停下|停止|别动|住手|取消|别做了|算了)\b.*$"),
        ("follow", r"^(follow|come with)\b.*$|^(跟着我|跟我来|跟我走|跟上|跟随).*$"),
        ("come", r"^(come|over here|get over here|to me)\b.*$|^(过来|来我这|到我这|来这).*$"),
        ("give", rf"^(?:give|hand|drop|bring)(?: me| us)? (?:{_COUNT} )?{_WHAT}$"),
        ("give", rf"^(?:给我|递给我|扔给我)\s*{_ZH_COUNT}{_WHAT}$"),
        ("attack", rf"^(?:attack|kill|fight|hunt|slay)(?: {_COUNT})? {_WHAT}$"),
        ("attack", rf"^(?:攻击|杀死|杀掉|杀|打死|打)\s*{_ZH_COUNT}{_WHAT}$"),
        ("build", rf"^(?:{_BUILD}) (?:(?:me|us|yourself|a|an|the|one|little|small|simple) )*(?:{_HUT})\b.*$"),
        (
            "build",
            r"^[建盖造搭做]造?(?:一?[个座间栋])?(?:简单的|小)*(?:小屋|木屋|土屋|屋子|房子|房屋|庇护所).*$",
        ),
        ("craft", rf"^(?:craft|make|build)(?: me| us| yourself)? (?:{_COUNT} )?{_WHAT}$"),
        ("craft", rf"^(?:合成|制作|制造|做|造)\s*{_ZH_COUNT}{_WHAT}$"),
        ("gather", rf"^(?:{_GATHER})(?: me| up| down)? (?:{_COUNT} )?{_WHAT}$"),
        ("gather", rf"^(?:挖|采集|收集|采|砍|弄|拿|捡|找)\s*{_ZH_COUNT}{_WHAT}$"),
        ("speak", rf"^(?:say|tell them)[:\s]+{_WHAT}$|^说[:：\s]*(?P<what_zh>.+)$"),
        ("look", rf"^({_LOOK}).*$|^({_LOOK_ZH}).*$"),
        ("greet", rf"^{_GREET}\b.*$|^(你好|您好|嗨|早上好|谢谢).*$"),
    )
)

_CLAUSES = re.compile(
    r"(?:[,，;；]\s*|\s+)(?:and then|and|then)\s+"
    r"|[,，;；。.!！]\s*(?:再|然后|接着|并|and|then)?\s*(?:用它)?|(?:然后|接着)"
)


def read_wishes(text: str) -> list[Wish]:
    """What a sentence asks for, clause by clause; empty when nothing in it is understood."""
    cleaned = " ".join(text.split())
    whole = _read_clause(cleaned.rstrip("?？!！。."))
    if isinstance(whole, (Speak, Greet, Stop, Look)):
        return [whole]
    wishes = [_read_clause(part) for part in _CLAUSES.split(cleaned) if part and part.strip()]
    found = [wish for wish in wishes if wish is not None]
    return found or ([whole] if whole is not None else [])


def _read_clause(text: str) -> Wish | None:
    text = re.sub(_POLITE, "", text.strip().strip("。.!！?？"), flags=re.IGNORECASE).strip()
    text = re.sub(_POLITE_ZH, "", text).strip()
    for name, pattern in PATTERNS:
        found = pattern.match(text)
        if not found:
            continue
        groups = found.groupdict()
        what = (groups.get("what") or groups.get("what_zh") or "").strip()
        count = _number(groups.get("count"))
        match name:
            case "stop":
                return Stop()
            case "build":
                return Build()
            case "follow":
                return Follow()
            case "come":
                return Come()
            case "give":
                return Give(item_named(what), count or 1)
            case "attack":
                return Attack(item_named(what), count or 1)
            case "craft":
                return Have(item_named(what), count or 1, made=True)
            case "gather":
                return Have(item_named(what), count or 4)
            case "speak":
                return Greet() if what.lower() in ("hi", "hello", "hey", "你好") else Speak(what)
            case "look":
                return Look()
            case "greet":
                return Greet()
    return None


def _number(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if word.isdigit() else NUMBERS.get(word.lower())


def language_of(text: str) -> str:
    """`zh` for a sentence with Chinese signs in it, else `en`."""
    return "zh" if re.search(r"[\u4e00-\u9fff]", text) else "en"
