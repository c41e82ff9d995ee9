"""Speaking NeoForge 21.1 with a server that asks for it.

In configuration such a server asks which channels of custom payloads we have (``neoforge:register``). By
answering, a client becomes one of its own kind: the server tells the numbers of its registries, waits for
acknowledgements, sends some things on channels of its own, and writes effects inside items in another way.
Which channels both sides must have is the mods' affair; those a server insists on come in by
`ConnectionOptions.channels`.

Nothing here knows a mod. Registries, enumerations and feature flags are acknowledged without being compared:
the server leaves that to the client.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol

from protocol import neoforge_payloads as payloads
from protocol.codec import NEOFORGE, VANILLA, Codec
from protocol.link import Disconnect
from protocol.neoforge_payloads import Channel, ChannelRefusal, DataMapOffer, PayloadError, Phase
from protocol.registries import Registries

#: NeoForge's own channels that we declare. Left out is what would only cost bytes: light of modded blocks,
#: data attached to things, what entities add to their spawning, configuration files.
OWN_CHANNELS: Final = (
    Channel("neoforge:frozen_registry_sync_start", "1", "clientbound", "configuration"),
    Channel("neoforge:frozen_registry", "1", "clientbound", "configuration"),
    Channel("neoforge:frozen_registry_sync_completed", "1", "both", "configuration"),
    Channel("neoforge:known_registry_data_maps", "1", "clientbound", "configuration"),
    Channel("neoforge:known_registry_data_maps_reply", "1", "serverbound", "configuration"),
    Channel("neoforge:extensible_enum_data", "1", "clientbound", "configuration"),
    Channel("neoforge:extensible_enum_ack", "1", "serverbound", "configuration"),
    Channel("neoforge:feature_flags", "1", "clientbound", "configuration"),
    Channel("neoforge:feature_flags_ack", "1", "serverbound", "configuration"),
    Channel("neoforge:split", "1", "both", "configuration"),
    Channel("neoforge:advanced_open_screen", "1", "clientbound", "play"),
    Channel("neoforge:advanced_container_set_data", "1", "clientbound", "play"),
    Channel("neoforge:custom_time_packet", "1", "clientbound", "play"),
    Channel("neoforge:registry_data_map_sync", "1", "clientbound", "play"),
    Channel("neoforge:split", "1", "both", "play"),
)
#: What we ask the server to tell: how long modded fuels burn, and what makes compost.
WANTED_DATA_MAPS: Final = frozenset(
    {("minecraft:item", "neoforge:furnace_fuels"), ("minecraft:item", "neoforge:compostables")}
)
#: A packet sent in pieces has at most this many bytes together.
MAX_SPLIT: Final = 64 * 1024 * 1024
#: Namespaces that are no mod's.
_NO_MODS: Final = frozenset({"", "minecraft", "neoforge", "c", "brigadier"})
#: Registries whose entries show which mods there are.
_TELLING: Final = ("block", "item", "entity_type", "menu")
_FIRST, _LAST = 1, 2


class Host(Protocol):
    """What the conversation needs of its connection."""

    registries: Registries
    codec: Codec
    state: Any

    def send(self, packet: str, /, **fields: Any) -> None: ...
    def deliver(self, packet: str, fields: dict[str, Any]) -> None: ...
    def use_codec(self, codec: Codec) -> None: ...
    def packet_received(self, payload: bytes) -> None: ...
    def on_payload(self, channel: str, handler: Callable[[bytes], None]) -> None: ...
    def drop(self, name: str, payload: bytes, why: str) -> None: ...


class NeoForge:
    """Our half of the conversation. The server's words are kept here; see also `Registries.frozen`."""

    #: The server takes us for one of its kind, since we told our channels.
    speaking: bool
    #: Channels both sides have, with their version.
    agreed: Mapping[Phase, Mapping[str, str]]
    #: Channels the server found wanting, when it turned us away.
    refusals: tuple[ChannelRefusal, ...]
    #: Channels the server says it listens on, beside the agreed ones.
    announced: frozenset[str]
    #: Feature flags of mods.
    feature_flags: tuple[str, ...]
    #: Registry -> map -> entry -> data, of the maps we asked for.
    data_maps: dict[str, dict[str, dict[str, Any]]]
    #: Channels on which something came in configuration that nobody here understands.
    unheard: deque[str]

    def __init__(self, host: Host, channels: Iterable[Channel] = (), *, willing: bool = True) -> None:
        """`channels` are declared beside our own. Without being `willing` we answer as a vanilla client
        does, which is not at all."""
        self._host = host
        self._extra = tuple(channels)
        #: Called when the server has agreed to our channels.
        self.on_agreed: Callable[[], None] | None = None
        self.refusals = ()
        self.begin()
        host.on_payload("minecraft:register", self._announce)
        host.on_payload("minecraft:unregister", self._retract)
        if willing:
            for channel, handler in self._handlers().items():
                host.on_payload(channel, partial(self._receive, channel, handler))

    def begin(self) -> None:
        """A configuration begins: who we speak with may have changed."""
        self.speaking = False
        self.agreed = {"configuration": {}, "play": {}}
        self.announced = frozenset()
        self.feature_flags = ()
        self.data_maps = {}
        self.unheard = deque(maxlen=16)
        self._pieces: list[bytes] = []
        self._gathered = 0
        self._host.registries.forget_frozen()
        if self._host.codec is not VANILLA:
            self._host.use_codec(VANILLA)

    @property
    def channels(self) -> frozenset[str]:
        """All channels of custom payloads the server is known to have."""
        known = {*self.agreed["configuration"], *self.agreed["play"], *self.announced}
        return frozenset(known | {refusal.channel for refusal in self.refusals})

    @property
    def mods(self) -> tuple[str, ...]:
        """The namespaces of the server's mods, as far as channels and registries show them."""
        names = set(self.channels)
        for registry in _TELLING:
            if f"minecraft:{registry}" in self._host.registries.frozen:
                names.update(self._host.registries.names(registry))
        return tuple(sorted({name.partition(":")[0] for name in names} - _NO_MODS))

    def explain(self, why: Disconnect) -> Disconnect:
        """Why the server turned us away, with the channels it named."""
        if not self.refusals:
            return why
        by_mod: dict[str, list[str]] = {}
        for refusal in self.refusals:
            by_mod.setdefault(refusal.mod or refusal.channel.partition(":")[0], []).append(refusal.channel)
        named = "; ".join(f"{mod} ({', '.join(_few(ids))})" for mod, ids in _few_items(by_mod))
        text = (
            f"The server refused the companion: its mods have channels that do not fit ours: {named}. "
            "`numen doctor --neoforge` finds out which channels to declare."
        )
        details = {**why.details, "kind": "neoforge", "channels": self.refusals}
        return replace(why, reason=text, details=details)

    # --- the server speaks ---------------------------------------------------------------------------------

    def _handlers(self) -> dict[str, Callable[[bytes], None]]:
        return {
            "neoforge:register": self._asked,
            "neoforge:network": self._agree,
            "neoforge:modded_network_setup_failed": self._refuse,
            "neoforge:frozen_registry_sync_start": self._start_registries,
            "neoforge:frozen_registry": self._freeze,
            "neoforge:frozen_registry_sync_completed": self._complete_registries,
            "neoforge:known_registry_data_maps": self._choose_data_maps,
            "neoforge:registry_data_map_sync": self._keep_data_maps,
            "neoforge:extensible_enum_data": self._acknowledge_enums,
            "neoforge:feature_flags": self._keep_feature_flags,
            "neoforge:split": self._join,
            "neoforge:advanced_open_screen": self._open_screen,
            "neoforge:advanced_container_set_data": self._set_container_data,
            "neoforge:custom_time_packet": self._set_time,
            "c:version": self._common_version,
            "c:register": self._common_register,
        }

    def _receive(self, channel: str, handler: Callable[[bytes], None], data: bytes) -> None:
        """Hand a payload on, unless the server speaks a language it was never asked to speak."""
        if not (self.speaking or channel in _UNASKED):
            return
        try:
            handler(data)
        except PayloadError as error:
            self._host.drop(channel, data, str(error))

    def _reply(self, channel: str, data: bytes = b"") -> None:
        self._host.send("custom_payload", channel=channel, data=data)

    def _asked(self, data: bytes) -> None:
        """Whoever answers this before the server's ping speaks NeoForge."""
        if self._host.state != "configuration":
            return
        self._reply("neoforge:register", payloads.write_register((*OWN_CHANNELS, *self._extra)))
        self.speaking = True
        self._host.use_codec(NEOFORGE)

    def _agree(self, data: bytes) -> None:
        self.agreed = payloads.read_agreement(data)
        if self.speaking and self.on_agreed is not None:
            self.on_agreed()

    def _refuse(self, data: bytes) -> None:
        self.refusals = payloads.read_refusals(data)

    def _announce(self, data: bytes) -> None:
        self.announced |= set(payloads.read_channel_names(data))

    def _retract(self, data: bytes) -> None:
        self.announced -= set(payloads.read_channel_names(data))

    # --- configuration -------------------------------------------------------------------------------------

    def _start_registries(self, data: bytes) -> None:
        self._host.registries.forget_frozen()

    def _freeze(self, data: bytes) -> None:
        def load() -> tuple[Mapping[int, str], Mapping[str, str]]:
            return payloads.read_frozen_registry(data)

        self._host.registries.put_frozen(payloads.read_frozen_name(data), load)

    def _complete_registries(self, data: bytes) -> None:
        self._reply("neoforge:frozen_registry_sync_completed")

    def _choose_data_maps(self, data: bytes) -> None:
        wanted: Sequence[DataMapOffer] = ()
        try:
            offers = payloads.read_data_map_offers(data)
            wanted = [offer for offer in offers if (offer.registry, offer.id) in WANTED_DATA_MAPS]
        finally:
            # The server waits for an answer; that we want none of them is one, and always true.
            self._reply("neoforge:known_registry_data_maps_reply", payloads.write_data_maps_reply(wanted))

    def _keep_data_maps(self, data: bytes) -> None:
        registry, maps = payloads.read_data_maps(data)
        self.data_maps.setdefault(registry, {}).update(maps)

    def _acknowledge_enums(self, data: bytes) -> None:
        self._reply("neoforge:extensible_enum_ack")

    def _keep_feature_flags(self, data: bytes) -> None:
        try:
            self.feature_flags = payloads.read_registry_list(data)
        finally:
            self._reply("neoforge:feature_flags_ack")

    def _common_version(self, data: bytes) -> None:
        if self._host.state == "configuration":
            self._reply("c:version", payloads.COMMON_VERSION)

    def _common_register(self, data: bytes) -> None:
        self.announced |= set(payloads.read_common_register(data))
        ours = (*OWN_CHANNELS, *self._extra)
        listening = [each.id for each in ours if each.phase == "play" and each.flow != "serverbound"]
        if self._host.state == "configuration":
            self._reply("c:register", payloads.write_common_register(listening))

    # --- packets in pieces ---------------------------------------------------------------------------------

    def _join(self, data: bytes) -> None:
        """A packet too large for a frame comes in pieces; whole, it is one like any other."""
        place, piece = payloads.read_split(data)
        if place == _FIRST:
            self._pieces, self._gathered = [], 0
        elif not self._pieces:
            raise PayloadError("a piece of a packet whose beginning never came")
        self._gathered += len(piece)
        if self._gathered > MAX_SPLIT:
            self._pieces = []
            raise PayloadError(f"a packet in pieces has more than {MAX_SPLIT} bytes")
        self._pieces.append(piece)
        if place == _LAST:
            packet, self._pieces = b"".join(self._pieces), []
            if packet:
                self._host.packet_received(packet)

    # --- play ----------------------------------------------------------------------------------------------

    def _open_screen(self, data: bytes) -> None:
        self._host.deliver("open_window", payloads.read_open_screen(data))

    def _set_container_data(self, data: bytes) -> None:
        self._host.deliver("craft_progress_bar", payloads.read_container_data(data))

    def _set_time(self, data: bytes) -> None:
        self._host.deliver("update_time", payloads.read_time(data))


#: Understood even before we are taken for one of NeoForge's kind.
_UNASKED: Final = frozenset(
    {
        *("neoforge:register", "neoforge:modded_network_setup_failed", "neoforge:network"),
        *("c:version", "c:register"),
    }
)


def _few(names: Sequence[str], most: int = 4) -> list[str]:
    return [*names[:most], "…"] if len(names) > most else list(names)


def _few_items(by_mod: Mapping[str, list[str]], most: int = 6) -> list[tuple[str, list[str]]]:
    items = list(by_mod.items())
    if len(items) <= most:
        return items
    rest = [channel for _, ids in items[most:] for channel in ids]
    return [*items[:most], (f"{len(items) - most} more mods", rest)]
