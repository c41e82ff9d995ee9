"""The custom payloads of NeoForge 21.1: what they say, and our answers as bytes.

A payload is the data behind the channel's name in a `custom_payload` packet. Counts and numbers are varints,
names are resource locations. Every reader raises PayloadError for bytes that are no such payload.
"""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeVar

from protocol.framing import varint
from protocol.nbt import Nbt, NbtError
from protocol.runtime import Fault, read_nbt, read_varint, read_varlong
from protocol.text import plain_text, translation_keys

Phase = Literal["configuration", "play"]
Flow = Literal["both", "clientbound", "serverbound"]

#: Connection phases by number; the others never appear here.
_PHASES: Final[Mapping[int, Phase]] = {1: "play", 4: "configuration"}
_PHASE_NUMBERS: Final = {phase: number for number, phase in _PHASES.items()}
_FLOW_BYTES: Final[Mapping[Flow, bytes]] = {
    "both": b"\0",
    "serverbound": b"\x01\x00",
    "clientbound": b"\x01\x01",
}
#: What the server may have against a channel. Flow and version of its side come first.
_PROBLEMS: Final[Mapping[str, str]] = {
    "missing.server.client": "the server insists on it, and it was not declared",
    "missing.client.server": "it was declared as required, and the server has no such channel",
    "flow.client.missing": "it flows one way there ({0}), and was declared for both",
    "flow.client.mismatch": "it flows the other way there ({0})",
    "flow.server.missing": "it flows both ways there, and was declared for one ({0})",
    "flow.server.mismatch": "it flows the other way there ({1})",
    "version.mismatch": "it has version {0} there, and was declared with {1}",
}
_FAILURE: Final = "neoforge.network.negotiation.failure."

T = TypeVar("T")


class PayloadError(ValueError):
    """Bytes that are not the payload their channel promises."""


@dataclass(frozen=True)
class Channel:
    """A channel of custom payloads, as one side declares it. Both sides must agree on version and flow."""

    id: str
    version: str = "1"
    flow: Flow = "both"
    phase: Phase = "play"

    def to_mapping(self) -> dict[str, str]:
        """For configuration files."""
        return {"id": self.id, "version": self.version, "flow": self.flow, "phase": self.phase}


@dataclass(frozen=True)
class ChannelRefusal:
    """Why a server found one channel wanting."""

    channel: str
    #: What is wrong: the translation key's last part, as ``missing.server.client`` or ``version.mismatch``.
    problem: str
    #: What fills the sentence, as the server's version and ours.
    arguments: tuple[str, ...]
    #: The mod it belongs to, by the name people know, when the server said so.
    mod: str | None
    #: The server's own sentence, as far as it can be read without its language file.
    told: str = ""

    @property
    def text(self) -> str:
        """What is wrong, in one clause."""
        pattern = _PROBLEMS.get(self.problem, "")
        try:
            return f"{self.channel}: {pattern.format(*self.arguments) or self.told or 'refused'}"
        except IndexError:
            return f"{self.channel}: {self.told or 'refused'}"


class FrozenRegistry(NamedTuple):
    """A registry by number, and names that stand for others."""

    names: Mapping[int, str]
    aliases: Mapping[str, str]


class DataMapOffer(NamedTuple):
    """A map from a registry's entries to data, which the server can tell us."""

    registry: str
    id: str
    mandatory: bool


# --- reading -----------------------------------------------------------------------------------------------


class _Reader:
    """Takes one value after the other off a payload."""

    __slots__ = ("data", "pos")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0

    def varint(self) -> int:
        value, self.pos = read_varint(self.data, self.pos)
        return value

    def varlong(self) -> int:
        value, self.pos = read_varlong(self.data, self.pos)
        return value

    def count(self) -> int:
        """How many things follow, each of a byte at least."""
        value = self.varint()
        if not 0 <= value <= len(self.data) - self.pos:
            raise Fault(f"{value} things in {len(self.data) - self.pos} bytes")
        return value

    def bytes(self) -> bytes:
        size = self.count()
        start, self.pos = self.pos, self.pos + size
        return self.data[start : self.pos]

    def string(self) -> str:
        return self.bytes().decode()

    def bool(self) -> bool:
        value = self.data[self.pos]
        self.pos += 1
        return value != 0

    def number(self, layout: str) -> Any:
        (value,) = struct.unpack_from(layout, self.data, self.pos)
        self.pos += struct.calcsize(layout)
        return value

    def nbt(self) -> Nbt | None:
        value, self.pos = read_nbt(self.data, self.pos)
        return value


