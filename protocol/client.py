"""The player's end of a game connection: quarry's client, taught protocol 767.

The connection keeps itself alive: it answers keep-alives, pings, cookies, resource packs, known packs and
chunk batches, goes through configuration as often as the server wants, speaks NeoForge where it is asked to,
and hands on the packets of a bundle together. Teleports are left to the body, which knows where it stands.
`protocol.connection.connect` makes one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from protocol import codec, reactor

_LOOP = reactor.install()

from quarry.net.client import ClientFactory, ClientProtocol  # noqa: E402
from twisted.internet import reactor as twisted_reactor  # noqa: E402

from protocol.chat_session import Chat  # noqa: E402
from protocol.encryption import new_secret, seal, server_hash  # noqa: E402
from protocol.endpoint import Endpoint, Ticker, brand_of, offline_uuid  # noqa: E402
from protocol.framing import varint  # noqa: E402
from protocol.link import Disconnect, Handler  # noqa: E402
from protocol.neoforge import NeoForge  # noqa: E402
from protocol.options import ConnectionOptions  # noqa: E402
from protocol.pace import ChunkPace  # noqa: E402
from protocol.packs import ResourcePacks  # noqa: E402
from protocol.refusals import GAME_VERSION, PROTOCOL_VERSION, refused  # noqa: E402
from protocol.text import parse_json, plain_text  # noqa: E402

#: A bundle has at most this many packets (vanilla 1.21.1).
MAX_BUNDLE: Final = 4096
#: Play packets kept for the first subscriber, at most.
MAX_HELD: Final = 65536
#: A cookie is at most this large (vanilla 1.21.1); of more than so many the oldest is forgotten.
MAX_COOKIE_BYTES: Final = 5120
MAX_COOKIES: Final = 256


class ConnectFailed(ConnectionError):
    """No connection came about. Its text is one plain sentence; `disconnect` has the rest."""

    def __init__(self, disconnect: Disconnect) -> None:
        super().__init__(disconnect.reason)
        self.disconnect = disconnect


class Connection(Endpoint, ClientProtocol):
    """One connection to a server. Has the shape of `protocol.link.Link`."""

    recv_direction = "toClient"
    send_direction = "toServer"
    transitions = frozenset(
        {
            ("handshaking", "login"),
            ("login", "configuration"),
            ("configuration", "play"),
            ("play", "configuration"),
        }
    )
    factory: ConnectionFactory

    #: The server's make as it calls itself, once it did.
    server_brand: str | None
    #: What the server asked us to keep.
    cookies: dict[str, bytes]
    #: Resource packs the server has pushed, and what we answer.
    packs: ResourcePacks
    #: What the server wants reports about it to mention.
    report_details: dict[str, str]
    #: Pages the server points to: what each is, as ``website`` or in its own words, and its address.
    server_links: tuple[tuple[str, str], ...]

    def setup(self) -> None:
        """See `Endpoint.setup`."""
        super().setup()
        self.options: ConnectionOptions = self.factory.options
        self.username = self.factory.username
        self.uuid = self.options.uuid or offline_uuid(self.username)
        self.registries.state_counts = self.options.block_states
        self.server_brand = None
        self.cookies = dict(self.options.cookies)
        self.report_details = {}
        self.server_links = ()
        self.packs = ResourcePacks(
            self.options.resource_packs,
            lambda uuid, result: self.send("resource_pack_receive", uuid=uuid, result=result),
            headers=self._pack_headers,
            progress=self._progress,
        )
        self.pace = ChunkPace()
        self._channels: dict[str, list[Callable[[bytes], None]]] = {"minecraft:brand": [self._note_brand]}
        self.chat = Chat(self, self.options.player_keys)
        self.keep_latest("declare_commands")
        self.neoforge = NeoForge(self, self.options.channels, willing=self.options.posture != "vanilla")
        self._subscribed = False
        self._deadline: Any = None
        #: Play packets that wait: for the end of a bundle, or for someone to subscribe.
        self._kept: list[bytes] | None = None
        self._holding = False
        self._passing: frozenset[int] = frozenset()

    def subscribe(self, packet: str, handler: Handler) -> None:
        """See `Endpoint.subscribe`.

        Play packets that come before anyone has subscribed are kept, and handed on in the turn of the event
        loop after the first subscription: whoever subscribes to everything it needs at once misses nothing.
        """
        super().subscribe(packet, handler)
        if self._holding and not self._subscribed:
            self.clock.callLater(0, self._end_hold)
        self._subscribed = True

    def on_payload(self, channel: str, handler: Callable[[bytes], None]) -> None:
        """Call `handler` with the data of each custom payload on `channel`, in configuration and in play.

        Payloads on other channels are ignored, as a vanilla client does. `neoforge` handles those of its own.
        """
        self._channels.setdefault(channel, []).append(handler)

    # --- login ---------------------------------------------------------------------------------------------

    def connection_made(self) -> None:
        """Introduce ourselves by the name the user gave for the host."""
        super().connection_made()
        self.send(
            "set_protocol",
            protocolVersion=PROTOCOL_VERSION,
            serverHost=self.factory.host,
            serverPort=self.factory.port,
            nextState=3 if self.options.transferred else 2,
        )
        self.switch_protocol_mode("login")
        self.send("login_start", username=self.username, playerUUID=self.uuid)
        self._expect("an answer to the login", self.options.login_timeout_s)

    def handle_login_disconnect(self, fields: dict[str, Any]) -> None:
        """The server turns us away."""
        has_account = self.options.authenticator is not None
        reason = parse_json(fields["reason"])
        self.end(refused(reason, state="login", username=self.username, with_account=has_account))

    def handle_login_compress(self, fields: dict[str, Any]) -> None:
        """Everything after this packet is framed with sizes."""
        self.set_compression(fields["threshold"])

    def handle_login_encryption_begin(self, fields: dict[str, Any]) -> None:
        """The server's key. Without an account there is nothing to prove, and the link is encrypted all the
        same."""
        secret = new_secret()
        if not fields["shouldAuthenticate"]:
            self._answer_encryption(secret, fields)
        elif self.options.authenticator is None:
            text = "The server wants a Minecraft account (online-mode=true), and this companion has none."
            self.end(Disconnect(text, state="login", details={"kind": "online_account"}))
        else:
            self._joining = asyncio.ensure_future(self._authenticate(secret, fields))

    async def _authenticate(self, secret: bytes, fields: dict[str, Any]) -> None:
        assert self.options.authenticator is not None
        try:
            await self.options.authenticator(server_hash(fields["serverId"], secret, fields["publicKey"]))
        except Exception as error:
            text = f"The Minecraft account could not be proved to the server: {error}"
            details = {"kind": "online_account", "error": error}
            self.end(Disconnect(text, state="login", details=details))
        else:
            self._answer_encryption(secret, fields)

    def _answer_encryption(self, secret: bytes, fields: dict[str, Any]) -> None:
        try:
            sealed_secret, sealed_token = seal(fields["publicKey"], secret, fields["verifyToken"])
        except ValueError as error:
            text = f"The server's key for encryption can't be used: {error}."
            self.end(Disconnect(text, state="login", details={"kind": "framing"}))
            return
        self.send("encryption_begin", sharedSecret=sealed_secret, verifyToken=sealed_token)
        if not self.closed:
            self.encrypt(secret)
            self._expect("success", self.options.login_timeout_s)

    def handle_login_login_plugin_request(self, fields: dict[str, Any]) -> None:
        """Proxies and mods ask things here that vanilla does not understand."""
        self.send("login_plugin_response", messageId=fields["messageId"], data=None)

    def handle_login_success(self, fields: dict[str, Any]) -> None:
        """We are in. Brand and settings go out now and not again in later configurations."""
        self.uuid = fields["uuid"]
        self.username = fields["username"]
        self.send("login_acknowledged")
        self.switch_protocol_mode("configuration")
        self._expect("select_known_packs or registry_data", self.options.configuration_timeout_s)
        brand = self.options.brand.encode()
        self.send("custom_payload", channel="minecraft:brand", data=varint(len(brand)) + brand)
        self._send_settings()

    def _send_settings(self) -> None:
        self.send(
            "settings",
            locale=self.options.locale,
            viewDistance=self.options.view_distance,
            chatFlags=0,
            chatColors=True,
            skinParts=0x7F,
            mainHand=1,
            enableTextFiltering=False,
            enableServerListing=True,
        )

    @property
    def mods(self) -> tuple[str, ...]:
        """The ids of the server's mods, as far as it shows them by channels and registries."""
        return self.neoforge.mods

    # --- in every state ------------------------------------------------------------------------------------

    def handle_configuration_keep_alive(self, fields: dict[str, Any]) -> None:
        """Answered as soon as it is read."""
        self.send("keep_alive", keepAliveId=fields["keepAliveId"])

    def handle_configuration_ping(self, fields: dict[str, Any]) -> None:
        """Tells the server how far we have read."""
        self.send("pong", id=fields["id"])

    def handle_login_cookie_request(self, fields: dict[str, Any]) -> None:
        """What we kept under this name, or that there is nothing."""
        key = fields["cookie"]
        self.send("cookie_response", key=key, value=self.cookies.get(key))

    def handle_configuration_store_cookie(self, fields: dict[str, Any]) -> None:
        """Kept as long as this connection, and for the server it may send us to."""
        if len(fields["value"]) > MAX_COOKIE_BYTES:
            return
        self.cookies.pop(fields["key"], None)
        self.cookies[fields["key"]] = fields["value"]
        if len(self.cookies) > MAX_COOKIES:
            del self.cookies[next(iter(self.cookies))]

    def handle_configuration_transfer(self, fields: dict[str, Any]) -> None:
        """The server sends us elsewhere. Whoever owns the connection decides whether to go."""
        host, port = fields["host"], fields["port"]
        details = {"kind": "transfer", "transfer": (host, port), "cookies": dict(self.cookies)}
        text = f"The server asks the companion to move on to {host}:{port}."
        self.end(Disconnect(text, by_server=True, state=self.state, details=details))

    def handle_configuration_add_resource_pack(self, fields: dict[str, Any]) -> None:
        """Answered by the policy of the options, see `protocol.packs`."""
        self.packs.push(fields["uuid"], fields["url"], fields["hash"])

    def handle_configuration_remove_resource_pack(self, fields: dict[str, Any]) -> None:
        """Without a UUID it means all of them."""
        self.packs.pop(fields["uuid"])

    def _pack_headers(self) -> dict[str, str]:
        """What the game tells those who keep packs (vanilla 1.21.1)."""
        return {
            "User-Agent": f"Minecraft Java/{GAME_VERSION}",
            "X-Minecraft-Username": self.username,
            "X-Minecraft-UUID": self.uuid.hex,
            "X-Minecraft-Version": GAME_VERSION,
            "X-Minecraft-Version-ID": GAME_VERSION,
            "X-Minecraft-Pack-Format": "34",
        }

    def handle_configuration_custom_report_details(self, fields: dict[str, Any]) -> None:
        """Kept for whoever writes a report."""
        self.report_details = {each["key"]: each["value"] for each in fields["details"]}

    def handle_configuration_server_links(self, fields: dict[str, Any]) -> None:
        """Kept for whoever wants to show them."""
        self.server_links = tuple(
            (
                str(each["knownType"]) if each["hasKnownType"] else plain_text(each["unknownType"]),
                each["link"],
            )
            for each in fields["links"]
        )

    def handle_configuration_custom_payload(self, fields: dict[str, Any]) -> None:
        """Channels that somebody knows are handed on, the rest is ignored."""
        channel = fields["channel"]
        if channel in self._channels:
            for handler in self._channels[channel]:
                handler(fields["data"])
        elif self.state == "configuration":
            self.neoforge.unheard.append(channel)

    def _note_brand(self, data: bytes) -> None:
        self.server_brand = brand_of(data)

    def handle_configuration_tags(self, fields: dict[str, Any]) -> None:
        """Tags of some or all registries."""
        self.registries.put_tags(
            {of["tagType"]: {tag["tagName"]: tag["entries"] for tag in of["tags"]} for of in fields["tags"]}
        )
        self._progress()

    def handle_configuration_disconnect(self, fields: dict[str, Any]) -> None:
        """The server sends us away and says why."""
        why = refused(fields["reason"], state=self.state, username=self.username)
        self.end(self.neoforge.explain(why))

    handle_configuration_cookie_request = handle_login_cookie_request
    handle_play_keep_alive = handle_configuration_keep_alive
    handle_play_ping = handle_configuration_ping
    handle_play_cookie_request = handle_login_cookie_request
    handle_play_store_cookie = handle_configuration_store_cookie
    handle_play_transfer = handle_configuration_transfer
    handle_play_add_resource_pack = handle_configuration_add_resource_pack
    handle_play_remove_resource_pack = handle_configuration_remove_resource_pack
    handle_play_custom_report_details = handle_configuration_custom_report_details
    handle_play_server_links = handle_configuration_server_links
    handle_play_custom_payload = handle_configuration_custom_payload
    handle_play_tags = handle_configuration_tags
    handle_play_kick_disconnect = handle_configuration_disconnect

    # --- configuration -------------------------------------------------------------------------------------

    def handle_configuration_select_known_packs(self, fields: dict[str, Any]) -> None:
        """Of the packs on offer, those we hold; the server sends what is in the others."""
        offered = [(pack["namespace"], pack["id"], pack["version"]) for pack in fields["packs"]]
        held = [pack for pack in offered if pack in self.options.known_packs]
        self.send(
            "select_known_packs",
            packs=[{"namespace": space, "id": name, "version": version} for space, name, version in held],
        )
        self._expect("registry_data", self.options.configuration_timeout_s)

    def handle_configuration_registry_data(self, fields: dict[str, Any]) -> None:
        """One registry, in the order of its numbers."""
        self.registries.put(fields["id"], [(entry["key"], entry["value"]) for entry in fields["entries"]])
        self._progress()

    def handle_configuration_reset_chat(self, fields: dict[str, Any]) -> None:
        """What was said before does not count any more."""
        self.chat.reset()

    def handle_configuration_feature_flags(self, fields: dict[str, Any]) -> None:
        """Which experiments the world has on."""
        self.registries.feature_flags = frozenset(fields["features"])
        self._progress()

    def handle_configuration_finish_configuration(self, fields: dict[str, Any]) -> None:
        """Both sides go to play."""
        if self.options.posture == "neoforge" and not self.neoforge.speaking:
            text = (
                "The server does not speak NeoForge, and this companion was told to join such a server only."
            )
            self.end(Disconnect(text, state=self.state, details={"kind": "neoforge"}))
            return
        self.send("finish_configuration")
        self.switch_protocol_mode("play")
        self._expect("login", self.options.configuration_timeout_s)
        if not self._subscribed:
            self._hold()

    def handle_play_start_configuration(self, fields: dict[str, Any]) -> None:
        """Back to configuration: from this line on the gate lets no play packet out."""
        if self._holding and self._kept:
            self._kept.clear()  # a login nobody has heard of yet is void now
        self._end_hold()
        self._end_bundle()
        self.send("configuration_acknowledged")
        self.switch_protocol_mode("configuration")
        self.forget_latest()
        self.chat.reset()
        self.neoforge.begin()
        self._expect("finish_configuration", self.options.configuration_timeout_s)

    # --- play ----------------------------------------------------------------------------------------------

    def handle_play_login(self, fields: dict[str, Any]) -> None:
        """We are in the world: at first, and again after each configuration.

        Some servers make the player only now, and never see settings that came before.
        """
        self._send_settings()
        self.chat.begin(enforced=fields["enforcesSecureChat"], encrypted=self.cipher is not None)
        self._arrive()

    def _arrive(self) -> None:
        self._expect(None)
        if not self.in_game:
            self.player_joined()
            self.factory.arrived(self)

    def handle_play_player_chat(self, fields: dict[str, Any]) -> None:
        """What was seen must be told, see `protocol.chat_session`."""
        self.chat.heard(fields)

    def drop(self, name: str, payload: bytes, why: str) -> None:
        """See `Endpoint.drop`. Chat that can't be read was sent and must be acknowledged all the same."""
        super().drop(name, payload, why)
        if name == "player_chat":
            self.chat.heard_in_part(payload)

    def handle_play_hide_message(self, fields: dict[str, Any]) -> None:
        """A message that was taken back."""
        self.chat.taken_back(fields)

    def handle_play_system_chat(self, fields: dict[str, Any]) -> None:
        """Of these only the server's own complaints about our chat matter here."""
        self.chat.told(fields["content"])

    def handle_play_chunk_batch_start(self, fields: dict[str, Any]) -> None:
        """Chunks follow."""
        self.pace.begin()

    def handle_play_chunk_batch_finished(self, fields: dict[str, Any]) -> None:
        """Every batch is acknowledged, an empty one too, or no more chunks come."""
        self.send("chunk_batch_received", chunksPerTick=self.pace.finish(fields["batchSize"]))

    def data_received(self, data: bytes) -> None:
        """See `Endpoint.data_received`. Times what a chunk batch costs us."""
        if self.pace.open:
            self.pace.resume()
        super().data_received(data)
        if self.pace.open:
            self.pace.pause()

    def packet_received(self, payload: bytes) -> None:
        """One packet: handled now, or kept with its bundle. Keep-alives never wait."""
        if self._kept is None or payload[0] in self._passing:
            super().packet_received(payload)
            return
        if self._holding and payload[0] == _LOGIN:
            self._arrive()
        self._kept.append(payload)
        if self._holding:
            if len(self._kept) > MAX_HELD:
                self.logger.warning("nobody has subscribed to anything: handing on %d packets", MAX_HELD)
                self._end_hold()
        elif len(self._kept) > MAX_BUNDLE:
            self._end_bundle()
            self._kept = []  # the rest of it until its end

    def handle_play_bundle_delimiter(self, fields: dict[str, Any]) -> None:
        """Opens a bundle or closes it: what is between is handed on in one go."""
        if self._kept is None:
            self._kept = []
            self._passing = _PASSING_BUNDLE
        else:
            self._end_bundle()

    def _end_bundle(self) -> None:
        kept, self._kept = self._kept, None
        for payload in kept or ():
            if not self.closed:
                super().packet_received(payload)

    def _hold(self) -> None:
        """Keep all play packets until somebody subscribes."""
        self._holding = True
        self._kept = []
        self._passing = _PASSING_HOLD
        self.recv_buff.wanted = None

    def _end_hold(self) -> None:
        """Hand on what was kept, bundles and all."""
        if not self._holding:
            return
        kept, self._kept = self._kept, None
        self._holding = False
        self.recv_buff.wanted = self._current
        for payload in kept or ():
            if not self.closed:
                self.packet_received(payload)

    # --- deadlines, coming and going -----------------------------------------------------------------------

    def _expect(self, packet: str | None, seconds: float = 0.0) -> None:
        """End the connection unless `packet`, or progress towards it, comes in time. None: expect nothing."""
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None
        if packet is not None and not self.closed:
            self._awaited, self._patience_s = packet, seconds
            self._deadline = self.clock.callLater(seconds, self._overdue)

    def _progress(self) -> None:
        """Configuration goes on: what remains to come is its end."""
        if self.state == "configuration":
            self._expect("finish_configuration", self.options.configuration_timeout_s)

    def _overdue(self) -> None:
        text = f"The server got stuck in {self.state}: waited {self._patience_s:g} s for {self._awaited}."
        details: dict[str, Any] = {"kind": "timeout", "waiting_for": self._awaited}
        details |= {"stuck_in": self.state, "seconds": self._patience_s}
        if self.state == "configuration" and self.neoforge.speaking and self.neoforge.unheard:
            details["unanswered"] = tuple(dict.fromkeys(self.neoforge.unheard))
            text += f" One of its mods may wait for an answer on {' or '.join(details['unanswered'][-3:])}."
        self.end(Disconnect(text, state=self.state, details=details))

    def player_joined(self) -> None:
        """Play has begun."""
        self.in_game = True
        self.logger.info("%s joined %s:%d", self.username, self.factory.host, self.factory.port)

    def connection_lost(self, reason: Any = None) -> None:
        """See `Endpoint.connection_lost`."""
        self._expect(None)
        self.packs.close()
        self.chat.close()
        super().connection_lost(reason)


