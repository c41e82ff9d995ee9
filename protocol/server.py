"""The server's end of a game connection: quarry's server, taught protocol 767.

`serve` listens; every player who gets through login and configuration becomes a `ServerConnection` in play
and is handed to `on_play`. It has the shape of `protocol.link.Link` seen from the other side: subscribe to
what clients send, send what servers send. What a world is and what happens in it is for the caller.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from protocol import codec, reactor

reactor.install()

from quarry.net.server import ServerFactory, ServerProtocol  # noqa: E402
from twisted.internet import reactor as twisted_reactor  # noqa: E402

from protocol.encryption import ServerKey  # noqa: E402
from protocol.endpoint import Endpoint, Ticker, brand_of, offline_uuid  # noqa: E402
from protocol.framing import varint  # noqa: E402
from protocol.link import Disconnect, State  # noqa: E402
from protocol.nbt import Nbt  # noqa: E402
from protocol.refusals import GAME_VERSION, PROTOCOL_VERSION  # noqa: E402
from protocol.status import ServerStatus  # noqa: E402
from protocol.text import plain_text  # noqa: E402
from protocol.vanilla_registries import VANILLA_PACK, vanilla_registry_data  # noqa: E402

#: Registries as they are sent: [(registry, [(key, data)])].
RegistryData = Sequence[tuple[str, Sequence[tuple[str, Nbt]]]]

_INTENTS: Final[Mapping[int, State]] = {1: "status", 2: "login", 3: "login"}


@dataclass(frozen=True)
class ServerOptions:
    """How a server treats those who connect."""

    #: Packets of at least this size travel compressed; negative: none do.
    threshold: int = 256
    #: Encrypt every connection. Nobody is asked for an account.
    encrypt: bool = False
    brand: str = "numen"
    #: What each client is told in configuration.
    registries: RegistryData = field(default_factory=vanilla_registry_data)
    tags: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    feature_flags: tuple[str, ...] = ("minecraft:vanilla",)
    #: A client that holds all of these is sent names only.
    known_packs: tuple[tuple[str, str, str], ...] = (VANILLA_PACK,)
    #: Says why a player may not come in (a text component), or None. Called with name and UUID.
    refuse: Callable[[str, UUID], Any] = lambda name, uuid: None
    #: The UUID of who comes by a name; nobody is asked to prove it.
    identify: Callable[[str], UUID] = offline_uuid
    #: Seconds between keep-alives; one that is unanswered when the next is due ends the connection.
    keep_alive_s: float = 15.0
    #: Seconds from connecting to play, and without any byte at all.
    login_timeout_s: float = 30.0
    idle_timeout_s: float = 30.0


class ServerConnection(Endpoint, ServerProtocol):
    """One client. Has the shape of `protocol.link.Link`."""

    recv_direction = "toServer"
    send_direction = "toClient"
    transitions = frozenset(
        {
            ("handshaking", "status"),
            ("handshaking", "login"),
            ("login", "configuration"),
            ("configuration", "play"),
            ("play", "configuration"),
        }
    )
    factory: ServerConnectionFactory

    #: The address the client says it connected to.
    host: str
    port: int
    #: Another server sent it here.
    transferred: bool
    #: The client's own make and settings (fields of `settings`), once told.
    client_brand: str | None
    settings: dict[str, Any]
    #: Cookies the client brought, by key, once asked for with `cookie_request`.
    cookies: dict[str, bytes | None]
    #: How often this connection has come to play.
    times_in_play: int
    #: The latest measured way there and back, in milliseconds.
    latency_ms: float | None

    def setup(self) -> None:
        """See `Endpoint.setup`."""
        super().setup()
        self.options = self.factory.options
        self.host, self.port, self.transferred = "", 0, False
        self.client_brand = None
        self.settings = {}
        self.cookies = {}
        self.times_in_play = 0
        self.latency_ms = None
        self._token = b""
        self._step = "handshake"
        self._keep_alive: tuple[int, float] | None = None
        self._keep_alive_call: Any = None
        self._login_call: Any = None
        for registry, entries in self.options.registries:
            self.registries.put(registry, entries)
        self.registries.put_tags(self.options.tags)
        self._start_patience()

    def close(self, reason: Any = "") -> None:
        """Send the client away. `reason` is text or a text component, and what the client shows."""
        if self.closed:
            return
        if self.state == "login":
            self.send("disconnect", reason=json.dumps(reason if reason else {"text": "Disconnected"}))
        elif self.state == "configuration":
            self.send("disconnect", reason=reason or "Disconnected")
        elif self.state == "play":
            self.send("kick_disconnect", reason=reason or "Disconnected")
        text = plain_text(reason) or "closed"
        self.end(Disconnect(text, component=reason, state=self.state, details={"kind": "closed"}))

    def reconfigure(self) -> None:
        """Take a client that is in play back through configuration. `on_play` is called again at its end.

        From here on no play packet can be sent; those the client still sends are left unread, and
        subscriptions end.
        """
        self.send("start_configuration")
        self._stop_keep_alive()
        self.check_protocol_mode_switch("configuration")
        self._step = "configuration_acknowledged"
        self._speak("configuration")
        self._start_patience()

    # --- handshake, status ---------------------------------------------------------------------------------

    def handle_handshaking_set_protocol(self, fields: dict[str, Any]) -> None:
        """What the client wants."""
        self.host, self.port = fields["serverHost"], fields["serverPort"]
        state = _INTENTS.get(fields["nextState"])
        if state is None:
            self.close()
            return
        self.transferred = fields["nextState"] == 3
        self.switch_protocol_mode(state)
        self._step = "login_start"
        if state == "login" and fields["protocolVersion"] != PROTOCOL_VERSION:
            key = "multiplayer.disconnect.incompatible"
            self.close({"translate": key, "with": [GAME_VERSION]})

    def handle_status_ping_start(self, fields: dict[str, Any]) -> None:
        """The multiplayer screen asks."""
        self.send("server_info", response=json.dumps(self.factory.status().to_json()))

    def handle_status_ping(self, fields: dict[str, Any]) -> None:
        """Answered with the same number, and that is the end."""
        self.send("ping", time=fields["time"])
        self.end(Disconnect("status told", state="status", details={"kind": "closed"}))

    # --- login ---------------------------------------------------------------------------------------------

    def handle_login_login_start(self, fields: dict[str, Any]) -> None:
        """A name is all that counts; the UUID follows from it."""
        if not self._next("login_start"):
            return
        name = fields["username"]
        if not 1 <= len(name) <= 16 or not all("!" <= char <= "~" for char in name):
            self.close({"text": "Invalid characters in username"})
            return
        self.username = name
        self.uuid = self.options.identify(name)
        if self.options.encrypt:
            self._step = "encryption_begin"
            self._token = os.urandom(4)
            self.send(
                "encryption_begin",
                serverId="",
                publicKey=self.factory.key.public,
                verifyToken=self._token,
                shouldAuthenticate=False,
            )
        else:
            self._admit()

    def handle_login_encryption_begin(self, fields: dict[str, Any]) -> None:
        """The client's secret, under our key."""
        if not self._next("encryption_begin"):
            return
        try:
            token = self.factory.key.open(fields["verifyToken"])
            secret = self.factory.key.open(fields["sharedSecret"])
        except ValueError:
            token = secret = b""
        if token != self._token or len(secret) != 16:
            self.close({"text": "Encryption failed"})
            return
        self.encrypt(secret)
        self._admit()

    def _admit(self) -> None:
        refusal = self.options.refuse(self.username, self.uuid)
        if refusal:
            self.close(refusal)
            return
        if self.options.threshold >= 0:
            self.send("compress", threshold=self.options.threshold)
            self.set_compression(self.options.threshold)
        self._step = "login_acknowledged"
        self.send("success", uuid=self.uuid, username=self.username, properties=[], strictErrorHandling=True)

    def handle_login_login_acknowledged(self, fields: dict[str, Any]) -> None:
        """The client is ready for configuration."""
        if self._next("login_acknowledged"):
            self.switch_protocol_mode("configuration")
            self._configure()

    # --- configuration -------------------------------------------------------------------------------------

    def _configure(self) -> None:
        brand = self.options.brand.encode()
        self.send("custom_payload", channel="minecraft:brand", data=varint(len(brand)) + brand)
        self.send("feature_flags", features=list(self.options.feature_flags))
        self._step = "select_known_packs"
        packs = [
            {"namespace": space, "id": name, "version": version}
            for space, name, version in self.options.known_packs
        ]
        self.send("select_known_packs", packs=packs)

    def handle_configuration_select_known_packs(self, fields: dict[str, Any]) -> None:
        """A client that knows every pack is sent names only (vanilla 1.21.1: all or nothing)."""
        if not self._next("select_known_packs"):
            return
        known = [(pack["namespace"], pack["id"], pack["version"]) for pack in fields["packs"]]
        bare = bool(known) and known == list(self.options.known_packs)
        for registry, entries in self.options.registries:
            self.send(
                "registry_data",
                id=registry,
                entries=[{"key": key, "value": None if bare else value} for key, value in entries],
            )
        tags = [
            {
                "tagType": registry,
                "tags": [{"tagName": tag, "entries": list(numbers)} for tag, numbers in of.items()],
            }
            for registry, of in self.options.tags.items()
        ]
        self.send("tags", tags=tags)
        self._step = "finish_configuration"
        self.send("finish_configuration")

    def handle_configuration_finish_configuration(self, fields: dict[str, Any]) -> None:
        """The client goes to play, and so do we."""
        if not self._next("finish_configuration"):
            return
        self.switch_protocol_mode("play")
        self._step = ""
        self._stop_patience()
        self.times_in_play += 1
        if not self.in_game:
            self.player_joined()
        self._keep_alive_call = self.clock.callLater(self.options.keep_alive_s, self._beat)
        self.forget_subscriptions()
        try:
            self.factory.on_play(self)
        except Exception:
            self.close("Internal server error")
            raise

    def handle_play_configuration_acknowledged(self, fields: dict[str, Any]) -> None:
        """The client has stopped playing and waits to be configured."""
        if self._next("configuration_acknowledged"):
            self._listen("configuration")
            self._configure()

    def handle_configuration_settings(self, fields: dict[str, Any]) -> None:
        """View distance, language and the like."""
        self.settings = fields

    def handle_configuration_custom_payload(self, fields: dict[str, Any]) -> None:
        """Of all channels only the brand means something to us."""
        if fields["channel"] == "minecraft:brand":
            self.client_brand = brand_of(fields["data"])

    def handle_configuration_cookie_response(self, fields: dict[str, Any]) -> None:
        """What the client kept for us."""
        self.cookies[fields["key"]] = fields["value"]

    handle_play_settings = handle_configuration_settings
    handle_play_custom_payload = handle_configuration_custom_payload
    handle_play_cookie_response = handle_configuration_cookie_response
    handle_login_cookie_response = handle_configuration_cookie_response

    # --- play ----------------------------------------------------------------------------------------------

    def packet_received(self, payload: bytes) -> None:
        """Between start_configuration and its acknowledgement the client may still play: not with us."""
        if self._step == "configuration_acknowledged" and payload[0] != _ACKNOWLEDGED:
            return
        super().packet_received(payload)

    def handle_play_keep_alive(self, fields: dict[str, Any]) -> None:
        """The client lives, and the way to it took this long."""
        if self._keep_alive is None or fields["keepAliveId"] != self._keep_alive[0]:
            self.close({"translate": "disconnect.timeout"})
            return
        self.latency_ms = (self.clock.seconds() - self._keep_alive[1]) * 1000
        self._keep_alive = None

    def _beat(self) -> None:
        """Send a keep-alive, and another one in a while."""
        if self._keep_alive is not None:
            self.close({"translate": "disconnect.timeout"})
            return
        now = self.clock.seconds()
        self._keep_alive = (int(now * 1000), now)
        self.send("keep_alive", keepAliveId=self._keep_alive[0])
        self._keep_alive_call = self.clock.callLater(self.options.keep_alive_s, self._beat)

    def _stop_keep_alive(self) -> None:
        self._keep_alive = None
        if self._keep_alive_call is not None and self._keep_alive_call.active():
            self._keep_alive_call.cancel()

    # --- coming and going ----------------------------------------------------------------------------------

    def _next(self, packet: str) -> bool:
        """Whether it is the turn of `packet`. A client out of turn is sent away."""
        if self._step == packet:
            return True
        self.close({"text": f"Unexpected {packet}"})
        return False

    def _start_patience(self) -> None:
        """The client has so long to come to play."""
        self._login_call = self.clock.callLater(self.options.login_timeout_s, self._too_slow)

    def _stop_patience(self) -> None:
        if self._login_call is not None and self._login_call.active():
            self._login_call.cancel()

    def _too_slow(self) -> None:
        self.close({"translate": "multiplayer.disconnect.slow_login"})

    def connection_timed_out(self) -> None:
        """Nothing at all has come for too long."""
        self.close({"translate": "disconnect.timeout"})

    def player_joined(self) -> None:
        """The client came to play for the first time."""
        self.in_game = True
        self.logger.info("%s joined", self.username)

    def connection_made(self) -> None:
        """See `Endpoint.connection_made`."""
        super().connection_made()
        self.factory.connections.add(self)

    def connection_lost(self, reason: Any = None) -> None:
        """See `Endpoint.connection_lost`."""
        self.factory.connections.discard(self)
        self._stop_keep_alive()
        self._stop_patience()
        super().connection_lost(reason)


