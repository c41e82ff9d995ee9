"""Wires everything: from a configuration to companions that live, and back to an orderly end.

The one place that knows every room.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tools
import tools.assets
import tools.mods
import tools.placeholders
import tools.server
import tools.web
from numen import bridges, plugins
from numen.agent import Limits
from numen.agent.live import LiveBus, write_log
from numen.agent.prompt import Persona
from numen.commands.desk import Desk
from numen.commands.settings import Settings
from numen.companion import Companion, Report
from numen.companion.household import Home
from numen.config import (
    DEFAULT_FILE,
    BudgetConfig,
    CompanionConfig,
    Config,
    ConfigError,
    LlmConfig,
    ServerConfig,
    secret_of,
)
from numen.console import Console
from numen.console.typing_in import typed_lines
from numen.doors import Fleet, Numen, NumenGateway
from numen.early import Entrances, entrance_of
from numen.entrance import Entrance
from numen.llm import Budget, Budgeted, Endpoint, Provider, Secret, http_provider
from numen.messages import Language, language_of_the_machine, say
from numen.mineclawd.bridge import ServerBridge
from numen.mineclawd.placeholders import Placeholders
from numen.plugins import Loaded
from numen.powers.commands import CommandRunner
from numen.powers.grants import Grants
from numen.powers.rcon import Rcon
from numen.session import Access, AssetBooks, Notebook, People, Souls, log_path, notes_folder
from numen.session.player_settings import PlayerSettings
from numen.tool import ToolRegistry
from numen.tool.finding import FindTools
from numen.web import Web
from numen.world.store import Worlds
from skills import SkillShelf
from tools.jars import ModsFolder
from tools.placeholders import PlaceholderBook
from tools.server import ServerPowers

if TYPE_CHECKING:
    from numen.tool.jiuwen.mcp_servers import McpServers

log = logging.getLogger(__name__)

QUIT_WORDS = frozenset(("quit", "exit", "/quit", "/exit", "退出"))


def language_of(config: Config) -> Language:
    """The language of our own messages."""
    return config.language or language_of_the_machine()


def shelf_of(config: Config) -> SkillShelf:
    """The skills of this configuration, the bundled ones under them."""
    return SkillShelf(config.skills)


def toolset(config: Config) -> tuple[ToolRegistry, Loaded]:
    """A registry with the tools that every companion has, and with those from outside."""
    registry = ToolRegistry()
    tools.register(registry)
    tools.assets.register(registry)
    tools.mods.register(registry)
    if config.web.enabled:
        tools.web.register(registry, searching=_search_key(config) is not None)
    if config.mineclawd is not None:
        tools.placeholders.register(registry)
    tools.server.register(registry, config.powers.granted)
    return registry, plugins.load(registry, config.tools)


def services_of(config: Config, data: Path) -> dict[type[Any], Any]:
    """What the configuration lends to tools, the same for all companions and people. `data` is the data
    folder. Raises ConfigError."""
    lent: dict[type[Any], Any] = {AssetBooks: AssetBooks(data)}
    if config.web.enabled:
        lent[Web] = web_of(config)
    folder = config.server.folder if config.server is not None else None
    if folder is not None:
        folder = folder.expanduser()
        lent[ModsFolder] = ModsFolder(folder / "mods")
    if config.powers.granted:
        lent[ServerPowers] = ServerPowers(
            CommandRunner(rcon_of(config), frozenset(config.powers.blocked)), folder
        )
    return lent


@cache
def placeholders_at(data: Path) -> Placeholders:
    """Those of our own, the same for all companions of a data folder."""
    return Placeholders(data / "mineclawd" / "dynamic-content.json")


def rcon_of(config: Config) -> Rcon | None:
    """The server's remote console, where there is one. Raises ConfigError."""
    section = config.rcon
    if section is None:
        return None
    password = secret_of(section.password, section.password_file) or ""
    return Rcon(section.host, section.port, lambda: password, timeout_s=section.timeout_s)


def web_of(config: Config) -> Web:
    """The way out to the web, as far as the configuration opens it. Raises ConfigError."""
    section = config.web
    return Web(
        private=section.private,
        timeout_s=section.timeout_s,
        tavily_key=_search_key(config),
        tavily_url=section.tavily_url,
        modrinth_api=section.modrinth_api,
        modrinth_site=section.modrinth_site,
    )


def _search_key(config: Config) -> str | None:
    return secret_of(config.web.tavily_key, config.web.tavily_key_file)


def endpoint_of(llm: LlmConfig, file: Path | None) -> Endpoint:
    """The endpoint that a section of the configuration names. Raises ConfigError."""
    try:
        return Endpoint(
            provider=llm.provider,
            model=llm.model,
            api_key=Secret(llm.key() or ""),
            base_url=llm.base_url or "",
            project=llm.project,
            location=llm.location,
            headers=llm.headers,
            proxy=llm.proxy or "",
            temperature=llm.temperature,
            max_tokens=llm.max_tokens,
            thinking=llm.thinking,
            tool_calls=llm.tool_calls,
            context=llm.context_tokens,
            connect_s=llm.connect_timeout_s,
            first_byte_s=llm.first_byte_timeout_s,
            silence_s=llm.silence_timeout_s,
        )
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(file, [str(error)]) from None


