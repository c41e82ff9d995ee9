"""What the console says, in English and in Simplified Chinese."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from typing import Final, Literal

Language = Literal["en", "zh"]

SENTENCES: Final[Mapping[str, tuple[str, str]]] = {
    "joined": (
        "{name} is in {dimension} at {place} ({address}).",
        "{name} 进入了 {dimension}，位置 {place}（{address}）。",
    ),
    "back": ("{name} is back at {place} ({address}).", "{name} 回来了，位置 {place}（{address}）。"),
    "lost": ("{reason} Trying again in {seconds} s.", "{reason} {seconds} 秒后再试。"),
    "gone": ("{name} is gone: {reason}", "{name} 离开了：{reason}"),
    "job_done": (
        "{task} ({id}) ended after {seconds} s: {message}",
        "{task}（{id}）用时 {seconds} 秒：{message}",
    ),
    "retried": (
        "The model could not be asked: {reason} Trying again in {seconds} s.",
        "无法询问模型：{reason} {seconds} 秒后再试。",
    ),
    "withdrawn": ("(taken back: {reason})", "（收回：{reason}）"),
    "sandbox": (
        "A practice world is open at 127.0.0.1:{port}. It is a yard for trying things, not the game itself.",
        "练习世界已在 127.0.0.1:{port} 打开。它只是试手的院子，不是真正的游戏。",
    ),
    "rehearsal": (
        "No endpoint is configured, so a rehearsal planner with plain rules stands in for the model.",
        "没有配置模型接口，由按简单规则行事的排练计划器代替模型。",
    ),
    "endpoint": ("The model is {label}.", "模型是 {label}。"),
    "job": ("The job: {job}", "工作：{job}"),
    "success": ("Done: {facts}.", "完成：{facts}。"),
    "failure": ("Not done: {facts}.", "没有完成：{facts}。"),
    "time_up": ("not finished after {seconds} s", "{seconds} 秒后仍未完成"),
    "chat_hint": (
        "Say something to {name}, or: stop, /help, quit. Ctrl-D leaves.",
        "对 {name} 说点什么，或输入：stop（停下）、/help（帮助）、quit（退出）。按 Ctrl-D 离开。",
    ),
    "chat_hint_several": (
        "Say something to {name}, or to another with @name words ({names}). Or: stop, /help, quit.",
        "直接输入是对 {name} 说话，用“@名字 内容”对其他同伴说（{names}）。也可输入：stop、/help、quit。",
    ),
    "thinking": ("thinking", "思考中"),
    "server_agent": ("the server's agent", "服务器上的智能体"),
    "question_over": ("The question is over; it goes on without an answer.", "提问已结束，不等回答继续。"),
    "how_to_configure": (
        "For a real model, write llm: into {file}; numen.example.yaml beside it shows how.",
        "要用真正的模型，请在 {file} 里写 llm:，旁边的 numen.example.yaml 有示例。",
    ),
    "not_kept": ("That could not be taken.", "没能收下这句话。"),
    "nobody": (
        "There is no companion called {name}; here are: {names}",
        "没有叫 {name} 的同伴；这里有：{names}",
    ),
    "bye": ("Goodbye.", "再见。"),
    "no_account": (
        "account is missing; write `account: {{client_id: …}}` with the id of your application at Microsoft.",
        "缺少 account；请写上 `account: {{client_id: …}}`，填入你在微软登记的应用 id。",
    ),
    "logging_in": ("Logging in for {name} ...", "正在为 {name} 登录……"),
    "device_code": (
        "Open {url} in a browser and enter {code} (within {minutes} minutes).",
        "请在浏览器里打开 {url} 并输入 {code}（{minutes} 分钟内有效）。",
    ),
    "logged_in": ("{name} will join as {player}.", "{name} 将以 {player} 的身份加入。"),
}


def say(key: str, language: Language, **facts: object) -> str:
    """The sentence `key` in that language."""
    english, chinese = SENTENCES[key]
    return (chinese if language == "zh" else english).format(**facts)


def language_of_the_machine(environment: Mapping[str, str] = os.environ) -> Language:
    """Chinese where the machine speaks Chinese, else English."""
    told = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), None
    )
    return "zh" if (told or locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
