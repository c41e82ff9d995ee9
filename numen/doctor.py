"""Is everything there that a run needs? The server, its version, the endpoint, its tools, the skills."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from numen.app import endpoint_of, mcp_servers, provider_of, shelf_of, toolset
from numen.config import Config, ConfigError
from numen.early import account_of, entrance_of
from numen.llm import Completed, EndpointError, Provider, Request, ToolSpec, UserMessage, spoken
from numen.messages import Language
from numen.tool import ToolRegistry
from protocol.account_errors import AccountError
from protocol.connection import ConnectFailed
from protocol.endings import in_language
from protocol.refusals import GAME_VERSION, PROTOCOL_VERSION
from protocol.status import StatusError, fetch_status

Outcome = Literal["good", "note", "bad"]

#: The one tool that the endpoint is asked to call.
PROBE = ToolSpec(
    name="report_ready",
    description="Report that you are ready.",
    parameters={
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word you were asked to report."}},
        "required": ["word"],
    },
)
QUESTION = "Call the tool report_ready with the word 'numen'. Do not answer in words."


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    outcome: Outcome
    text: str


def told(language: Language, english: str, chinese: str) -> str:
    """One of two texts."""
    return chinese if language == "zh" else english


async def examine(config: Config, language: Language) -> AsyncIterator[Finding]:
    """Look at everything, in the order in which a run would need it; one finding each, as it is had."""
    mistakes = _mistakes(config)
    for text in mistakes.values():
        yield Finding("bad", text)
    if not mistakes:
        yield _configuration(config, language)
    yield await _server(config, language)
    if any(config.account_of(each) for each in config.companions):
        yield await _account(config, language)
    seen = set(mistakes)
    for companion in config.companions:
        llm = config.llm_of(companion)
        if id(llm) not in seen:
            seen.add(id(llm))
            yield await _endpoint(config, companion.name, language)
    for finding in (*await _mcp_servers(config, language), *_skills(config, language)):
        yield finding


async def learn(config: Config, language: Language, progress: Callable[[str], None]) -> tuple[Finding, str]:
    """Find out which channels the mods of the server insist on: what came of it, and the YAML to write."""
    assert config.server is not None
    from protocol.neoforge_learn import learn_channels, to_yaml

    server, who = config.server, config.companions[0]
    entrance = entrance_of(config, who, server)
    try:
        name, options = await entrance.identity()
        channels = await learn_channels(server.host, server.port, name, options=options, progress=progress)
    except ConnectFailed as failure:
        return Finding("bad", in_language(failure.disconnect, language)), ""
    if not channels:
        text = told(
            language,
            "The server insists on no channels; nothing has to be written.",
            "服务器没有必需的通道，不用写什么。",
        )
        return Finding("good", text), ""
    text = told(
        language,
        f"The server lets {name} in with {len(channels)} channels; write this into numen.yaml:",
        f"声明 {len(channels)} 个通道后服务器就放 {name} 进去；请把下面几行写进 numen.yaml：",
    )
    return Finding("good", text), to_yaml(channels)


async def _mcp_servers(config: Config, language: Language) -> list[Finding]:
    """One finding each for those that are switched on."""
    problems: list[str] = []
    servers = mcp_servers(config, (ToolRegistry(),), problems.append)
    if servers is None:
        return []
    try:
        await servers.start()
        there, lent = servers.connected, list(servers.origins().values())
    finally:
        await servers.stop()
    good = [
        Finding(
            "good",
            told(
                language,
                f"The MCP server {name} lends {count} tools.",
                f"MCP 服务器 {name} 提供 {count} 个工具。",
            ),
        )
        for name in there
        if there[name]
        for count in [lent.count(f"mcp server {name}")]
    ]
    return [*good, *(Finding("bad", f"The {each}") for each in problems)]


def _mistakes(config: Config) -> dict[int, str]:
    """Endpoints that can't be asked at all as they are written, by the id of their section."""
    found = {}
    for llm in map(config.llm_of, config.companions):
        try:
            if not llm.is_rehearsal:
                endpoint_of(llm, config.source)
        except ConfigError as error:
            found[id(llm)] = str(error)
    return found


