"""What a tool is doing, and what came of it, in a few words for people.

The model reads names and JSON; a person reads these. A tool that is not listed is called by its own name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

LONGEST: Final = 60

Arguments = Mapping[str, Any] | str

#: English, Chinese; `{what}` is what the call is about.
LABELS: Final[Mapping[str, tuple[str, str]]] = {
    "move_to": ("walking to {what}", "走向 {what}"),
    "follow": ("following", "跟随"),
    "mine": ("mining {what}", "挖 {what}"),
    "break_block": ("breaking the block at {what}", "敲掉 {what} 处的方块"),
    "place_block": ("placing {what}", "放置 {what}"),
    "collect_items": ("picking up what lies around", "捡起地上的物品"),
    "craft": ("crafting {what}", "合成 {what}"),
    "lookup_recipe": ("looking up the recipe of {what}", "查 {what} 的配方"),
    "equip_item": ("taking {what} in hand", "拿出 {what}"),
    "eat_item": ("eating {what}", "吃 {what}"),
    "drop_items": ("dropping {what}", "丢下 {what}"),
    "attack": ("fighting", "战斗"),
    "say": ("speaking", "说话"),
    "wait": ("waiting", "等待"),
    "get_self_status": ("checking itself", "查看自身状态"),
    "get_owner_status": ("looking for its owner", "查看主人状态"),
    "get_world_info": ("looking at the sky", "查看世界信息"),
    "scan_nearby_entities": ("looking who is around", "查看周围生物"),
    "scan_blocks": ("searching {what}", "寻找 {what}"),
    "inspect_block": ("looking at the block at {what}", "查看 {what} 处的方块"),
    "look_around": ("looking around", "环顾四周"),
    "task_status": ("checking its job", "查看任务"),
    "task_stop": ("stopping its job", "停止任务"),
    "todowrite": ("planning", "制定计划"),
    "load_skill": ("reading the skill {what}", "阅读技能 {what}"),
    "remember": ("noting {what}", "记下 {what}"),
    "recall": ("recalling {what}", "回想 {what}"),
    "forget": ("forgetting {what}", "忘掉 {what}"),
    "ask-user-question": ("asking", "提问"),
    "list-assets": ("reading the catalogue", "查看资产目录"),
    "upsert-asset-record": ("recording {what}", "登记 {what}"),
    "remove-asset-record": ("striking {what} off the catalogue", "从目录删除 {what}"),
    "search": ("searching the web: {what}", "搜索：{what}"),
    "fetch_url": ("reading {what}", "读取 {what}"),
    "fetch_modrinth": ("looking up the mod {what}", "查询模组 {what}"),
    "list_mods": ("listing mods", "列出模组"),
    "list_commands": ("listing commands", "列出命令"),
    "execute-command": ("running {what}", "执行 {what}"),
    "reload-game": ("reloading the game's data", "重新加载"),
    "sync-command-tree": ("renewing the command tree", "刷新命令树"),
    "list-server-scripts": ("listing scripts", "列出脚本"),
    "read-server-script": ("reading {what}", "读取 {what}"),
    "write-server-script": ("writing {what}", "写入 {what}"),
    "delete-server-script": ("deleting {what}", "删除 {what}"),
    "apply-instant-server-script": ("running a script", "运行脚本"),
}

#: Tools that only look: a person cares for what they saw, not for the call.
READING: Final = frozenset(
    {
        *("get_self_status", "get_owner_status", "get_world_info", "scan_nearby_entities", "scan_blocks"),
        *(
            "inspect_block",
            "look_around",
            "task_status",
            "lookup_recipe",
            "load_skill",
            "recall",
            "todowrite",
        ),
        *("list-assets", "list_mods", "list_commands", "list-server-scripts", "read-server-script"),
    }
)
_SUBJECTS: Final = (
    *(
        "item_id",
        "block_id",
        "item_ids",
        "block_ids",
        "name",
        "path",
        "query",
        "url",
        "command",
        "slug",
        "mod_id",
    ),
    *("id", "reference"),
)


def label_of(tool: str, arguments: Arguments, language: str = "en") -> str:
    """What a call does, in a few words: `mining oak log ×3`."""
    chinese = language.startswith("zh")
    known = LABELS.get(tool)
    if known is None:
        return tool.replace("_", " ").replace("-", " ")
    what = _subject(arguments) if isinstance(arguments, Mapping) else ""
    return " ".join(known[chinese].format(what=what).split())


def _subject(arguments: Mapping[str, Any]) -> str:
    for key in _SUBJECTS:
        value = arguments.get(key)
        if value:
            count = arguments.get("count")
            many = f" ×{count}" if isinstance(count, int) and key.endswith(("item_id", "block_ids")) else ""
            return _cut(_names(value)) + many
    place = [arguments[axis] for axis in "xyz" if axis in arguments]
    return f"({', '.join(map(str, place))})" if place else ""


def _names(value: Any) -> str:
    """An id, or the first of several, as a person would write them."""
    if isinstance(value, list):
        listed = ", ".join(_names(each) for each in value[:2])
        return f"{listed}, …" if len(value) > 2 else listed
    text = str(value)
    return text.removeprefix("minecraft:").replace("_", " ") if text.startswith("minecraft:") else text


def gist_of(tool: str, message: str, content: str, language: str = "en") -> str:
    """What came of a call, in a sentence: the tool's own where it has one, its data shortened where not."""
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    read = _GISTS.get(tool)
    if read is None or not isinstance(value, Mapping) or value.get("success") is False:
        return label_of(tool, {}, language) if content.lstrip().startswith("<") else message
    try:
        return read(value, language.startswith("zh"))
    except (KeyError, TypeError, ValueError, AttributeError):  # a tool of one's own by the same name
        return message