def _reads(read: Callable[[_Reader], T]) -> Callable[[bytes], T]:
    """A reader of whole payloads, whose every failure is a PayloadError."""

    @functools.wraps(read)
    def reader(data: bytes) -> T:
        try:
            return read(_Reader(data))
        except (Fault, NbtError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise PayloadError(str(error)) from error
        except (IndexError, struct.error, RecursionError) as error:
            raise PayloadError("ends early") from error

    return reader


@_reads
def read_agreement(r: _Reader) -> dict[Phase, dict[str, str]]:
    """``neoforge:network``: phase -> channel -> version, of every channel both sides have."""
    agreed: dict[Phase, dict[str, str]] = {"configuration": {}, "play": {}}
    for _ in range(r.count()):
        channels = agreed.get(_PHASES.get(r.varint(), "configuration"), {})
        for _ in range(r.count()):
            r.string()  # the name comes twice
            channel = r.string()
            channels[channel] = r.string()
    return agreed


@_reads
def read_refusals(r: _Reader) -> tuple[ChannelRefusal, ...]:
    """``neoforge:modded_network_setup_failed``: what was wrong with which channel."""
    return tuple(_refusal(r.string(), r.nbt()) for _ in range(r.count()))


def _refusal(channel: str, component: Nbt | None) -> ChannelRefusal:
    mod = None
    reason: Any = component.value if component is not None else ""
    text = plain_text(reason)
    for key in translation_keys(reason):
        arguments = _arguments(reason)
        if key == f"{_FAILURE}mod" and len(arguments) == 2:
            mod, reason = plain_text(arguments[0]), arguments[1]
            continue
        if key.startswith(_FAILURE):
            told = tuple(plain_text(argument) for argument in arguments)
            return ChannelRefusal(channel, key.removeprefix(_FAILURE), told, mod, text)
    return ChannelRefusal(channel, "", (), mod, text)


def _arguments(component: Any) -> list[Any]:
    while isinstance(component, Mapping) and len(component) == 1 and "" in component:
        component = component[""]
    found = component.get("with") if isinstance(component, Mapping) else None
    return found if isinstance(found, list) else []


def read_channel_names(data: bytes) -> tuple[str, ...]:
    """``minecraft:register`` and ``minecraft:unregister``: names, each ended by a zero byte."""
    return tuple(
        name.decode("ascii", "replace") for name in data.split(b"\0") if b":" in name and len(name) < 256
    )


@_reads
def read_registry_list(r: _Reader) -> tuple[str, ...]:
    """``neoforge:frozen_registry_sync_start`` and ``neoforge:feature_flags``: names."""
    return tuple(r.string() for _ in range(r.count()))


@_reads
def read_frozen_name(r: _Reader) -> str:
    """The registry that a ``neoforge:frozen_registry`` is about."""
    return r.string()


@functools.lru_cache(maxsize=256)  # several companions on one server are told the same
@_reads
def read_frozen_registry(r: _Reader) -> FrozenRegistry:
    """The rest of ``neoforge:frozen_registry``: its entries by number."""
    r.string()
    names = {}
    count, data, pos = r.count(), r.data, r.pos
    for _ in range(count):  # written out: a large pack has tens of thousands of these
        number, size, pos = data[pos], data[pos + 1], pos + 2
        if number > 127 or size > 127:
            number, pos = read_varint(data, pos - 2)
            size, pos = read_varint(data, pos)
            if size < 0:
                raise Fault(f"a name of {size} bytes")
        names[number] = data[pos : pos + size].decode()
        pos += size
    if pos > len(data):
        raise IndexError
    r.pos = pos
    aliases = {}
    for _ in range(r.count()):
        alias = r.string()
        aliases[alias] = r.string()
    return FrozenRegistry(names, aliases)


@_reads
def read_data_map_offers(r: _Reader) -> tuple[DataMapOffer, ...]:
    """``neoforge:known_registry_data_maps``: what the server could tell us about which registry."""
    offers = []
    for _ in range(r.count()):
        registry = r.string()
        offers += [DataMapOffer(registry, r.string(), r.bool()) for _ in range(r.count())]
    return tuple(offers)


@_reads
def read_data_maps(r: _Reader) -> tuple[str, dict[str, dict[str, Any]]]:
    """``neoforge:registry_data_map_sync``: a registry, and map -> entry -> data."""
    registry = r.string()
    maps: dict[str, dict[str, Any]] = {}
    for _ in range(r.count()):
        entries = maps.setdefault(r.string(), {})
        for _ in range(r.count()):
            entry = r.string()
            entries[entry] = json.loads(r.string())
    return registry, maps


@_reads
def read_split(r: _Reader) -> tuple[int, bytes]:
    """``neoforge:split``: 1 for the first piece of a packet, 2 for the last, 0 between; and the piece."""
    piece = r.bytes()
    return piece[0], piece[1:]


@_reads
def read_open_screen(r: _Reader) -> dict[str, Any]:
    """``neoforge:advanced_open_screen``, as fields of `open_window`. What mods add behind is for mods."""
    return {"windowId": r.varint(), "inventoryType": r.varint(), "windowTitle": r.nbt()}


@_reads
def read_container_data(r: _Reader) -> dict[str, Any]:
    """``neoforge:advanced_container_set_data``, as fields of `craft_progress_bar`; the value has 32 bits."""
    return {"windowId": r.number(">B"), "property": r.number(">h"), "value": r.varint()}


@_reads
def read_time(r: _Reader) -> dict[str, Any]:
    """``neoforge:custom_time_packet``, as fields of `update_time`: a day time that stands is negative."""
    age, time = r.varlong(), r.varlong()
    return {"age": age, "time": time if r.bool() else -time or -1}


@_reads
def read_common_register(r: _Reader) -> tuple[str, ...]:
    """``c:register``: the channels the server listens on."""
    r.varint()
    r.string()
    return tuple(r.string() for _ in range(r.count()))


# --- writing -----------------------------------------------------------------------------------------------


def _string(text: str) -> bytes:
    data = text.encode()
    return varint(len(data)) + data


def _list(items: Iterable[bytes]) -> bytes:
    found = list(items)
    return varint(len(found)) + b"".join(found)


def write_register(channels: Iterable[Channel]) -> bytes:
    """``neoforge:register``: the channels we have. All are declared optional, so that one the server lacks
    is left out instead of ending the connection."""
    by_phase: dict[Phase, list[Channel]] = {"configuration": [], "play": []}
    for channel in channels:
        by_phase[channel.phase].append(channel)
    return _list(
        varint(_PHASE_NUMBERS[phase])
        + _list(
            _string(each.id) + _string(each.version) + _FLOW_BYTES[each.flow] + b"\x01" for each in of_phase
        )
        for phase, of_phase in by_phase.items()
    )


def write_data_maps_reply(wanted: Iterable[DataMapOffer]) -> bytes:
    """``neoforge:known_registry_data_maps_reply``: which of the offers we want to be told."""
    by_registry: dict[str, list[bytes]] = {}
    for offer in wanted:
        by_registry.setdefault(offer.registry, []).append(_string(offer.id))
    return _list(_string(registry) + _list(ids) for registry, ids in by_registry.items())


def write_common_register(channels: Iterable[str]) -> bytes:
    """``c:register``: the channels of play that we listen on."""
    return varint(1) + _string("play") + _list(map(_string, channels))


#: ``c:version``: the one version of these two payloads there is.
COMMON_VERSION: Final = b"\x01\x01"
