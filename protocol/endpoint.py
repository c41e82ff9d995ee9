"""What both ends of a connection share: bytes in, packets to their handlers, packets out through one gate.

`Endpoint` is mixed into quarry's client and server protocols and takes over what quarry knows only for older
versions: framing, packet names, states and dispatch. A subclass handles a packet by a method called
``handle_<state>_<packet>``; everyone else subscribes to packets of the play state.

What goes wrong in one packet stays in that packet. A packet that can't be decoded is dropped, counted in
`dropped` and logged once a kind; a handler's exception is logged with the packet's name. Only bytes that
can't be cut into frames end a connection.
"""

from __future__ import annotations

import functools
import hashlib
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

from protocol.codec import VANILLA, Codec, DecodeError
from protocol.encryption import StreamCipher
from protocol.framing import FrameSplitter, FramingError, join, varint
from protocol.link import Direction, Disconnect, Handler, State, WrongState
from protocol.registries import Registries

#: A peer that does not take our last bytes is cut off after this.
LINGER_S = 5.0


def offline_uuid(username: str) -> UUID:
    """The UUID a server without accounts gives a name (vanilla 1.21.1: version 3 of
    ``OfflinePlayer:<name>``)."""
    return UUID(bytes=hashlib.md5(f"OfflinePlayer:{username}".encode()).digest(), version=3)


def brand_of(payload: bytes) -> str:
    """What a payload on ``minecraft:brand`` says: a string with its length before it."""
    length = 1 if payload[:1] < b"\x80" else 2
    return payload[length:].decode("utf-8", "replace")