def _status(value: Mapping[str, Any], chinese: bool) -> str:
    at = value["block_position"]
    place = f"({at['x']}, {at['y']}, {at['z']})"
    health, hunger = f"{float(value['hp']):g}/{float(value['max_hp']):g}", f"{value['hunger']}/20"
    kinds = len(value["inventory"]["items"])
    if chinese:
        return f"生命 {health}，饥饿 {hunger}，位于 {place}，携带 {kinds} 种物品"
    carrying = {0: "nothing", 1: "1 kind of thing"}.get(kinds, f"{kinds} kinds of things")
    return f"health {health}, hunger {hunger}, at {place}, carrying {carrying}"


def _blocks(value: Mapping[str, Any], chinese: bool) -> str:
    found = value["total_found"]
    if not found:
        return "没有找到" if chinese else "found none"
    first = value["blocks"][0] if value["blocks"] else {}
    where = f"({first['x']}, {first['y']}, {first['z']})" if {"x", "y", "z"} <= set(first) else ""
    if chinese:
        return f"找到 {found} 处" + (f"，最近的在 {where}" if where else "")
    return f"found {found}" + (f", the nearest at {where}" if where else "")


def _entities(value: Mapping[str, Any], chinese: bool) -> str:
    kinds: dict[str, int] = {}
    for each in value["entities"]:
        name = str(each.get("name") or _names(each["type"]))
        kinds[name] = kinds.get(name, 0) + 1
    if not kinds:
        return "附近没有" if chinese else "nobody near"
    listed = [name if count == 1 else f"{count}× {name}" for name, count in kinds.items()]
    more = (" 等" if chinese else ", …") if len(listed) > 5 else ""
    return ("、" if chinese else ", ").join(listed[:5]) + more


_GISTS: Final[Mapping[str, Callable[[Mapping[str, Any], bool], str]]] = {
    "get_self_status": _status,
    "scan_blocks": _blocks,
    "scan_nearby_entities": _entities,
}


def _cut(text: str) -> str:
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