def provider_of(llm: LlmConfig, file: Path | None, language: Language) -> Provider:
    """Who answers: the endpoint, or the rehearsal planner. Raises ConfigError."""
    if llm.is_rehearsal:
        from numen.llm.rehearsal import Rehearsal

        return Rehearsal()
    try:
        return http_provider(endpoint_of(llm, file))
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(file, [str(error)]) from None


def budget_of(section: BudgetConfig, name: str, folder: Path) -> Budget:
    """The budget that a section of the configuration sets. The day's tokens are kept in `folder`."""
    return Budget(
        name,
        requests_per_minute=section.requests_per_minute,
        tokens_per_day=section.tokens_per_day,
        floor_s=section.floor_s,
        store=folder / "budget.json",
    )


def limits_of(config: Config, companion: CompanionConfig) -> Limits:
    """The brakes on that companion's mind."""
    llm = config.llm_of(companion)
    # The planner of the rehearsal reads all there is, and writes no summaries.
    known = sys.maxsize if llm.is_rehearsal else endpoint_of(llm, config.source).context_tokens
    return Limits(
        rounds_per_turn=config.limits.rounds if config.limits.limit_rounds else None,
        context_tokens=known,
        goal_turns=config.goals.turns,
        goal_tokens=config.goals.tokens,
    )


def titler_of(llm: LlmConfig, file: Path | None) -> Provider | None:
    """Who names sessions: the same endpoint, with the model for summaries where there is one."""
    if llm.is_rehearsal:
        return None
    model = llm.summarize_model.strip() or llm.model
    return http_provider(endpoint_of(llm.model_copy(update={"model": model, "thinking": "auto"}), file))


def home_of(
    config: Config, companion: CompanionConfig, server: ServerConfig, titler: Provider | None, data: Path
) -> Home:
    """Where the people of that companion have their things, and who they are."""
    llm, people = config.llm_of(companion), People.at(data)
    ops = server.folder.expanduser() / "ops.json" if server.folder is not None else None
    google = not llm.is_rehearsal and endpoint_of(llm, config.source).preset.profile.protocol == "google"
    return Home(
        data=data,
        people=people,
        access=Access(people, companion.owner, companion.users, ops),
        souls=Souls(config.souls, data),
        shape="vertex" if google else "openai",
        legacy=log_path(data, companion.name),
        titler=titler,
        grants=Grants(config.powers.granted, config.powers.confirm, config.powers.for_),
    )


def companion_of(
    config: Config,
    companion: CompanionConfig,
    server: ServerConfig,
    report: Report,
    *,
    data: Path | None = None,
    shared: Worlds | None = None,
    budget: Budget | None = None,
    entrance: Entrance | None = None,
    live: LiveBus | None = None,
) -> Companion:
    """One companion, ready to live. `budget` and the `live` stream are those that all share; `entrance` is
    its way onto the server, where that has been begun already.

    Raises ConfigError and numen.session.SessionError.
    """
    language, llm, data = language_of(config), config.llm_of(companion), data or config.data
    provider = provider_of(llm, config.source, language)
    titler = titler_of(llm, config.source)
    if not llm.is_rehearsal:
        own = budget_of(llm.budget, "llm.budget", data / "spent" / companion.name)
        both = (own, *([budget] if budget else []))
        provider, titler = Budgeted(provider, *both), Budgeted(titler, *both) if titler else None
    home = home_of(config, companion, server, titler, data)
    registry, loaded = toolset(config)
    if llm.tools == "find":
        registry.register(FindTools(registry))
    for problem in loaded.problems:
        log.warning("%s", problem)
    lent = services_of(config, data)
    if config.mineclawd is not None:
        local = placeholders_at(data) if config.mineclawd.emulate else None
        lent[PlaceholderBook] = PlaceholderBook(
            local, lambda: made.server_bridge.placeholders if made.server_bridge is not None else None
        )
    made = Companion(
        persona=Persona(companion=companion.name, owner=companion.owner, soul=companion.persona),
        entrance=entrance or entrance_of(config, companion, server),
        provider=provider,
        registry=registry,
        home=home,
        shelf=shelf_of(config),
        services=lent,
        notes=Notebook(notes_folder(data, companion.name)),
        report=report,
        language=language,
        limits=limits_of(config, companion),
        shared=shared,
        live=live,
        keep_trying_s=server.reconnect_for_s,
    )
    if config.mineclawd is not None:
        made.server_bridge = ServerBridge(
            *(companion.name, made.live_bus, lambda: made.household.owner.ways.questions),
            on=config.mineclawd.bridge,
        )
    made.desk = Desk(
        made,
        settings=Settings(config, companion),
        players=PlayerSettings(data),
        souls=home.souls,
        people=home.people,
        data=data,
    )
    return made