_ACKNOWLEDGED: Final = codec.packet_id("play", "toServer", "configuration_acknowledged")


class ServerConnectionFactory(ServerFactory):
    """Makes a `ServerConnection` for every socket."""

    protocol = ServerConnection
    noisy = False

    def __init__(
        self,
        on_play: Callable[[ServerConnection], None],
        *,
        status: Callable[[], ServerStatus] = ServerStatus,
        options: ServerOptions | None = None,
        clock: Any = None,
    ) -> None:
        # quarry's own constructor would make a key for every server, encrypted or not
        self.on_play = on_play
        self.status = status
        self.options = options or ServerOptions()
        self.clock = clock or twisted_reactor
        self.connection_timeout = self.options.idle_timeout_s
        self.connections: set[ServerConnection] = set()
        self._key: ServerKey | None = None

    @property
    def key(self) -> ServerKey:
        """The key pair, made when first needed."""
        if self._key is None:
            self._key = ServerKey()
        return self._key

    def ticker_type(self, logger: Any) -> Ticker:
        """quarry asks for a ticker; see `Ticker`."""
        return Ticker(self.clock)


class Server:
    """A listening server."""

    def __init__(self, factory: ServerConnectionFactory, listener: Any) -> None:
        self.factory = factory
        self._listener = listener

    @property
    def host(self) -> str:
        """The address it listens on."""
        return str(self._listener.getHost().host)

    @property
    def port(self) -> int:
        """The port it listens on, also when it was asked for any free one (port 0)."""
        return int(self._listener.getHost().port)

    @property
    def connections(self) -> frozenset[ServerConnection]:
        """Everyone who is connected, in whatever state."""
        return frozenset(self.factory.connections)

    @property
    def players(self) -> list[ServerConnection]:
        """Those in play, or on the way back there."""
        return [each for each in self.factory.connections if each.in_game]

    async def close(self, reason: Any = "Server closed") -> None:
        """Stop listening and send everyone away; returns when all are gone."""
        await _future(self._listener.stopListening())
        gone = []
        for connection in self.connections:
            ended: asyncio.Future[Disconnect] = asyncio.get_running_loop().create_future()
            connection.on_closed(ended.set_result)
            connection.close(reason)
            gone.append(ended)
        if gone:
            await asyncio.wait(gone, timeout=6.0)


async def serve(
    host: str = "127.0.0.1",
    port: int = 25565,
    *,
    on_play: Callable[[ServerConnection], None],
    status: Callable[[], ServerStatus] = ServerStatus,
    options: ServerOptions | None = None,
) -> Server:
    """Listen for players.

    `on_play` is called with each connection that comes to play, before anything the client sends there is
    read: subscribe in it, and send `login` first. It is called again after each `reconfigure`. `status` is
    asked whenever the multiplayer screen asks. Port 0 takes a free port. Raises OSError when the port can't
    be had.
    """
    factory = ServerConnectionFactory(on_play, status=status, options=options)
    from twisted.internet.error import CannotListenError

    try:
        listener = twisted_reactor.listenTCP(port, factory, interface=host)
    except CannotListenError as error:
        raise OSError(f"can't listen on {host}:{port}: {error.socketError}") from error
    return Server(factory, listener)


def _future(deferred: Any) -> asyncio.Future[Any]:
    """What a Twisted Deferred, or a plain value, comes to."""
    from twisted.internet.defer import maybeDeferred

    future: asyncio.Future[Any] = maybeDeferred(lambda: deferred).asFuture(asyncio.get_running_loop())
    return future