_LOGIN: Final = codec.packet_id("play", "toClient", "login")
#: What is handled even while play packets are kept.
_PASSING_HOLD: Final = frozenset(
    codec.packet_id("play", "toClient", name)
    for name in (
        *("keep_alive", "start_configuration", "kick_disconnect"),
        *("transfer", "store_cookie", "cookie_request"),  # a transfer takes along what was stored before it
    )
)
_PASSING_BUNDLE: Final = _PASSING_HOLD | {codec.packet_id("play", "toClient", "bundle_delimiter")}


class ConnectionFactory(ClientFactory):
    """Makes the one `Connection` of one attempt, and tells how the attempt went.

    `outcome` is a future: the connection once it is in play, or ConnectFailed.
    """

    protocol = Connection
    noisy = False

    def __init__(
        self,
        host: str,
        port: int,
        username: str,
        options: ConnectionOptions,
        attach: Callable[[Connection], None] | None = None,
        *,
        clock: Any = None,
    ) -> None:
        # quarry's own constructor would make an account's profile, which nothing here uses
        self.host = host
        self.port = port
        self.username = username
        self.options = options
        self.clock = clock or twisted_reactor
        self.connection_timeout = options.idle_timeout_s
        self.outcome: asyncio.Future[Connection] = _LOOP.create_future()
        #: The socket that connected, reasons why others did not, and a bell for both.
        self.connection: Connection | None = None
        self.unreachable: list[Any] = []
        self.news = asyncio.Event()
        self._attach = attach

    def ticker_type(self, logger: Any) -> Ticker:
        """quarry asks for a ticker; see `Ticker`."""
        return Ticker(self.clock)

    def buildProtocol(self, addr: Any) -> Connection | None:
        """Twisted has connected a socket. The first one counts; any other is closed again."""
        if self.connection is not None:
            return None
        self.connection = Connection(self, addr)
        self.connection.on_closed(self.failed)
        if self._attach is not None:
            self._attach(self.connection)
        self.news.set()
        return self.connection

    def clientConnectionFailed(self, connector: Any, reason: Any) -> None:
        """Twisted could not connect a socket."""
        self.unreachable.append(reason)
        self.news.set()

    def arrived(self, connection: Connection) -> None:
        """The connection is in play."""
        if not self.outcome.done():
            self.outcome.set_result(connection)

    def failed(self, why: Disconnect) -> None:
        """The connection ended; before play, that is the outcome."""
        if not self.outcome.done():
            self.outcome.set_exception(ConnectFailed(why))