def _configuration(config: Config, language: Language) -> Finding:
    names = ", ".join(each.name for each in config.companions)
    if config.source is None:
        return Finding(
            "note",
            told(
                language,
                f"No configuration file; defaults for {names}.",
                f"没有配置文件，{names} 使用默认设置。",
            ),
        )
    return Finding(
        "good",
        told(
            language,
            f"{config.source} has no mistakes in it: {names}.",
            f"{config.source} 没有错误：{names}。",
        ),
    )


async def _account(config: Config, language: Language) -> Finding:
    who = next(each for each in config.companions if config.account_of(each))
    section = config.account_of(who)
    assert section is not None
    account = account_of(config, who, section)
    try:
        await account.log_in()
    except AccountError as error:
        return Finding("bad", error.sentence(language))
    return Finding(
        "good",
        told(language, f"{who.name} joins as {account.name}.", f"{who.name} 以 {account.name} 的身份加入。"),
    )


async def _server(config: Config, language: Language) -> Finding:
    if config.server is None:
        return Finding(
            "note",
            told(
                language,
                "No server is configured; `numen demo` uses the practice world.",
                "没有配置服务器；`numen demo` 会使用练习世界。",
            ),
        )
    host, port = config.server.host, config.server.port
    try:
        status = await fetch_status(host, port)
    except StatusError as error:
        english = f"Server: {error} Is it running, and are server.host and server.port right?"
        chinese = f"服务器：{error} 它在运行吗？server.host 和 server.port 写对了吗？"
        return Finding("bad", told(language, english, chinese))
    players = f"{status.players}/{status.max_players}"
    if status.protocol != PROTOCOL_VERSION:
        return Finding(
            "bad",
            told(
                language,
                f"The server at {host}:{port} runs {status.version} (protocol {status.protocol}); "
                f"Numen plays {GAME_VERSION} (protocol {PROTOCOL_VERSION}).",
                f"{host}:{port} 的服务器是 {status.version}（协议 {status.protocol}），"
                f"Numen 只玩 {GAME_VERSION}（协议 {PROTOCOL_VERSION}）。",
            ),
        )
    return Finding(
        "good",
        told(
            language,
            f"The server at {host}:{port} answers: {status.version}, {players} players.",
            f"{host}:{port} 的服务器有回应：{status.version}，玩家 {players}。",
        ),
    )


async def _endpoint(config: Config, name: str, language: Language) -> Finding:
    llm = next(config.llm_of(each) for each in config.companions if each.name == name)
    if llm.is_rehearsal:
        return Finding(
            "note",
            told(
                language,
                "No endpoint is configured; the rehearsal planner acts by plain rules.",
                "没有配置模型接口；排练计划器按简单规则行事。",
            ),
        )
    try:
        provider = provider_of(llm, config.source, language)
    except ConfigError as error:
        return Finding("bad", str(error))
    try:
        answer = await _ask(provider)
    except EndpointError as error:
        return Finding("bad", error.sentence(language))
    finally:
        await provider.aclose()
    label = provider.label
    if any(call.name == PROBE.name for call in answer.message.calls):
        return Finding(
            "good", told(language, f"{label} answers and calls tools.", f"{label} 有回应，并能调用工具。")
        )
    words = spoken(answer.message.content)[:80]
    return Finding(
        "bad",
        told(
            language,
            f"{label} answers, but did not call the tool it was asked to call (it said: {words!r}). "
            "Choose a model that supports tools, or set llm.tool_calls to json.",
            f"{label} 有回应，但没有调用要求的工具（它说：{words!r}）。"
            "请换一个支持工具调用的模型，或把 llm.tool_calls 设为 json。",
        ),
    )


async def _ask(provider: Provider) -> Completed:
    request = Request(
        system="You check a connection.", messages=(UserMessage(content=QUESTION),), tools=(PROBE,)
    )
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            if isinstance(event, Completed):
                return event
    raise AssertionError("a stream ends with Completed or an error")


def _skills(config: Config, language: Language) -> list[Finding]:
    shelf = shelf_of(config)
    listed = len(shelf.listed())
    registry, loaded = toolset(config)
    count = len(registry.all())
    first = Finding(
        "good", told(language, f"{count} tools, {listed} skills.", f"{count} 个工具，{listed} 个技能。")
    )
    problems = [*loaded.problems, *(f"{each.path}: {each.reason}" for each in shelf.problems())]
    return [first, *(Finding("note", each) for each in problems)]
