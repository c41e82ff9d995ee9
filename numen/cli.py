"""The commands: each parses, builds, runs. What takes time to load is loaded by the command that needs it."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numen.config import Config
    from numen.console import Console

T = TypeVar("T")

#: Subcommands that work on the data folder alone.
OFFLINE = {
    "sessions": "List, begin, take up, remove or repair the sessions of a person.",
    "persona": "Show the souls there are, or choose one.",
    "assets": "List the catalogue of what was made, or remove a record.",
    "history": "Read the active session, or write it into a file.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0 good, 1 not, 2 wrong usage or configuration."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    _log_to_stderr(options.verbose)
    try:
        from numen.config import ConfigError
        from numen.session import SessionError

        try:
            code: int = options.command(options)
        except (ConfigError, SessionError) as error:
            print(error, file=sys.stderr)
            return 2
    except KeyboardInterrupt:  # also while something is being loaded
        return 130
    except BrokenPipeError:  # the reader of a pipe has gone
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="numen",
        description="A large language model that lives in Minecraft 1.21.1 as an ordinary player.",
    )
    parser.add_argument("--version", action="version", version=f"numen {version('numen')}")
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument(
            "-c", "--config", type=Path, metavar="FILE", help="configuration (config/numen/numen.yaml)"
        )
        sub.add_argument(
            "-v", "--verbose", action="count", default=0, help="more on standard error; twice: much more"
        )
        sub.set_defaults(command=command)
        return sub

    add("run", _run, "Run the companions of the configuration.")
    demo = add("demo", _demo, "Run one companion with one job in a practice world.")
    demo.add_argument("--job", metavar="TEXT", help="another job, in plain words")
    sandbox = add("sandbox", _sandbox, "Open only the practice world, for any 1.21.1 client.")
    sandbox.add_argument("--port", type=_port, default=25565, help="port to listen on (25565)")
    sandbox.add_argument("--seed", type=int, default=0, help="which terrain (0)")
    sandbox.add_argument(
        "--world", choices=("hills", "flat"), default="hills", help="kind of terrain (hills)"
    )
    doctor = add("doctor", _doctor, "Check the configuration, the server and the endpoint.")
    doctor.add_argument(
        "--neoforge", action="store_true", help="find the channels that the mods of the server insist on"
    )
    login = add("login", _login, "Log a companion's Minecraft account in, for servers in online mode.")
    login.add_argument("name", nargs="?", help="which companion (all that have an account)")
    tools = add("tools", _tools, "List the tools that the model is given.")
    tools.add_argument("--json", action="store_true", help="with their schemas, as JSON")
    add("skills", _skills, "List the skills that the model may load.")
    for name, text in OFFLINE.items():
        offline = add(name, _offline, text)
        offline.add_argument("words", nargs="*", metavar="WORD", help="list, new, resume ab12 …")
        offline.add_argument("--companion", metavar="NAME", help="of which companion (the first)")
        offline.add_argument("--person", metavar="NAME", help="of which player, by name or UUID (the owner)")
        offline.set_defaults(name=name)
    return parser


def _run(options: argparse.Namespace) -> int:
    gc.disable()  # what is loaded now stays, and going through it again and again takes a tenth of a second
    from numen import early
    from numen.config import DEFAULT_FILE, load

    config = load(options.config)
    if config.server is None:
        where = config.source or DEFAULT_FILE
        print(f"{where}: server is missing; add `server: {{host: 127.0.0.1, port: 25565}}`.", file=sys.stderr)
        print("For the practice world, run: numen demo", file=sys.stderr)
        return 2

    async def rest(entrances: early.Entrances) -> int:
        from numen import app

        gc.freeze()
        gc.enable()
        return await app.run(config, _console(config), interactive=_is_terminal(), entrances=entrances)

    return _on_the_loop(early.run(config, rest))


def _demo(options: argparse.Namespace) -> int:
    from numen.demo import demo

    config, console = _load(options)
    return _on_the_loop(demo(config, console, interactive=_is_terminal(), job=options.job))


def _sandbox(options: argparse.Namespace) -> int:
    from numen.app import stopped_by_signals
    from numen.messages import say
    from numen.sandbox.server import start_sandbox

    _, console = _load(options)

    async def stand() -> int:
        try:
            sandbox = await start_sandbox(port=options.port, seed=options.seed, world=options.world)
        except OSError as error:
            print(
                f"Port {options.port} can't be had ({error.strerror or error}); try --port 0.",
                file=sys.stderr,
            )
            return 1
        console.note(say("sandbox", console.language, port=sandbox.port))
        stop = asyncio.Event()
        with stopped_by_signals(stop.set):
            await stop.wait()
        await sandbox.stop()
        return 0

    return _on_the_loop(stand())


def _doctor(options: argparse.Namespace) -> int:
    from numen.doctor import Finding, examine, learn

    config, console = _load(options)
    good = True

    def tell(finding: Finding) -> None:
        nonlocal good
        good = good and finding.outcome != "bad"
        console.line(f"{({'good': '✓', 'note': '•', 'bad': '✗'})[finding.outcome]} {finding.text}")

    async def look() -> None:
        if not options.neoforge:
            async for finding in examine(config, console.language):
                tell(finding)
            return
        if config.server is None:
            raise ConfigError(config.source, ["server is missing; it says where to look"])
        finding, lines = await learn(config, console.language, console.note)
        tell(finding)
        for line in lines.splitlines():
            console.line(line)

    from numen.config import ConfigError

    _on_the_loop(look())
    return 0 if good else 1


def _login(options: argparse.Namespace) -> int:
    from numen.login import log_in

    config, console = _load(options)
    return _on_the_loop(log_in(config, options.name, console))


def _tools(options: argparse.Namespace) -> int:
    import json

    from numen.app import add_borrowed, toolset

    config, _ = _load(options)
    registry, loaded = toolset(config)
    if config.mcp:
        _on_the_loop(add_borrowed(config, registry, loaded))
    if options.json:
        schemas = [
            {"name": each.name, "description": each.description, "parameters": each.parameter_schema}
            for each in registry
        ]
        print(json.dumps(schemas, ensure_ascii=False, indent=2))
    else:
        width = max(len(each.name) for each in registry)
        for each in registry:
            origin = loaded.origins.get(each.name)
            where = f"  [{origin}]" if origin else ""
            print(f"{each.name:<{width}}  {_first_sentence(each.description)}{where}")
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    return 0


def _skills(options: argparse.Namespace) -> int:
    from numen.app import shelf_of

    config, _ = _load(options)
    shelf = shelf_of(config)
    for each in shelf.all():
        state = " (disabled)" if each.disabled else ""
        print(f"{each.name:<20} {each.origin:<8} {each.description}{state}")
    for problem in shelf.problems():
        print(f"{problem.path}: {problem.reason}", file=sys.stderr)
    return 0


def _offline(options: argparse.Namespace) -> int:
    from numen.commands import offline

    config, console = _load(options)
    return offline.run(options.name, config, options, console.language, console.line)


def _load(options: argparse.Namespace) -> tuple[Config, Console]:
    from numen import config

    loaded = config.load(options.config)
    return loaded, _console(loaded)


def _console(config: Config) -> Console:
    from numen.app import language_of
    from numen.console import Console

    return Console(language_of(config), named=len(config.companions) > 1)


def _on_the_loop(work: Coroutine[Any, Any, T]) -> T:
    from protocol import reactor

    return reactor.run(work)


def _port(text: str) -> int:
    """A port number; 0 stands for any free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535 was expected (0: any free one)")
    return int(text)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _first_sentence(text: str, longest: int = 100) -> str:
    sentence = text.split(". ")[0].rstrip(".") + "."
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"


def _log_to_stderr(verbosity: int) -> None:
    level = (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)]
    handler = _StandardError()
    handler.setFormatter(_HarmlessLines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    # httpx logs the address of each request, which may carry a key.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("httpcore").setLevel(logging.WARNING)


class _StandardError(logging.StreamHandler[Any]):
    """Writes to what standard error is now: beside a prompt that is something else than at the start."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr


class _HarmlessLines(logging.Formatter):
    """Lines in which nothing that others wrote can move the cursor of a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(
            "".join(filter(str.isprintable, line)) for line in super().format(record).splitlines()
        )
