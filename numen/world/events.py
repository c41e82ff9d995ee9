"""What happens in the world, told to listeners after the state has changed.

    world.events.on("block_changed", lambda x, y, z, old, new: ...)

Every handler first writes the state, then emits. A listener may look at the world, subscribe and unsubscribe;
one that raises is logged and never disturbs the handler or the other listeners.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

log = logging.getLogger(__name__)

Listener = Callable[..., None]

#: Every kind of event and the positional arguments its listeners get.
KINDS: Final[dict[str, str]] = {
    # the body's own life
    "spawned": "() after the login packet: the world is empty and known by name",
    "respawned": "() after a respawn packet, also one that only changes the dimension",
    "dimension_changed": "(old: str, new: str) dimension names",
    "disconnected": "(reason: str) the link has ended; the world is empty again",
    "teleported": "(teleport_id: int, x, y, z, yaw, pitch: float, relative: frozenset[str]) already absolute;"
    " `relative` holds the axes that were sent relative (their velocity is kept)",
    "velocity": "(vx, vy, vz: float) the server set the body's velocity, blocks a tick",
    "pushed": "(vx, vy, vz: float) an explosion adds to the body's velocity, blocks a tick",
    "health": "(old: float, new: float)",
    "food": "(old: int, new: int)",
    "death": "(message: str) once a life",
    "experience": "(old_level: int, new_level: int)",
    "effects": "(name: str) an effect began, changed or ended",
    "held_slot": "(slot: int) 0-8, chosen by the server",
    "game_mode": "(old: str, new: str)",
    "abilities": "()",
    "mounted": "(vehicle_id: int | None)",
    "vehicle_moved": "(x, y, z, yaw, pitch: float) the server corrected the vehicle we ride",
    # blocks
    "chunk_loaded": "(cx: int, cz: int)",
    "chunk_unloaded": "(cx: int, cz: int)",
    "block_changed": "(x, y, z, old, new: int) state ids, as the server told them",
    "block_entity": "(x, y, z: int) its data changed",
    "block_action": "(x, y, z, block_id, action, parameter: int) a lid opens, a note sounds, a piston moves",
    "block_ack": "(sequence: int) all predictions up to this one are settled",
    # entities; the argument is numen.world.entities.Entity
    "entity_added": "(entity)",
    "entity_moved": "(entity)",
    "entity_removed": "(entity)",
    "entity_metadata": "(entity)",
    "entity_equipment": "(entity)",
    "entity_event": "(entity_id: int, status: int)",
    "entity_animation": "(entity_id: int, animation: int)",
    "damage": "(entity_id: int, kind: str, cause_id: int | None, direct_id: int | None)",
    "collected": "(collected_id: int, collector_id: int, count: int) just before the item entity goes",
    # players of the tab list; the argument is numen.world.players.PlayerInfo
    "player_joined": "(player)",
    "player_left": "(player)",
    # things
    "inventory": "(slots: frozenset[int]) slots of the player's own inventory (0-45) that changed",
    "menu_opened": "(menu) its contents follow: wait for menu.ready",
    "menu_changed": "(slots: frozenset[int]) slots of the open menu that changed, its own and the player's",
    "menu_property": "(property: int, value: int) furnace progress, enchantment costs, …",
    "menu_trades": "(menu) a merchant's offers arrived",
    "menu_closed": "(menu)",
    "cursor": "(stack: ItemStack | None)",
    "cooldown": "(item_id: int, ticks: int)",
    # talk and surroundings
    "chat": "(line: ChatLine)",
    "action_bar": "(text: str)",
    "time": "() the server told the time",
    "weather": "()",
    "sign_editor": "(x, y, z: int, front: bool) the server lets us write on a sign",
}


class UnknownEvent(ValueError):
    """Somebody listens for an event that nothing ever emits."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"no event is called {kind!r}; there are: {', '.join(sorted(KINDS))}")
        self.kind = kind


class Events:
    """Listeners by kind, called in order of subscription."""

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: dict[str, tuple[Listener, ...]] = dict.fromkeys(KINDS, ())

    def on(self, kind: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each `kind`; the returned function ends that. Raises UnknownEvent."""
        if kind not in self._listeners:
            raise UnknownEvent(kind)
        self._listeners[kind] += (listener,)
        return lambda: self.off(kind, listener)

    def once(self, kind: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` at the next `kind` only."""

        def first(*arguments: Any) -> None:
            end()
            listener(*arguments)

        end = self.on(kind, first)
        return end

    def off(self, kind: str, listener: Listener) -> None:
        """Forget one subscription of `listener`; a listener that is not subscribed is no error."""
        if kind not in self._listeners:
            raise UnknownEvent(kind)
        listeners = list(self._listeners[kind])
        if listener in listeners:
            listeners.remove(listener)
            self._listeners[kind] = tuple(listeners)

    def count(self, kind: str | None = None) -> int:
        """How many subscriptions there are, of one kind or of all: a leak shows here."""
        if kind is not None:
            return len(self._listeners[kind])
        return sum(len(listeners) for listeners in self._listeners.values())

    def emit(self, kind: str, *arguments: Any) -> None:
        """Tell the listeners. Those that subscribe meanwhile are told the next time."""
        for listener in self._listeners[kind]:
            try:
                listener(*arguments)
            except Exception:
                log.exception("a listener of %s failed", kind)
