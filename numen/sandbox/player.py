"""One player: his connection, his place in the world, what he has and does.

What he sends waits in a queue and is handled at the start of a tick, at most 50 packets of it; what the
tick did to him is told at its end. The subjects are files of their own: `handlers/` for what he sends,
`view` for columns, `survival` for hunger and breath, `menus` for slots.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numen.rules import experience, reach
from numen.rules.items import ItemStack
from numen.rules.states import name_of
from numen.sandbox import chunk_packets, pickup, sleep, space
from numen.sandbox.entities.base import Entity
from numen.sandbox.entities.item import THROWN_PICKUP_DELAY, ItemEntity, drop_at
from numen.sandbox.entities.living import DEATH_TICKS, STATUS_POOF, Damage, Living
from numen.sandbox.entities.orb import drop_points
from numen.sandbox.handlers import all_handlers
from numen.sandbox.handlers.chat import ChatMeter
from numen.sandbox.handlers.dig import Digging
from numen.sandbox.handlers.move import Movement
from numen.sandbox.handlers.use import Using
from numen.sandbox.inventory import OFFHAND, Inventory
from numen.sandbox.menus import Menu, PlayerMenu
from numen.sandbox.options import GameMode
from numen.sandbox.survival import Survival
from numen.sandbox.text import Component, plain
from numen.sandbox.view import View
from protocol.server import ServerConnection

if TYPE_CHECKING:
    from numen.sandbox.server import Sandbox

log = logging.getLogger(__name__)

EYES = {"standing": 1.62, "crouching": 1.27, "swimming": 0.4}
HEIGHTS = {"standing": 1.8, "crouching": 1.5, "swimming": 0.6}
#: Numbers of poses in metadata.
SLEEPING = 2
POSES = {"standing": 0, "swimming": 3, "crouching": 5}
SELF_RADIUS = 0.6


class Player(Living):
    """A player who is in the world, or dead in front of his respawn button."""

    kind = "minecraft:player"
    tracking_range = 512.0
    update_interval = 2
    tells_velocity = False
    step_height = 0.6

    def __init__(self, server: Sandbox, link: ServerConnection) -> None:
        world = server.world
        x, y, z = world.spawn
        super().__init__(world, x + 0.5, float(y), z + 0.5)
        self.server = server
        self.link = link
        self.name = link.username
        self.uuid = link.uuid
        self.operator = server.options.is_operator(self.name)
        self.game_mode: GameMode = server.options.game_mode
        self.flying = False
        self.sneaking = False
        self.sprinting = False
        self.pose = "standing"
        self.died_at: tuple[int, int, int] | None = None
        self.view = View(
            self._view_distance(link.settings), self.send, self._prepare_column, self._send_column
        )
        self.inventory = Inventory()
        self.own_menu = PlayerMenu(self)
        #: The menu that is open; the player's own when no other is.
        self.menu: Menu = self.own_menu
        self._menu_ids = 0
        self.movement = Movement(self)
        self.digging = Digging(self)
        self.using = Using(self)
        self.survival = Survival(self)
        self.chat_meter = ChatMeter()
        #: Ticks since the last blow or change of what is in hand: blows wait to be strong.
        self.since_attack = 100
        self.experience = 0
        self._dead_ticks = 0
        #: Where he comes back to life: by his bed, or None for the world's spawn.
        self.respawn_at: tuple[int, int, int] | None = None
        #: The bed he lies in, and for how long.
        self.bed: tuple[int, int, int] | None = None
        self.asleep_ticks = 0
        self._queue: deque[tuple[Callable[[Player, dict[str, Any]], None], dict[str, Any]]] = deque()
        self._acknowledge = -1
        self._cells: dict[tuple[int, int, int], None] = {}
        self._hand_shown: ItemStack | None = None
        for packet, handler in all_handlers().items():
            link.subscribe(packet, self._queued(handler))

    # --- what he sends ----------------------------------------------------------------------------------

    def _queued(self, handler: Callable[[Player, dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        return lambda fields: self._queue.append((handler, fields))

    def read_packets(self, most: int) -> None:
        """Handle what came since the last tick, at most so much of it."""
        for _ in range(most):
            if not self._queue or self.link.closed:
                return
            handler, fields = self._queue.popleft()
            try:
                handler(self, fields)
            except Exception:
                if not self.server.options.auto_tick:
                    raise
                log.exception("handling a packet of %s failed", self.name)

    # --- what he is told --------------------------------------------------------------------------------

    def send(self, packet: str, /, **fields: Any) -> None:
        """Send a packet; nothing happens once the connection has ended."""
        if not self.link.closed and self.link.state == "play":
            self.link.send(packet, **fields)

    def hear(self, packet: str, **fields: Any) -> None:
        self.send(packet, **fields)

    def tell(self, component: Component, *, plain_fallback: str = "", colour: str = "") -> None:
        """Show a line in his chat."""
        if plain_fallback:
            component = {**component, "fallback": plain_fallback}
        if colour:
            component = {**component, "color": colour}
        self.send("system_chat", content=component, isActionBar=False)

    def kick(self, reason: Component) -> None:
        """Send him away."""
        self.link.close(reason)

    def note(self, kind: str, /, **facts: Any) -> None:
        """Have the judge note something he did."""
        self.server.judge.note(self.name, self.world.age, kind, **facts)

    def acknowledge(self, sequence: int) -> None:
        """Settle his predictions up to a sequence number at the end of the tick."""
        if sequence < 0:
            raise ValueError(f"sequence {sequence} is negative")
        self._acknowledge = max(self._acknowledge, sequence)

    def show_cell(self, at: tuple[int, int, int]) -> None:
        """Tell him the block of a cell at the end of the tick, before the acknowledgement: he may believe
        otherwise.
        """
        self._cells[at] = None

    def show_hand(self, hand: int) -> None:
        """Tell him what a hand really holds: he may believe that he placed it."""
        self.own_menu.resend(self.inventory.hand if hand == 0 else OFFHAND)

    def flush(self) -> None:
        """At the end of a tick, after changed blocks were told: acknowledgements, slots, health, columns."""
        for at in self._cells:
            self.send("block_change", location=at, type=self.world.block(*at))
        self._cells.clear()
        if self._acknowledge >= 0:
            self.send("acknowledge_player_digging", sequenceId=self._acknowledge)
            self._acknowledge = -1
        self.menu.sync()
        self.survival.flush()
        if self.inventory.held != self._hand_shown:
            self._hand_shown = self.inventory.held
            self.tracked.tell("entity_equipment", entityId=self.id, equipments=self.equipment())
        self.view.tick()

    def _prepare_column(self, x: int, z: int) -> bool:
        return chunk_packets.prepare(self.world, x, z)

    def _send_column(self, x: int, z: int) -> None:
        self.link.send_packet("map_chunk", chunk_packets.body(self.world, x, z))

    @property
    def tracked(self) -> Any:
        return self.world.tracker.of(self)

    @property
    def latency(self) -> int:
        return round(self.link.latency_ms or 0)

    def appear(self) -> None:
        """Stand at his place: columns begin to come, and all that is his is told."""
        self.movement.teleport(self.x, self.y, self.z, self.yaw, self.pitch)
        self.send("game_state_change", reason=13, gameMode=0.0)
        self.menu.send_all()
        self.survival.send()
        self.send_experience()

    # --- what he is -------------------------------------------------------------------------------------

    @property
    def creative(self) -> bool:
        return self.game_mode == "creative"

    @property
    def may_fly(self) -> bool:
        return self.game_mode in ("creative", "spectator")

    @property
    def eye_y(self) -> float:
        return self.y + EYES[self.pose]

    @property
    def eye(self) -> tuple[float, float, float]:
        return (self.x, self.eye_y, self.z)

    def can_touch(self, at: tuple[int, int, int]) -> bool:
        """Whether a block is near enough to dig or use."""
        far = reach.BLOCK_RANGE + (reach.CREATIVE_BLOCK_BONUS if self.creative else 0.0)
        return reach.block_in_reach(self.eye, at, far + reach.SERVER_SLACK)

    def can_hit(self, other: Entity) -> bool:
        """Whether an entity is near enough to hit or use."""
        far = reach.ENTITY_RANGE + (reach.CREATIVE_ENTITY_BONUS if self.creative else 0.0)
        return reach.entity_in_reach(self.eye, other.box, far + reach.SERVER_SLACK)

    def named(self) -> Component:
        return plain(self.name)

    def metadata(self) -> list[dict[str, Any]]:
        flags = (
            (self.burning_ticks > 0)
            | self.sneaking << 1
            | self.sprinting << 3
            | (self.pose == "swimming") << 4
        )
        return [
            {"key": 0, "type": "byte", "value": flags},
            {"key": 6, "type": "pose", "value": POSES[self.pose] if self.bed is None else SLEEPING},
            {"key": 8, "type": "byte", "value": 1 if self.using.active else 0},
            {"key": 9, "type": "float", "value": self.health},
            {"key": 14, "type": "optional_block_pos", "value": self.bed},
        ]

    def equipment(self) -> list[dict[str, Any]]:
        slots = self.inventory.slots
        worn = (
            (0, self.inventory.held),
            (1, slots[45]),
            (5, slots[5]),
            (4, slots[6]),
            (3, slots[7]),
            (2, slots[8]),
        )
        return [{"slot": slot, "item": ItemStack.to_slot(stack)} for slot, stack in worn]

    def _view_distance(self, settings: dict[str, Any]) -> int:
        wanted = settings.get("viewDistance", self.server.options.view_distance)
        return max(2, min(int(wanted), self.server.options.view_distance))

    def set_view_distance(self, wanted: int) -> None:
        self.view.radius = self._view_distance({"viewDistance": wanted})
        self.view.center = None
        self.view.move_to(self.x, self.z)

    def set_game_mode(self, mode: GameMode) -> None:
        """Change what he may do; he and the tab lists are told."""
        self.game_mode = mode
        self.flying = mode == "spectator" or (self.flying and self.may_fly)
        self.send(
            "game_state_change",
            reason=3,
            gameMode=float(("survival", "creative", "adventure", "spectator").index(mode)),
        )
        self.send_abilities()
        self.server.announce_game_mode(self)

    def send_abilities(self) -> None:
        flags = self.may_fly << 2 | (self.flying and self.may_fly) << 1 | self.may_fly | self.creative << 3
        self.send("abilities", flags=flags, flyingSpeed=0.05, walkingSpeed=0.1)

    def hold(self, slot: int) -> None:
        """Take another hotbar slot (0 to 8) in hand."""
        if slot != self.inventory.held_slot:
            self.using.stop()
            self.since_attack = 0
        self.inventory.held_slot = slot

    # --- every tick -------------------------------------------------------------------------------------

    def tick(self) -> None:
        self.since_attack += 1
        self.chat_meter.tick()
        if self.dead:
            self._fade()
        else:
            self._take_pose()
            super().tick()
            self.digging.tick()
            self.using.tick()
            self.survival.tick()
            pickup.tick(self)
        self._slow_down()
        self.movement.tick()
        if not self.menu.still_valid():
            self.close_menu()

    def _slow_down(self) -> None:
        """What a push gave him wears off as it does on a body. His client moves him; this only measures."""
        if self.pushed:
            return  # he has not even been told of it
        drag = 0.546 if self.on_ground else 0.91
        self.vx *= drag
        self.vz *= drag
        self.vy = -0.0784 if self.on_ground else (self.vy - 0.08) * 0.98

    def _fade(self) -> None:
        """The dead lie for a second; then nobody sees them any more."""
        self._dead_ticks += 1
        if self._dead_ticks == DEATH_TICKS:
            self.tracked.tell("entity_status", entityId=self.id, entityStatus=STATUS_POOF)
            self.world.entities.pop(self.id, None)

    def _take_pose(self) -> None:
        """The pose his keys ask for, or a lower one where there is no room for it (vanilla 1.21.1
        `updatePlayerPose`).
        """
        wanted = (
            "swimming" if self.sprinting and self.in_water else "crouching" if self.sneaking else "standing"
        )
        for pose in (wanted, "crouching", "swimming"):
            if HEIGHTS[pose] > HEIGHTS[wanted]:
                continue
            box = space.box_at(self.x, self.y, self.z, self.width, HEIGHTS[pose])
            if pose == "swimming" or space.is_free(self.world, space.grown(box, -1e-7, -1e-7, -1e-7)):
                if pose != self.pose:
                    self.pose = pose
                    self.height = HEIGHTS[pose]
                    self.metadata_changed = True
                return

    def walked(self, dx: float, dy: float, dz: float) -> None:
        """He moved by his own will: that makes hungry."""
        self.survival.walked(dx, dy, dz)

    def jumped(self) -> None:
        self.survival.jumped()

    def fall(self, dy: float, on_ground: bool) -> None:
        """Count a fall, or end it."""
        if self.in_water or self.may_fly:
            self.fall_distance = 0.0
        if on_ground:
            self.survival.landed(self.fall_distance)
            self.fall_distance = 0.0
        elif dy < 0:
            self.fall_distance -= dy

    # --- hurt and death ---------------------------------------------------------------------------------

    def can_be_hurt(self, damage: Damage) -> bool:
        return damage.absolute or self.game_mode in ("survival", "adventure")

    def hurt(self, amount: float, damage: Damage) -> bool:
        if self.using.blocks(damage):
            self.using.blocked(amount)
            return False
        hurt = super().hurt(self.survival.scaled(amount, damage), damage)
        if hurt and damage.attacker is not None:
            # His screen tilts away from where it came from.
            toward = math.degrees(math.atan2(damage.attacker.z - self.z, damage.attacker.x - self.x))
            self.send("hurt_animation", entityId=self.id, yaw=toward - self.yaw)
        if hurt and self.bed is not None and not self.dead:
            sleep.get_up(self)
        return hurt

    def protection(self, amount: float, damage: Damage) -> float:
        return self.survival.after_armour(amount, damage)

    def die(self, damage: Damage) -> None:
        super().die(damage)
        message = damage.death_message(self.named())
        self.died_at = self.cell
        self.bed = None
        self.close_menu()
        for stack in self.own_menu.give_back():
            drop_at(self.world, self.x, self.y + 1.3, self.z, stack)
        for stack in self.inventory.take_all():
            drop_at(self.world, self.x, self.y + 1.3, self.z, stack)
        level, _ = experience.level_at(self.experience)
        drop_points(self.world, (self.x, self.y, self.z), min(100, level * 7))
        self.experience = 0
        self.digging.stop()
        self.using.stop()
        self.send("death_combat_event", playerId=self.id, message=message)
        self.world.announce("system_chat", content=message, isActionBar=False)
        self.survival.send()

    def revive(self) -> None:
        """Back to life at the spawn, as new."""
        if self.respawn_at is not None and name_of(self.world.block(*self.respawn_at)).endswith("_bed"):
            self.x, self.y, self.z = self.world.free_place_beside(self.respawn_at)
        else:
            x, y, z = self.world.spawn
            self.x, self.y, self.z = x + 0.5, float(self.world.ground(x, z, y)), z + 0.5
            self.respawn_at = None
        self.vx = self.vy = self.vz = 0.0
        self.dead = False
        self._dead_ticks = 0
        self.health = self.max_health
        self.fall_distance = 0.0
        self.burning_ticks = 0
        self.invulnerable_ticks = 0
        self.survival.reset()
        self.sneaking = self.sprinting = False
        self._take_pose()

    # --- things -----------------------------------------------------------------------------------------

    def learn(self, points: int) -> None:
        """Gain experience."""
        self.experience += points
        self.send_experience()

    def send_experience(self) -> None:
        level, share = experience.level_at(self.experience)
        self.send("experience", experienceBar=share, level=level, totalExperience=self.experience)

    def throw(self, stack: ItemStack) -> None:
        """Throw a stack the way he looks; he can pick it up again after two seconds."""
        item = ItemEntity(self.world, self.x, self.eye_y - 0.3, self.z, stack)
        item.pickup_delay = THROWN_PICKUP_DELAY
        chance = self.world.random
        yaw, pitch = math.radians(self.yaw), math.radians(self.pitch)
        spread, around = 0.02 * chance.random(), chance.uniform(0, 2 * math.pi)
        item.vx = -math.sin(yaw) * math.cos(pitch) * 0.3 + math.cos(around) * spread
        item.vy = -math.sin(pitch) * 0.3 + 0.1 + (chance.random() - chance.random()) * 0.1
        item.vz = math.cos(yaw) * math.cos(pitch) * 0.3 + math.sin(around) * spread
        self.world.add(item)

    def exchange(self, hand: int, left: ItemStack | None) -> None:
        """Use up one of what a hand holds; what it leaves takes its place, or goes into the pockets."""
        self.inventory.use_up(hand)
        if left is None:
            return
        if self.inventory.in_hand(hand) is None:
            self.inventory.set_hand(hand, left)
            return
        rest = self.inventory.add(left)
        if rest is not None:
            self.throw(rest)

    def drop_held(self, whole_stack: bool) -> None:
        """Throw one or all of what is in hand."""
        stack = self.inventory.held
        if stack is None or self.game_mode == "spectator":
            return
        count = stack.count if whole_stack else 1
        self.inventory.held = stack.with_count(stack.count - count)
        self.throw(ItemStack(stack.item_id, count, stack.components, stack.removed))

    def open_menu(self, menu: Menu) -> None:
        """Show a menu; the one that was open is closed."""
        self.close_menu()
        self._menu_ids = self._menu_ids % 100 + 1
        menu.window_id = self._menu_ids
        self.menu = menu
        menu.open()

    def close_menu(self, *, told: bool = True) -> None:
        """Close what is open and give back what lies in its crafting grid. `told`: the client has to hear
        of it.
        """
        menu = self.menu
        if menu is not self.own_menu:
            if told:
                self.send("close_window", windowId=menu.window_id)
            self.menu = self.own_menu
        for stack in menu.give_back():
            rest = self.inventory.add(stack)
            if rest is not None:
                self.throw(rest)
        if menu is not self.own_menu:
            self.own_menu.takes_over(menu)
