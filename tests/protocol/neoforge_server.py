"""A server that speaks NeoForge's half of configuration, in bytes written here by hand.

It asks, negotiates by NeoForge's rules and goes through its tasks one after the other, each waiting for its
own answer, as NeoForge 21.1 does. Nothing of our reading or writing of payloads is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from protocol.server import ServerConnection


def text(value: str) -> bytes:
    """A string of up to 127 bytes."""
    data = value.encode()
    assert len(data) < 128
    return bytes([len(data)]) + data


def component(value: str) -> bytes:
    """A text component: a bare string as network NBT."""
    data = value.encode()
    return b"\x08" + len(data).to_bytes(2, "big") + data


def translation(key: str, *arguments: str, mod: str | None = None) -> bytes:
    """A text component with a translation, whose arguments are strings; in a sentence about a mod."""
    body = b"\x08\x00\x09translate" + component(key)[1:]
    if arguments:
        body += b"\x09\x00\x04with\x08" + len(arguments).to_bytes(4, "big")
        body += b"".join(component(argument)[1:] for argument in arguments)
    if mod is None:
        return b"\x0a" + body + b"\x00"
    outer = b"\x08\x00\x09translate" + component("neoforge.network.negotiation.failure.mod")[1:]
    # a list of mixed kinds is one of compounds, the bare string under an empty key
    outer += b"\x09\x00\x04with\x0a\x00\x00\x00\x02"
    outer += b"\x08\x00\x00" + component(mod)[1:] + b"\x00" + body + b"\x00"
    return b"\x0a" + outer + b"\x00"


class Declared(NamedTuple):
    """A channel as one side declares it. `flow`: None for both ways, 0 to the server, 1 to the client."""

    id: str
    version: str
    flow: int | None
    optional: bool


def read_register(data: bytes) -> dict[int, list[Declared]]:
    """The body of ``neoforge:register``: protocol number -> channels. Counts stay below 128 here."""
    at = iter(data)

    def string() -> str:
        return bytes(next(at) for _ in range(next(at))).decode()

    def channels() -> Iterator[Declared]:
        for _ in range(next(at)):
            name, version = string(), string()
            flow = next(at) if next(at) else None
            yield Declared(name, version, flow, bool(next(at)))

    found = {next(at): list(channels()) for _ in range(next(at))}
    assert next(at, None) is None
    return found


FLOW_NAMES = {0: "SERVERBOUND", 1: "CLIENTBOUND"}


def wrong_with(server: Declared, client: Declared | None) -> tuple[str, ...] | None:
    """What NeoForge's negotiation has against a channel: the last part of a key, then arguments."""
    if client is None:
        return None if server.optional else ("missing.server.client",)
    for left, right, side in ((server, client, "client"), (client, server, "server")):
        if left.flow is not None and right.flow is None:
            return (f"flow.{side}.missing", FLOW_NAMES[left.flow])
        if left.flow is not None and right.flow is not None and left.flow != right.flow:
            return (f"flow.{side}.mismatch", FLOW_NAMES[left.flow], FLOW_NAMES[right.flow])
        if left.version != right.version:
            return ("version.mismatch", left.version, right.version)
    return None


#: NeoForge's own channels of configuration and play, all optional.
OWN = {
    4: [
        *(
            Declared(f"neoforge:{name}", "1", 1, True)
            for name in ("frozen_registry_sync_start", "frozen_registry")
        ),
        Declared("neoforge:frozen_registry_sync_completed", "1", None, True),
        *(Declared(f"neoforge:{name}", "1", 1, True) for name in ("known_registry_data_maps", "config_file")),
        Declared("neoforge:known_registry_data_maps_reply", "1", 0, True),
        *(Declared(f"neoforge:{name}", "1", 1, True) for name in ("extensible_enum_data", "feature_flags")),
        *(
            Declared(f"neoforge:{name}", "1", 0, True)
            for name in ("extensible_enum_ack", "feature_flags_ack")
        ),
        Declared("neoforge:split", "1", None, True),
    ],
    1: [
        *(
            Declared(f"neoforge:{name}", "1", 1, True)
            for name in ("advanced_add_entity", "advanced_open_screen")
        ),
        *(
            Declared(f"neoforge:{name}", "1", 1, True)
            for name in ("auxiliary_light_data", "sync_attachments")
        ),
        *(
            Declared(f"neoforge:{name}", "1", 1, True)
            for name in ("registry_data_map_sync", "custom_time_packet")
        ),
        Declared("neoforge:advanced_container_set_data", "1", 1, True),
        Declared("neoforge:split", "1", None, True),
    ],
}

FROZEN = "neoforge:frozen_registry"
#: minecraft:item with 0 air, 1 stone, 300 create:cogwheel, and create:gear for create:cogwheel.
ITEMS = (
    text("minecraft:item")
    + b"\x03\x00" + text("minecraft:air") + b"\x01" + text("minecraft:stone")
    + b"\xac\x02" + text("create:cogwheel")
    + b"\x01" + text("create:gear") + text("create:cogwheel")
)  # fmt: skip