@contextlib.asynccontextmanager
async def borrowing(config: Config, registries: Iterable[ToolRegistry]) -> AsyncIterator[None]:
    """While this lasts, the tools of the MCP servers are in `registries`, from when the servers answer.

    Nothing waits for that.
    """
    servers = mcp_servers(config, registries)
    starting = asyncio.ensure_future(servers.start()) if servers is not None else None
    try:
        yield
    finally:
        if servers is not None and starting is not None:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            await servers.stop()


def mcp_servers(
    config: Config, registries: Iterable[ToolRegistry], on_problem: Callable[[str], None] = log.warning
) -> McpServers | None:
    """The MCP servers that are switched on, not yet started; None when there are none."""
    wanted = [each.for_client(name) for name, each in config.mcp.items() if each.enabled]
    if not wanted:
        return None
    from numen.tool.jiuwen.mcp_servers import McpServers  # the layer takes a while to load

    return McpServers(wanted, *registries, on_problem=on_problem)


async def add_borrowed(config: Config, registry: ToolRegistry, loaded: Loaded) -> None:
    """Ask the MCP servers once what they have; for a listing, not for calls."""
    servers = mcp_servers(config, (registry,), loaded.problems.append)
    if servers is None:
        return
    try:
        await servers.start()
        loaded.origins |= servers.origins()
    finally:
        await servers.stop()


async def live_in(fleet: Fleet, companion: Companion) -> None:
    """Let `companion` live, to be found in `fleet` meanwhile."""
    fleet.add(companion)
    try:
        await companion.live()
    finally:
        fleet.remove(companion)
        powers = companion.mind.context.services.get(ServerPowers)
        if isinstance(powers, ServerPowers) and powers.runner.rcon is not None:
            powers.runner.rcon.close()


async def run(
    config: Config, console: Console, *, interactive: bool, entrances: Entrances | None = None
) -> int:
    """Run the configured companions until all have left or a person quits. `entrances` has the ways in that
    have been begun already, by name.

    Returns 0 when that was asked for, 1 when a server sent one of them away for good.
    """
    assert config.server is not None
    shared, budget, live = Worlds(), budget_of(config.budget, "budget", config.data), LiveBus()
    if interactive:
        console.follow(live)
    begun = entrances or {}
    companions = [
        companion_of(
            *(config, each, config.server, console.report),
            shared=shared,
            budget=budget,
            entrance=begun.get(each.name),
            live=live,
        )
        for each in config.companions
    ]
    if any(config.llm_of(each).is_rehearsal for each in config.companions):
        console.note(say("rehearsal", console.language))
        console.note(say("how_to_configure", console.language, file=config.source or DEFAULT_FILE))
    fleet = Fleet()
    lives = [asyncio.ensure_future(live_in(fleet, each)) for each in companions]
    numen = Numen(fleet, NumenGateway(fleet), config.data / "bridges", live)
    logged = live.subscribe()
    logging_it = asyncio.ensure_future(write_log(logged))
    async with (
        borrowing(config, (each.registry for each in companions)),
        bridges.running(config.bridges, numen),
    ):
        await until_all_have_left(companions, lives, console, interactive=interactive)
    logged.close()
    await logging_it
    return 0 if all(each.leaving for each in companions) else 1


async def until_all_have_left(
    companions: Sequence[Companion],
    lives: Sequence[asyncio.Future[None]],
    console: Console,
    *,
    interactive: bool,
) -> None:
    """Let a person talk to them meanwhile, when there is one; a signal and his leaving end it."""
    with stopped_by_signals(lambda: leave_all(companions)):
        if interactive:
            talk = asyncio.ensure_future(converse(companions, console))
            everybody_left = asyncio.ensure_future(asyncio.wait(lives))
            await asyncio.wait([talk, everybody_left], return_when=asyncio.FIRST_COMPLETED)
            if talk.done():
                leave_all(companions)
            talk.cancel()
        await asyncio.gather(*lives)


def leave_all(companions: Sequence[Companion]) -> None:
    """Log every companion off."""
    for each in companions:
        each.leave()


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """While this lasts, SIGINT and SIGTERM call `stop` instead of breaking off whatever runs."""
    loop = asyncio.get_running_loop()
    handled = []
    for each in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.add_signal_handler(each, stop)
            handled.append(each)
    try:
        yield
    finally:
        for each in handled:
            loop.remove_signal_handler(each)


async def converse(companions: Sequence[Companion], console: Console) -> None:
    """Hand what the person types to a companion, until he quits. ``@name words`` chooses among several."""
    language, names = console.language, ", ".join(each.name for each in companions)
    first = companions[0]
    several = len(companions) > 1
    console.note(say("chat_hint_several" if several else "chat_hint", language, name=first.name, names=names))
    async for line in typed_lines("> ", console):
        if line.casefold() in QUIT_WORDS:
            break
        companion = first
        if line.startswith("@"):
            name, _, line = line[1:].partition(" ")
            chosen = next((each for each in companions if each.name.casefold() == name.casefold()), None)
            if chosen is None:
                console.note(say("nobody", language, name=name, names=names))
                continue
            companion = chosen
        if line.strip() and not companion.hear(line):
            console.note(say("not_kept", language))
    console.note(say("bye", language))
