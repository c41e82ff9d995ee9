"""Breaking blocks, tick by tick, and reading from the server whether it agreed.

vanilla 1.21.1: the first tick sends the start and already counts; progress adds up in float32 until it
reaches one; then the stop goes out under its own sequence. A block whose progress is one or more a tick
breaks by the start alone. After any other block the client waits five ticks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from numen.body import sight
from numen.body.acts import ActFailed, Verdict, next_tick, until
from numen.body.inventory import hold_slot
from numen.body.prediction import BlockPos
from numen.body.reach import block_reach, describe, face_block
from numen.body.tools import DigTool, best_tool, tool_hint
from numen.rules.digging import can_harvest, progress, tool_speed
from numen.rules.f32 import f32
from numen.rules.reach import distance_to_cell
from numen.world.entities import Entity
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.body.body import Body

#: block_dig statuses (player action, protocol 767).
START, ABORT, STOP = 0, 1, 2

PAUSE_TICKS: Final = 5
#: Longest wait for the server's answer.
ANSWER_TICKS: Final = 60
#: A server that counts slower than we do breaks the block a little later by itself.
LATE_TICKS: Final = 10
#: Digs that were disturbed begin again this often.
TRIES: Final = 3
_DROP_TICKS: Final = 4

#: Arguments of world events as `Body.watching` collects them.
Seen = list[tuple[Any, ...]]


async def dig(body: Body, pos: BlockPos, *, force: bool = False, switch_tool: bool = True) -> Verdict:
    """Break the block at `pos` from where the body stands.

    With `switch_tool` the fastest tool carried that gets the drop is taken in hand. Unless `force`, a block
    that would drop nothing with it is left alone. The verdict's data: block, x, y, z, ticks, tool, drops
    (item name -> count of what was seen lying there).
    """
    state = body.block(*pos)
    name = sight.block_name(state)
    _check_breakable(body, pos, state)
    tool = best_tool(body, state) if switch_tool else DigTool.held(body)
    if not force and not body.world.me.creative and not can_harvest(state, tool.stack):
        raise ActFailed(
            f"{name} at {describe(pos)} drops nothing without {tool_hint(state)}.",
            "wrong_tool",
            {"block": name, "needs": tool_hint(state)},
        )
    if switch_tool and tool.slot is not None:
        await hold_slot(body, tool.slot)
    with body.watching("entity_added") as added:
        ticks = await _break(body, pos, state, added)
        drops = await _drops(pos, added) if _has_drops(state) else {}
    data: dict[str, Any] = {
        "block": name,
        "x": pos[0],
        "y": pos[1],
        "z": pos[2],
        "ticks": ticks,
        "drops": drops,
    }
    if tool.stack is not None and tool_speed(state, tool.stack) > 1:
        data["tool"] = tool.stack.name.removeprefix("minecraft:")
    return Verdict(True, f"Broke {name} at {describe(pos)}.", data)


async def _break(body: Body, pos: BlockPos, state: int, added: Seen) -> int:
    """Break it, beginning again when disturbed. The ticks it took; raises ActFailed."""
    name = sight.block_name(state)
    for _ in range(TRIES):
        ticks = await _try(body, pos, state, added)
        if ticks:
            return ticks
        if body.block(*pos) != state:
            now = sight.block_name(body.world.block(*pos))
            raise ActFailed(f"{name} at {describe(pos)} became {now} before it was broken.", "bad_target")
    raise ActFailed(f"Breaking {name} at {describe(pos)} was disturbed {TRIES} times.", "refused")


async def _try(body: Body, pos: BlockPos, state: int, added: Seen) -> int:
    """One try. The ticks it took, 0 when it was disturbed. Raises ActFailed when the server refuses."""
    hit = await face_block(body, pos)
    await until(lambda: body.ticks >= body.dig_pause_until, PAUSE_TICKS)
    creative = body.world.me.creative
    done = f32(0.0)
    count = 0
    sequence = body.next_sequence()
    body.link.send("block_dig", status=START, location=pos, face=hit.face, sequence=sequence)
    tick = body.ticks
    broken = False
    try:
        while True:
            count += 1
            step = 1.0 if creative else _progress(body, state)
            done = f32(done + step)
            body.swing()
            if done >= 1.0:
                break
            now = await next_tick()
            if now != tick + 1 or not _still_there(body, pos, state):
                return 0
            tick = now
        if count > 1:
            sequence = body.next_sequence()
            body.link.send("block_dig", status=STOP, location=pos, face=hit.face, sequence=sequence)
        broken = True
        body.guess(pos, _left_behind(state), sequence)
        if count > 1 or creative:
            body.dig_pause_until = body.ticks + PAUSE_TICKS + 1
    finally:
        if not broken:
            body.link.send("block_dig", status=ABORT, location=pos, face=0, sequence=0)
    with body.watching("block_changed") as told:
        await _verdict(body, pos, state, sequence, told, added)
    return count


async def _verdict(body: Body, pos: BlockPos, state: int, sequence: int, told: Seen, added: Seen) -> None:
    """Wait for the server's word on the broken block. Raises ActFailed when it did not break."""

    def gone() -> bool:
        return body.world.block(*pos) != state

    def put_back() -> bool:
        return any(each[:3] == pos and each[4] == state for each in told)

    answered = await until(lambda: body.prediction.settled >= sequence or gone(), ANSWER_TICKS)
    if gone() or (answered and await until(lambda: gone() or put_back(), LATE_TICKS) and gone()):
        return
    name = sight.block_name(state)
    if not answered:
        raise ActFailed(
            f"The server didn't say whether {name} at {describe(pos)} broke; look again later.", "no_answer"
        )
    if not put_back() and _fallen(pos, added):
        # acknowledged, never contradicted, and its drop lies there: some servers tell the block only to
        # others
        body.prediction.insist(pos, _left_behind(state), body.position, body.ticks)
        return
    raise ActFailed(
        f"The server put {name} at {describe(pos)} back; the place may be protected. Don't dig here.",
        "refused",
        {"block": name},
    )


