"""What a rehearsal says. It never passes for a model: every answer begins with its mark."""

from __future__ import annotations

from collections.abc import Mapping

MARK = {"en": "[rehearsal] ", "zh": "【排练】"}

SENTENCES: Mapping[str, tuple[str, str]] = {
    "help": (
        "I am a rehearsal: plain rules, no language model. I understand: come, follow me, stop, "
        "gather 5 logs, craft a crafting table, build a hut, kill a zombie, give me 3 sticks, "
        "what do you see. "
        "For more, name an endpoint under llm in the YAML.",
        "我只是排练：按简单规则行事，没有语言模型。我听得懂：过来、跟着我、停下、挖5个原木、做一个工作台、"
        "盖小屋、杀僵尸、给我3个木棍、你看到什么。想要更多，请在 YAML 的 llm 里配置一个接口。",
    ),
    "hello": (
        "Hello! I am only a rehearsal: plain rules, no model.",
        "你好！我只是排练：按简单规则行事，没有接模型。",
    ),
    "done": ("Done: {what}. It took {calls} tool calls.", "完成：{what}。一共用了 {calls} 次工具调用。"),
    "have": ("I have {count} {item}", "我有 {count} 个{item}"),
    "have_one": ("I hold a {item}", "我拿着{item}"),
    "killed": ("I killed {count} {item}", "我打倒了 {count} 个{item}"),
    "gave": ("I dropped {count} {item} for you", "我把 {count} 个{item} 扔给了你"),
    "came": ("I am with you", "我到了"),
    "follow": ("I follow you. Say stop when it is enough.", "我跟着你，够了就说停下。"),
    "stopped": ("I stopped.", "我停下了。"),
    "moment": ("One moment: I end what I was doing first.", "稍等，我先停下手里的事。"),
    "gave_up": ("I give up on {what}: {why}", "我放弃{what}：{why}"),
    "no_tool": ("I cannot do that: I have no tool {tool}.", "我做不到：没有 {tool} 这个工具。"),
    "not_found": (
        "I found no {item} within {radius} blocks, though I looked in {places} places.",
        "我找了 {places} 个地方，{radius} 格内都没有{item}。",
    ),
    "nobody": ("I see no {item} within {radius} blocks.", "{radius} 格内没有看到{item}。"),
    "no_owner": ("I cannot see you from here.", "我在这里看不到你。"),
    "unknown": ("I do not know what {item} is.", "我不知道“{item}”是什么。"),
    "lacking": (
        "I lack {what}, and a rehearsal does not know how to get that.",
        "我缺{what}，排练不会弄到它。",
    ),
    "cannot_make": ("a rehearsal does not know how to make {item}.", "排练不会做{item}。"),
    "no_owner_set": (
        "I cannot come: I serve nobody yet. Name an owner under companions in the YAML.",
        "我去不了：我还没有主人。请在 YAML 的 companions 里写上 owner。",
    ),
    "owner_away": (
        "I cannot come: {name} is not on the server.",
        "我去不了：{name} 不在服务器上。",
    ),
    "owner_far": (
        "I cannot come: {name} is too far away for me to see.",
        "我去不了：{name} 太远了，我看不到。",
    ),
    "too_few": ("I have only {count} {item}.", "我只有 {count} 个{item}。"),
    "look": (
        "I am at {position}{biome}{hour}, with {hp} health and {hunger} hunger. I see {blocks}. "
        "Near me: {near}. I carry {carried}.",
        "我在 {position}{biome}{hour}，生命 {hp}，饥饿值 {hunger}。我看到：{blocks}。"
        "附近：{near}。我带着：{carried}。",
    ),
    "in_biome": (" in the {biome}", "（{biome}）"),
    "hour": (", it is {day} and {weather}", "，现在是{day}，{weather}"),
    "day": ("day", "白天"),
    "night": ("night", "夜里"),
    "clear": ("clear", "天晴"),
    "rain": ("raining", "下雨"),
    "thunder": ("thundering", "打雷"),
    "underfoot": ("{item} underfoot", "脚下是{item}"),
    "built": ("I built a hut of {count} {item} blocks", "我用 {count} 个{item}盖了一间小屋"),
    "half_built": (
        "only {count} of {total} blocks of the hut stand, the others could not be placed.",
        "小屋只放好了 {total} 块里的 {count} 块，其余放不上去。",
    ),
    "nothing": ("nothing", "什么都没有"),
    "no_status": ("I cannot tell how I am: {why}", "我不知道自己的状态：{why}"),
}


def say(key: str, language: str, **facts: object) -> str:
    """The sentence without its mark."""
    english, chinese = SENTENCES[key]
    return (chinese if language == "zh" else english).format(**facts)


def listed(parts: list[str], language: str) -> str:
    """Parts as a list in a sentence."""
    if language == "zh":
        return "，".join(parts)
    return " and ".join(parts) if len(parts) < 3 else ", ".join(parts[:-1]) + " and " + parts[-1]