class Timer:
    """One timeout that is pushed back often: `restart` notes the time, the clock is asked once a period."""

    def __init__(self, clock: Any, delay: float, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._delay = delay
        self._callback = callback
        self._touched = clock.seconds()
        self._call = clock.callLater(delay, self._check)

    def restart(self) -> None:
        """Begin the whole delay anew."""
        self._touched = self._clock.seconds()

    def stop(self) -> None:
        """Never call back."""
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._call = None

    def _check(self) -> None:
        left = self._touched + self._delay - self._clock.seconds()
        if left > 0:
            self._call = self._clock.callLater(left, self._check)
        else:
            self._call = None
            self._callback()


class Ticker:
    """Stands where quarry has a ticker that wakes each connection 20 times a second to count one timeout."""

    interval = 1.0

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._timers: list[Timer] = []

    def start(self) -> None:
        """Nothing runs until there is something to time."""

    def stop(self) -> None:
        """Stop every timer."""
        for timer in self._timers:
            timer.stop()
        self._timers.clear()

    def add_delay(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call back `delay` seconds after the last `restart` of the timer that is returned."""
        timer = Timer(self._clock, delay, callback)
        self._timers.append(timer)
        return timer


class _Route:
    """Where the packets with one id go in one state."""

    __slots__ = ("fields", "handlers", "kept", "name", "own", "payload", "read")

    def __init__(self, name: str, own: Handler | None) -> None:
        #: The packet's name; empty for an id that no packet has.
        self.name = name
        self.own = own
        #: The connection's own handler first, then the subscribers.
        self.handlers: list[Handler] = [] if own is None else [own]
        #: The packet's reader, once needed.
        self.read: Callable[[bytes, int], dict[str, Any]] | None = None
        #: Keep the latest payload for `Endpoint.latest`, and what it says once somebody has asked.
        self.kept = False
        self.payload: bytes | None = None
        self.fields: dict[str, Any] | None = None

    def keeping(self, read: Callable[[bytes, int], dict[str, Any]]) -> Callable[[bytes, int], dict[str, Any]]:
        """A reader that keeps what it is given, and reads it only when somebody handles it."""

        def keep(payload: bytes, pos: int) -> dict[str, Any]:
            self.payload, self.fields = payload, None
            return read(payload, pos) if self.handlers else {}

        return keep


class Endpoint:
    """One end of a connection, see the module. Offers the shape of `protocol.link.Link`."""

    #: Set by the subclass: what this end reads and writes.
    recv_direction: Direction
    send_direction: Direction
    #: Set by the subclass: which changes of state there are.
    transitions: frozenset[tuple[State, State]]

    #: The state whose packets may be sent now.
    state: State
    username = ""
    uuid = UUID(int=0)
    registries: Registries
    #: Undecodable packets by name.
    dropped: Counter[str]
    #: Exceptions of handlers by packet name.
    failures: Counter[str]

    transport: Any
    factory: Any
    logger: logging.Logger
    ticker: Ticker
    connection_timer: Timer
    closed: bool
    in_game: bool

    def setup(self) -> None:
        """quarry calls this when its own constructor is done."""
        self.logger = logging.getLogger(type(self).__module__)
        self.clock = self.factory.clock
        self.recv_buff = FrameSplitter(strict=self.recv_direction == "toServer")
        self.cipher: StreamCipher | None = None
        self.codec = VANILLA
        self.registries = Registries()
        self.dropped = Counter()
        self.failures = Counter()
        self._threshold = -1
        self._reading = False
        self._farewell: Disconnect | None = None
        self._ended: Disconnect | None = None
        self._closed_callbacks: list[Callable[[Disconnect], None]] = []
        self._linger: Any = None
        self._complained: set[tuple[str, object]] = set()
        self._tables: dict[State, list[_Route | None]] = {}
        self._speak("handshaking")
        self._listen("handshaking")

    # --- the link ------------------------------------------------------------------------------------------

    def subscribe(self, packet: str, handler: Handler) -> None:
        """Call `handler` with the fields of each `packet` of the play state, in order of subscription.

        A packet nobody subscribed to is not decoded. Raises KeyError when the play state has no such packet.
        """
        table = self._table("play")
        ident = VANILLA.packet_id("play", self.recv_direction, packet)
        route = table[ident]
        if route is None:
            route = table[ident] = _Route(packet, None)
        route.handlers.append(handler)

    def forget_subscriptions(self) -> None:
        """From now on nobody is subscribed to anything."""
        for ident, route in enumerate(self._table("play")):
            if route is not None:
                del route.handlers[0 if route.own is None else 1 :]
                if route.name and route.own is None and not route.kept:
                    self._table("play")[ident] = None

    def send(self, packet: str, /, **fields: Any) -> None:
        """Encode and send. After the connection has ended this does nothing.

        Raises WrongState where the current state has no such packet, EncodeError where the fields don't fit
        it.
        """
        if self.closed:
            return
        if packet not in self._sendable:
            raise WrongState(packet, self.state)
        self._write(self.codec.encode(self.state, self.send_direction, packet, fields))

    def keep_latest(self, packet: str) -> None:
        """From now on keep each `packet` of the play state until the next one, undecoded; see `latest`."""
        table = self._table("play")
        ident = VANILLA.packet_id("play", self.recv_direction, packet)
        route = table[ident] = table[ident] or _Route(packet, None)
        route.kept, route.read = True, None

    def latest(self, packet: str) -> dict[str, Any] | None:
        """The fields of the latest `packet` of those that are kept, the same dict until the next one comes.
        None when there was none or it can't be read."""
        route = self._table("play")[VANILLA.packet_id("play", self.recv_direction, packet)]
        if route is None or route.payload is None:
            return None
        if route.fields is None:
            try:
                read = self.codec.decode_body
                route.fields = read("play", self.recv_direction, packet, route.payload, 1)
            except DecodeError as error:
                self.drop(packet, route.payload, str(error))
                route.payload = None
        return route.fields

    def forget_latest(self) -> None:
        """What was kept came from a server that is gone."""
        for route in self._table("play"):
            if route is not None:
                route.payload = route.fields = None

    def deliver(self, packet: str, fields: dict[str, Any]) -> None:
        """Hand `fields` to whoever handles `packet` of the play state, as if it had just come."""
        route = self._table("play")[VANILLA.packet_id("play", self.recv_direction, packet)]
        if route is not None and self._recv_state == "play":
            self._hand_on("play", route, fields)

    def send_packet(self, name: str, *data: bytes) -> None:
        """Send a packet whose body is encoded already, as quarry's method of this name does."""
        if self.closed:
            return
        if name not in self._sendable:
            raise WrongState(name, self.state)
        self._write(varint(VANILLA.packet_id(self.state, self.send_direction, name)) + b"".join(data))

    def on_closed(self, callback: Callable[[Disconnect], None]) -> None:
        """Call back once when the connection has ended, at once when it already has."""
        if self._ended is not None:
            callback(self._ended)
        else:
            self._closed_callbacks.append(callback)

    def close(self, reason: str = "") -> None:
        """End the connection. What was sent before still goes out."""
        self.end(Disconnect(reason or "closed", state=self.state, details={"kind": "closed"}))

    def end(self, why: Disconnect) -> None:
        """End the connection for a reason that `on_closed` will tell. The first reason given stands."""
        if self.closed:
            return
        self.closed = True
        self._farewell = why
        self.transport.loseConnection()
        self._linger = self.clock.callLater(LINGER_S, self.transport.abortConnection)

    # --- states --------------------------------------------------------------------------------------------

    def check_protocol_mode_switch(self, mode: State) -> None:
        """Raises ValueError where the protocol has no such change of state."""
        if (self.state, mode) not in self.transitions:
            raise ValueError(f"there is no way from state {self.state} to {mode}")

    def switch_protocol_mode(self, mode: State) -> None:
        """Change the state for both directions."""
        self.check_protocol_mode_switch(mode)
        self._speak(mode)
        self._listen(mode)

    def set_compression(self, compression_threshold: int) -> None:
        """Compress packets from this size on, beginning with the next one each way. Negative: never."""
        self._threshold = compression_threshold
        self.recv_buff.threshold = compression_threshold

    def use_codec(self, codec: Codec) -> None:
        """Read and write by another codec from the next packet on: a modded server changes some of them."""
        self.codec = codec
        for table in self._tables.values():
            for route in table:
                if route is not None:
                    route.read = None

    def encrypt(self, secret: bytes) -> None:
        """Encrypt everything from here on, in both directions."""
        self.cipher = StreamCipher(secret)
        self.recv_buff.transform_rest(self.cipher.decrypt)

    def _speak(self, state: State) -> None:
        """Send packets of this state only from now on."""
        self.state = state
        self._sendable = _names(state, self.send_direction)

    def _listen(self, state: State) -> None:
        """Read packets of this state from now on."""
        self._recv_state: State = state
        self._current = self._table(state)
        self.recv_buff.wanted = self._current

    def _table(self, state: State) -> list[_Route | None]:
        """The routes of one state by packet id; None where a packet interests nobody."""
        table = self._tables.get(state)
        if table is None:
            names = _names(state, self.recv_direction)
            # Ids that no packet has are wanted too: to be told about once.
            table = [_UNKNOWN] * 128
            for name in names:
                own = getattr(self, f"handle_{state}_{name}", None)
                ident = VANILLA.packet_id(state, self.recv_direction, name)
                if ident < 128:  # only a relic of the status of old has a longer one
                    table[ident] = _Route(name, own) if own is not None else None
            self._tables[state] = table
        return table

    # --- in ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Bytes from the socket: cut them into packets and handle each."""
        self.connection_timer.restart()
        if self.cipher is not None:
            data = self.cipher.decrypt(data)
        self.recv_buff.feed(data)
        if self._reading:
            return  # called from within a handler: the loop below goes on with it
        self._reading = True
        try:
            for payload in self.recv_buff.packets():
                self.packet_received(payload)
                if self.closed:
                    break
        except FramingError as error:
            self.protocol_error(error)
        finally:
            self._reading = False

    def packet_received(self, payload: bytes) -> None:
        """One packet, from its id on."""
        ident = payload[0]
        route = self._current[ident] if ident < 128 else _UNKNOWN
        if route is None:
            return
        if not route.name:
            self._unknown(payload)
            return
        state = self._recv_state
        try:
            read = route.read
            if read is None:
                read = self.codec.reader(state, self.recv_direction, route.name)
                read = route.read = route.keeping(read) if route.kept else read
            fields = read(payload, 1)
        except Exception:
            self.drop(route.name, payload, self._why_unreadable(state, route.name, payload))
            return
        self._hand_on(state, route, fields)

    def _hand_on(self, state: State, route: _Route, fields: dict[str, Any]) -> None:
        for handler in route.handlers:
            try:
                handler(fields)
            except Exception as error:
                self._failed(state, route.name, error)

    def drop(self, name: str, payload: bytes, why: str) -> None:
        """Count what can't be read under `name`, and log it once a name."""
        self.dropped[name] += 1
        if self._first_time("drop", (self._recv_state, name)):
            self.logger.warning(
                "dropped a %s %s of %d bytes: %s; it begins with %s",
                *(self._recv_state, name, len(payload), why, payload[:48].hex()),
            )

    def _why_unreadable(self, state: State, name: str, payload: bytes) -> str:
        try:
            self.codec.decode_body(state, self.recv_direction, name, payload, 1)
        except Exception as error:
            return str(error)
        return "unreadable"

    def _failed(self, state: State, name: str, error: Exception) -> None:
        self.failures[name] += 1
        if self._first_time(name, type(error)):
            self.logger.error("handling %s %s failed", state, name, exc_info=error)
        else:
            self.logger.debug("handling %s %s failed again: %s", state, name, error)

    def _unknown(self, payload: bytes) -> None:
        ident = payload[0] if payload[0] < 128 or len(payload) < 2 else payload[0] & 127 | payload[1] << 7
        if self._first_time("unknown", (self._recv_state, ident)):
            self.logger.warning(
                "ignored a packet with the unknown id 0x%02x in state %s: %s",
                *(ident, self._recv_state, payload[:48].hex()),
            )

    def _first_time(self, kind: str, what: object) -> bool:
        if (kind, what) in self._complained:
            return False
        self._complained.add((kind, what))
        return True

    # --- out -----------------------------------------------------------------------------------------------

    def _write(self, packet: bytes) -> None:
        # Twisted's transport gathers what is written in one turn of the loop into one send.
        data = join(packet, self._threshold)
        if self.cipher is not None:
            data = self.cipher.encrypt(data)
        self.transport.write(data)

    # --- coming and going ----------------------------------------------------------------------------------

    def connection_made(self) -> None:
        """The socket is connected."""
        no_delay = getattr(self.transport, "setTcpNoDelay", None)
        if no_delay is not None:
            no_delay(True)

    def connection_lost(self, reason: Any = None) -> None:
        """The socket is gone, whoever ended it."""
        self.closed = True
        if self._linger is not None and self._linger.active():
            self._linger.cancel()
        self.ticker.stop()
        if self._ended is not None:
            return
        self._ended = self._farewell or self._lost(reason)
        if self.in_game:
            self.player_left()
        callbacks, self._closed_callbacks = self._closed_callbacks, []
        for callback in callbacks:
            try:
                callback(self._ended)
            except Exception:
                self.logger.exception("a callback for the end of the connection failed")

    def player_left(self) -> None:
        """The connection ended after play had begun."""
        self.in_game = False

    def _lost(self, reason: Any) -> Disconnect:
        peer = "server" if self.recv_direction == "toClient" else "client"
        what = reason.getErrorMessage() if hasattr(reason, "getErrorMessage") else str(reason or "")
        clean = "cleanly" in what
        text = f"The {peer} closed the connection." if clean else f"The connection to the {peer} was lost."
        details = {"kind": "lost", "cause": what}
        return Disconnect(text, by_server=peer == "server", state=self.state, details=details)

    def connection_timed_out(self) -> None:
        """Nothing at all has come for too long."""
        peer = "server" if self.recv_direction == "toClient" else "client"
        text = f"The {peer} has sent nothing for {self.factory.connection_timeout:g} s."
        details = {"kind": "timeout", "silent_s": self.factory.connection_timeout}
        self.end(Disconnect(text, state=self.state, details=details))

    def protocol_error(self, err: Exception) -> None:
        """The byte stream is broken: nothing after it can be trusted."""
        self.logger.warning("broken byte stream in state %s: %s", self._recv_state, err)
        text = f"The byte stream is broken: {err}."
        self.end(Disconnect(text, state=self.state, details={"kind": "framing", "cause": str(err)}))


_UNKNOWN = _Route("", None)


@functools.cache
def _names(state: State, direction: Direction) -> frozenset[str]:
    return frozenset(VANILLA.packet_names(state, direction))