#: (channel, body, channel of the answer that is waited for)
Task = tuple[str, bytes, str | None]

TASKS: Sequence[Task] = (
    (f"{FROZEN}_sync_start", b"\x01" + text("minecraft:item"), None),
    (FROZEN, ITEMS, None),
    (f"{FROZEN}_sync_completed", b"", f"{FROZEN}_sync_completed"),
    (
        "neoforge:known_registry_data_maps",
        b"\x01" + text("minecraft:item") + b"\x02"
        + text("neoforge:furnace_fuels") + b"\x00" + text("create:gears") + b"\x00",
        "neoforge:known_registry_data_maps_reply",
    ),
    (
        "neoforge:extensible_enum_data",
        b"\x01" + text("net.minecraft.world.item.Rarity") + text("BIDIRECTIONAL") + b"\x00",
        "neoforge:extensible_enum_ack",
    ),
    ("neoforge:feature_flags", b"\x01" + text("create:steam"), "neoforge:feature_flags_ack"),
)  # fmt: skip


class NeoForgeServer(ServerConnection):
    """One connection of such a server."""

    tasks: Sequence[Task] = TASKS
    #: Channels of mods by protocol number.
    required: dict[int, list[Declared]] = {}  # noqa: RUF012
    #: What the mod that owns each namespace is called.
    mod_names: dict[str, str] = {}  # noqa: RUF012
    version = "21.1.200"

    def setup(self) -> None:
        super().setup()
        #: What the client said in configuration, in order: (channel or packet, data).
        self.heard: list[tuple[str, Any]] = []
        self.speaks = False
        self._open = list(self.tasks)
        self._awaited: str | None = None

    def payload(self, channel: str, data: bytes = b"") -> None:
        self.send("custom_payload", channel=channel, data=data)

    def _configure(self) -> None:
        self.speaks = False
        self._open, self._awaited = list(self.tasks), None
        self.payload("minecraft:unregister")
        self.payload("minecraft:register", b"minecraft:register\0neoforge:register\0c:version\0")
        self.payload("neoforge:register", b"\x00")
        self._step = "pong"
        self.send("ping", id=0)

    def handle_configuration_pong(self, fields: dict[str, Any]) -> None:
        self.heard.append(("pong", fields["id"]))
        if not self.speaks and any(not each.optional for of in self.required.values() for each in of):
            key = "neoforge.network.negotiation.failure.vanilla.client.not_supported"
            self.close({"translate": key, "fallback": "Install NeoForge %s.", "with": [self.version]})
            return
        if not self.speaks:
            self._open = []
        self._go_on()

    def _go_on(self) -> None:
        while self._open and not self.closed:
            channel, data, self._awaited = self._open.pop(0)
            self.payload(channel, data)
            if self._awaited is not None:
                return
        self._awaited = None
        if not self.closed:
            super()._configure()

    def handle_configuration_custom_payload(self, fields: dict[str, Any]) -> None:
        channel, data = fields["channel"], fields["data"]
        if channel == "minecraft:brand":
            return
        self.heard.append((channel, data))
        if channel == "neoforge:register":
            self.speaks = True
            self._negotiate(read_register(data))
        elif channel == self._awaited:
            self._go_on()
        else:
            self.close({"text": f"(No Channel for {channel})"})

    def _negotiate(self, declared: dict[int, list[Declared]]) -> None:
        result = b""
        for number in (4, 1):
            theirs = {each.id: each for each in declared[number]}
            ours = {each.id: each for each in (*OWN[number], *self.required.get(number, ()))}
            found = {id_: wrong_with(each, theirs.get(id_)) for id_, each in ours.items()}
            # what is missing hides what does not fit
            wrong = {id_: why for id_, why in found.items() if why}
            wrong = {id_: why for id_, why in wrong.items() if why[0].startswith("missing")} or wrong
            if wrong:
                body = bytes([len(wrong)])
                for id_, (problem, *arguments) in wrong.items():
                    key = f"neoforge.network.negotiation.failure.{problem}"
                    mod = self.mod_names.get(id_.partition(":")[0])
                    body += text(id_) + translation(key, *arguments, mod=mod)
                self.payload("neoforge:modded_network_setup_failed", body)
                self.close(
                    {"translate": "multiplayer.disconnect.incompatible", "with": [f"NeoForge {self.version}"]}
                )
                return
            both = [each for each in ours.values() if each.id in theirs]
            result += bytes([number, len(both)])
            result += b"".join(text(each.id) * 2 + text(each.version) for each in both)
        self.payload("neoforge:network", b"\x02" + result)
        self.payload("minecraft:register", b"neoforge:frozen_registry\0bad channel\0create:extra")