def _progress(body: Body, state: int) -> float:
    """What this tick adds, with everything that slows or speeds the arm just now."""
    me = body.world.me
    player = body.state
    assert player is not None
    value = me.attributes.value
    return progress(
        state,
        body.world.inventory.held,
        on_ground=player.on_ground,
        eyes_in_water=player.eyes_in_water,
        haste=max(me.effect_level("haste"), me.effect_level("conduit_power")),
        fatigue=me.effect_level("mining_fatigue"),
        mining_efficiency=value("mining_efficiency"),
        block_break_speed=value("block_break_speed"),
        submerged_mining_speed=value("submerged_mining_speed"),
    )


def _check_breakable(body: Body, pos: BlockPos, state: int) -> None:
    where = describe(pos)
    if state < 0:
        raise ActFailed(f"The chunk of {where} is not loaded; go nearer.", "out_of_reach")
    if not sight.known(state):
        raise ActFailed(f"The block at {where} is of a mod; nothing is known of how it breaks.", "bad_target")
    if sight.is_air(state) or sight.is_fluid(state):
        raise ActFailed(f"There is no block at {where}, only {sight.block_name(state)}.", "bad_target")
    if GAME.block_of(state).hardness < 0 and not body.world.me.creative:
        raise ActFailed(f"{sight.block_name(state)} at {where} can't be broken.", "bad_target")


def _still_there(body: Body, pos: BlockPos, state: int) -> bool:
    return body.block(*pos) == state and distance_to_cell(body.eye, pos) <= block_reach(body)


def _left_behind(state: int) -> int:
    """What remains of a broken block: water of a waterlogged one, else air."""
    if GAME.properties(state).get("waterlogged") == "true":
        return GAME.block("water").default_state
    return GAME.block("air").default_state


def _has_drops(state: int) -> bool:
    return bool(GAME.block_of(state).drops)


def _fallen(pos: BlockPos, added: Seen) -> list[Entity]:
    """Item entities that came into being at a cell."""
    return [
        each
        for (each,) in added
        if each.kind == "minecraft:item" and all(abs(each.pos[i] - pos[i] - 0.5) <= 1.5 for i in range(3))
    ]


async def _drops(pos: BlockPos, added: Seen) -> dict[str, int]:
    """What fell out of the block, by item name."""
    await until(lambda: (fallen := _fallen(pos, added)) and all(each.stack for each in fallen), _DROP_TICKS)
    found: dict[str, int] = {}
    for each in _fallen(pos, added):
        if each.stack is not None:
            name = each.stack.name.removeprefix("minecraft:")
            found[name] = found.get(name, 0) + each.stack.count
    return found
