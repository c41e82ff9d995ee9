"""What commands answer, in English and in Simplified Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, tuple[str, str]]] = {
    "refused": ("I don't take orders from you.", "我不听你的吩咐。"),
    "stopped": ("Stopped.", "已停下。"),
    "nothing_to_stop": ("No running request to stop.", "没有正在进行的请求。"),
    "retried": ("I try that request again.", "正在重试那个请求。"),
    "retry_how": ("To send it again: mclawd retry {token}", "重新发送：mclawd retry {token}"),
    "not_kept": ("That could not be taken.", "没能收下这句话。"),
    "kept_for_later": (
        "{name} is not on the server now; it is kept, and told when it is back.",
        "{name} 现在不在服务器上；已记下，等它回来再告诉它。",
    ),
    "prompt_how": ("Say what you want: mclawd <request>", "请说出要求：mclawd <请求>"),
    "player_only": ("That needs a player in the game.", "这需要游戏里的玩家。"),
    "cannot_write": ("That could not be written: {detail}", "无法写入：{detail}"),
    "no_more": ("There is nothing more to tell.", "没有更多内容了。"),
    # sessions
    "session_new": ("A new session begins: {token}", "新会话开始：{token}"),
    "session_resumed": ("We go on in {token}: {title}", "继续会话 {token}：{title}"),
    "session_removed": ("Removed {token}: {title}. Now: {active}", "已删除 {token}：{title}。当前：{active}"),
    "session_repaired": ("{token}: {count} turns were put in order.", "{token}：整理了 {count} 处。"),
    "session_line": ("{mark} {id} {title} · {when} · {token}", "{mark} {id} {title} · {when} · {token}"),
    "sessions_none": ("There are no sessions.", "没有会话。"),
    "sessions_more": ("… and {count} older ones.", "……还有 {count} 个更早的。"),
    "sessions_imported": (
        "Taken over: {sessions} sessions, {others} other files.",
        "已导入：{sessions} 个会话，{others} 个其他文件。",
    ),
    "sessions_how": (
        "sessions list | new | resume <id> | remove <id> | repair [id]",
        "sessions list | new | resume <编号> | remove <编号> | repair [编号]",
    ),
    # persona
    "souls": ("Soul: {soul}. There are: {names}", "当前人格：{soul}。可选：{names}"),
    "soul_chosen": ("The soul is {soul} from now on.", "从现在起人格是 {soul}。"),
    # assets
    "assets_none": ("No assets are on record.", "没有登记的资产。"),
    "assets_how": (
        "assets list | teleport <id> | give <id> | remove-record <id>",
        "assets list | teleport <编号> | give <编号> | remove-record <编号>",
    ),
    "asset_removed": ("Removed the record {id} ({name}).", "已删除记录 {id}（{name}）。"),
    "no_power": (
        "The server lets {name} use no /{root}, so that can't be done here.",
        "服务器不允许 {name} 使用 /{root}，无法执行。",
    ),
    # history
    "history_file": ("The history is in {file} ({pages} pages).", "历史已写入 {file}（{pages} 页）。"),
    "history_page": ("There is no such page; the history has {pages}.", "没有这一页；历史共有 {pages} 页。"),
    "history_more": (
        "history <page> shows another, history book gives it.",
        "history <页码> 看别的页，history book 得到书。",
    ),
    "history_kept": ("The server did not give the book: {detail}", "服务器没有给出这本书：{detail}"),
    "history_given": ("The history is given to you in {count} books.", "历史书已给你，共 {count} 本。"),
    # config
    "config_line": ("{key} = {value}", "{key} = {value}"),
    "config_keys": ("Keys: {keys}", "配置项：{keys}"),
    "config_how": (
        "config <key> shows one; config <key> <value> sets: {settable}. The rest is in numen.yaml.",
        "config <项> 查看；config <项> <值> 可设置：{settable}。其余请改 numen.yaml。",
    ),
    "config_set": (
        "{key} = {value}, until the program ends; numen.yaml keeps what it says.",
        "{key} = {value}，到程序结束为止；numen.yaml 不变。",
    ),
    "config_kept": ("{key} = {value}", "{key} = {value}"),
    "config_file_only": (
        "{key} can't be changed while running. Write it into numen.yaml ({place}) and start again.",
        "{key} 不能在运行时更改。请写入 numen.yaml（{place}）后重新启动。",
    ),
    "config_secret": (
        "Never say a secret here: others may read it. Write it into numen.yaml ({place}).",
        "请不要在这里说出密钥，别人可能看到。请写入 numen.yaml（{place}）。",
    ),
    "config_bad": ("{key} can be: {values}", "{key} 可以是：{values}"),
    "config_unknown": ("There is no setting {key}. Keys: {keys}", "没有配置项 {key}。配置项：{keys}"),
    "config_private": ("Ask me that in a whisper.", "请私聊问我这个。"),
    # the rest
    "touch_on": ("I tell you of tools at work.", "会告诉你正在使用的工具。"),
    "touch_off": ("I no longer tell you of tools at work.", "不再告诉你正在使用的工具。"),
    "touch_how": ("assistivetouch toggle | on | off", "assistivetouch toggle | on | off"),
    "help": (
        "stop · new · sessions · history · persona [soul] · choose <n> · retry <token> · assets "
        "· config [key [value]] · assistivetouch · more · goal · compact · clear. "
        "In the game: !mclawd <command>; at the console: /<command>.",
        "stop 停止 · new 新会话 · sessions 会话 · history 历史 · persona 人格 · choose 选择 · retry 重试 "
        "· assets 资产 · config 配置 · assistivetouch · more 更多 · goal 目标 · compact 压缩 · clear 清空。"
        "游戏里用 !mclawd <命令>，控制台用 /<命令>。",
    ),
    "echo": ("<{name}> @{companion} {text}", "<{name}> @{companion} {text}"),
}


def say(key: str, language: str, /, **facts: object) -> str:
    """The sentence `key` in that language, English when there is no other."""
    english, chinese = SENTENCES[key]
    return (chinese if language.startswith("zh") else english).format(**facts)
