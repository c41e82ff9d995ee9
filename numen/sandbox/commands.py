"""The commands an operator of a practice yard needs, in the game's own syntax.

A command is a function (player, words) that raises `CommandError` with the sentence the player reads.
Everybody may use /help and /list; the rest is for operators.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numen.rules.items import ItemStack
from numen.sandbox.entities.kinds import summon, summonable
from numen.sandbox.handlers.say import say_to
from numen.sandbox.options import DIFFICULTIES, GAME_MODES
from numen.sandbox.text import plain, translated
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.entities.base import Entity
    from numen.sandbox.player import Player

TIMES = {"day": 1000, "noon": 6000, "night": 13000, "midnight": 18000}
#: Blocks that one /fill may set (vanilla 1.21.1 has this many too).
MAX_FILL = 32768
OVERWORLD = "minecraft:overworld"
FREE_FOR_ALL = frozenset({"help", "list", "msg", "tell", "w"})


class CommandError(ValueError):
    """What is wrong with a command, in a sentence for who typed it."""


Command = Callable[["Player", list[str]], None]
COMMANDS: dict[str, tuple[str, Command]] = {}


def command(usage: str) -> Callable[[Command], Command]:
    """Register a command under the first word of its usage."""

    def register(function: Command) -> Command:
        COMMANDS[usage.split()[0]] = (usage, function)
        return function

    return register


def run(player: Player, line: str) -> None:
    """Carry out a command line (without its slash) and tell the player what came of it."""
    words = line.split()
    if not words:
        return
    name = words[0].removeprefix("minecraft:")
    known = COMMANDS.get(name)
    if known is None:
        player.tell(translated("command.unknown.command"), plain_fallback="Unknown command", colour="red")
        return
    if name not in FREE_FOR_ALL and not player.operator:
        player.note("not_operator", command=name)
        player.tell(translated("command.unknown.command"), plain_fallback="Unknown command", colour="red")
        return
    usage, function = known
    try:
        function(player, words[1:])
    except CommandError as error:
        player.tell(plain(str(error), "red"))
    except IndexError:
        player.tell(plain(f"Usage: /{usage}", "red"))


def command_tree(*, operator: bool = True) -> dict[str, Any]:
    """The fields of `declare_commands`: each command a literal with one free argument. Who is no operator is
    told of nothing that he may not use."""

    def flags(kind: int, runs: bool = False) -> dict[str, int]:
        bits = {"unused": 0, "has_custom_suggestions": 0, "has_redirect_node": 0}
        return {**bits, "has_command": int(runs), "command_node_type": kind}

    nodes: list[dict[str, Any]] = [{"flags": flags(0), "children": []}]
    for name in sorted(COMMANDS if operator else FREE_FOR_ALL):
        nodes[0]["children"].append(len(nodes))
        nodes.append(
            {"flags": flags(1, True), "children": [len(nodes) + 1], "extraNodeData": {"name": name}},
        )
        nodes.append(
            {
                "flags": flags(2, True),
                "children": [],
                "extraNodeData": {
                    "name": "arguments",
                    "parser": "brigadier:string",
                    "properties": "GREEDY_PHRASE",
                },
            }
        )
    return {"nodes": nodes, "rootIndex": 0}


# --- reading words --------------------------------------------------------------------------------------


def _players(player: Player, word: str) -> list[Player]:
    everybody = player.world.players
    if word in ("@s", "@p"):
        return [player]
    if word in ("@a", "@e"):
        return list(everybody)
    named = [each for each in everybody if each.name.lower() == word.lower()]
    if not named:
        raise CommandError(f"No player was found: {word}")
    return named


def _whole(word: str, lowest: int, highest: int) -> int:
    try:
        number = int(word)
    except ValueError:
        raise CommandError(f"Expected a whole number, got {word}") from None
    if not lowest <= number <= highest:
        raise CommandError(f"{number} is not between {lowest} and {highest}")
    return number


def _point(player: Player, words: list[str]) -> tuple[float, float, float]:
    """Three words as a point; ~ is where the player is, a whole x or z means the middle of the block."""
    here = (player.x, player.y, player.z)
    if len(words) < 3:
        raise IndexError
    point = []
    for axis, word in enumerate(words[:3]):
        try:
            if word.startswith("~"):
                point.append(here[axis] + (float(word[1:]) if len(word) > 1 else 0.0))
            else:
                centred = 0.5 if axis != 1 and "." not in word else 0.0
                point.append(float(word) + centred)
        except ValueError:
            raise CommandError(f"Expected a coordinate, got {word}") from None
    x, y, z = point
    if not all(map(math.isfinite, point)) or abs(x) > 3.0e7 or abs(z) > 3.0e7 or abs(y) > 2.0e7:
        raise CommandError("That position is out of this world!")
    return x, y, z


def _cell(player: Player, words: list[str]) -> tuple[int, int, int]:
    x, y, z = _point(player, words)
    return math.floor(x), math.floor(y), math.floor(z)


# --- the commands ---------------------------------------------------------------------------------------


@command("help")
def _help(player: Player, words: list[str]) -> None:
    for usage, _ in COMMANDS.values():
        player.tell(plain(f"/{usage}"))


@command("list")
def _list(player: Player, words: list[str]) -> None:
    everybody = player.world.players
    names = ", ".join(each.name for each in everybody)
    player.tell(translated("commands.list.players", len(everybody), player.server.options.max_players, names))


def _whisper(player: Player, words: list[str]) -> None:
    targets, line = _players(player, words[0]), " ".join(words[1:])
    if not line:
        raise IndexError
    for target in targets:
        say_to(player, target, line)


for _name in ("msg", "tell", "w"):
    command(f"{_name} <player> <message>")(_whisper)


@command("tellraw <targets> <message>")
def _tellraw(player: Player, words: list[str]) -> None:
    try:
        message = json.loads(" ".join(words[1:]))
    except ValueError:
        raise CommandError("Invalid chat component") from None
    if isinstance(message, list) and message:
        message = {
            "text": "",
            "extra": [each if isinstance(each, dict) else {"text": str(each)} for each in message],
        }
    for target in _players(player, words[0]):
        target.tell(message if isinstance(message, dict) else {"text": str(message)})


@command("give <player> <item> [count]")
def _give(player: Player, words: list[str]) -> None:
    try:
        item = GAME.item(words[1])
    except KeyError:
        raise CommandError(f"Unknown item '{words[1]}'") from None
    count = _whole(words[2], 1, 100 * item.stack_size) if len(words) > 2 else 1
    for target in _players(player, words[0]):
        left = count
        while left > 0:
            stack = ItemStack(item.id, min(left, item.stack_size))
            left -= stack.count
            rest = target.inventory.add(stack)
            if rest is not None:
                target.throw(rest)
        player.tell(translated("commands.give.success.single", count, _item_name(item.name), target.name))


def _item_name(name: str) -> dict[str, Any]:
    short = name.removeprefix("minecraft:")
    block = GAME.block_for_item(name)
    kind = "block" if block is not None and block.name == name else "item"
    return translated(f"{kind}.minecraft.{short}")


@command("tp [player] <x> <y> <z> | tp [player] <player>")
def _tp(player: Player, words: list[str]) -> None:
    targets = [player]
    if len(words) in (2, 4):
        targets = _players(player, words[0])
        words = words[1:]
    if len(words) == 1:
        goal = _players(player, words[0])[0]
        x, y, z = goal.x, goal.y, goal.z
    else:
        x, y, z = _point(player, words)
    for target in targets:
        target.fall_distance = 0.0
        target.movement.teleport(x, y, z)
    player.tell(
        translated(
            "commands.teleport.success.location.single", targets[0].name, f"{x:.2f}", f"{y:.2f}", f"{z:.2f}"
        )
    )


@command("data get entity <uuid> Pos")
def _data(player: Player, words: list[str]) -> None:
    if (words[0], words[1], words[3]) != ("get", "entity", "Pos"):
        raise IndexError
    entity = _entity(player, words[2])
    if entity is None:
        raise CommandError("No entity was found")
    position = ", ".join(f"{each}d" for each in (entity.x, entity.y, entity.z))
    player.tell(translated("commands.data.entity.query", entity.named(), f"[{position}]"))


@command("execute in <dimension> run <command> | execute at <uuid> if dimension <dimension>")
def _execute(player: Player, words: list[str]) -> None:
    """There is one dimension, so that a command runs in it unchanged."""
    if words[0] == "in" and words[2] == "run":
        if words[1] != OVERWORLD:
            raise CommandError(f"Unknown dimension '{words[1]}'")
        run(player, " ".join(words[3:]))
    elif (words[0], *words[2:4]) == ("at", "if", "dimension"):
        there = words[4] == OVERWORLD and _entity(player, words[1]) is not None
        player.tell(translated(f"commands.execute.conditional.{'pass' if there else 'fail'}"))
    else:
        raise IndexError


def _entity(player: Player, word: str) -> Entity | None:
    return next((each for each in player.world.entities.values() if str(each.uuid) == word), None)


@command("gamemode <mode> [player]")
def _gamemode(player: Player, words: list[str]) -> None:
    mode = next((each for each in GAME_MODES if each == words[0]), None)
    if mode is None:
        raise CommandError(f"Unknown game mode: {words[0]}")
    for target in _players(player, words[1]) if len(words) > 1 else [player]:
        target.set_game_mode(mode)
        target.tell(translated("gameMode.changed", translated(f"gameMode.{mode}")))


@command("summon <entity> [x y z]")
def _summon(player: Player, words: list[str]) -> None:
    kind = words[0].removeprefix("minecraft:")
    if kind not in summonable():
        raise CommandError(f"Can't summon '{words[0]}'; this server has {', '.join(summonable())}")
    x, y, z = _point(player, words[1:]) if len(words) > 1 else (player.x, player.y, player.z)
    entity = summon(player.world, kind, x, y, z)
    player.tell(translated("commands.summon.success", entity.named()))


@command("time set <day|noon|night|midnight|ticks>")
def _time(player: Player, words: list[str]) -> None:
    world = player.world
    if words[0] == "set":
        day_time = TIMES.get(words[1])
        world.day_time = _whole(words[1], 0, 2**31 - 1) if day_time is None else day_time
    elif words[0] == "add":
        world.day_time += _whole(words[1], 0, 2**31 - 1)
    else:
        raise IndexError
    player.server.announce_time()
    player.tell(translated("commands.time.set", world.day_time))


def _state(word: str) -> int:
    """A block with or without properties in brackets."""
    name, _, rest = word.partition("[")
    properties = dict(pair.split("=", 1) for pair in rest.rstrip("]").split(",") if "=" in pair)
    try:
        return GAME.state(name, **properties)
    except (KeyError, ValueError):
        raise CommandError(f"Unknown block '{word}'") from None


@command("setblock <x> <y> <z> <block>[properties]")
def _setblock(player: Player, words: list[str]) -> None:
    x, y, z = _cell(player, words)
    state = _state(words[3])
    if player.world.set_block(x, y, z, state) == state:
        raise CommandError("Could not set the block")
    player.tell(translated("commands.setblock.success", x, y, z))


@command("fill <x> <y> <z> <x> <y> <z> <block>[properties]")
def _fill(player: Player, words: list[str]) -> None:
    corners = zip(_cell(player, words), _cell(player, words[3:]), strict=True)
    spans = [range(min(pair), max(pair) + 1) for pair in corners]
    state = _state(words[6])
    volume = math.prod(map(len, spans))
    if volume > MAX_FILL:
        raise CommandError(f"Too many blocks in the specified area (maximum {MAX_FILL}, specified {volume})")
    cells = itertools.product(*spans)
    changed = sum(player.world.set_block(x, y, z, state) != state for x, y, z in cells)
    if not changed:
        raise CommandError("No blocks were filled")
    player.tell(translated("commands.fill.success", changed))


@command("kill [player]")
def _kill(player: Player, words: list[str]) -> None:
    if words and words[0] == "@e":
        for entity in list(player.world.entities.values()):
            entity.kill()
        return
    for target in _players(player, words[0]) if words else [player]:
        target.kill()
        player.tell(translated("commands.kill.success.single", target.name))


@command("kick <player> [reason]")
def _kick(player: Player, words: list[str]) -> None:
    reason = plain(" ".join(words[1:])) if words[1:] else translated("multiplayer.disconnect.kicked")
    for target in _players(player, words[0]):
        player.tell(translated("commands.kick.success", target.name, reason))
        target.kick(reason)


@command("clear [player]")
def _clear(player: Player, words: list[str]) -> None:
    for target in _players(player, words[0]) if words else [player]:
        target.inventory.clear()
        player.tell(plain(f"Removed all items from player {target.name}"))


@command("difficulty [peaceful|easy|normal|hard]")
def _difficulty(player: Player, words: list[str]) -> None:
    if not words:
        player.tell(
            translated(
                "commands.difficulty.query", translated(f"options.difficulty.{player.world.difficulty}")
            )
        )
        return
    chosen = next((each for each in DIFFICULTIES if each == words[0]), None)
    if chosen is None:
        raise CommandError(f"Unknown difficulty: {words[0]}")
    player.server.set_difficulty(chosen)
    player.tell(translated("commands.difficulty.success", translated(f"options.difficulty.{chosen}")))
