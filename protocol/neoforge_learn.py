"""Finding out which channels a NeoForge server's mods insist on, from what it refuses.

A server names nothing when it asks for our channels, but it says what was wrong with each when it turns us
away: that we lack one, then which way it flows, then its version. Asking again with that mended ends, after
a few rounds, in a list that fits. Channels of configuration are looked at before those of play.

Meant for a server of one's own: each round is a connection that is refused.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from protocol.connection import DEFAULT_PORT, ConnectFailed, Connection, ConnectionOptions, connect
from protocol.link import Disconnect
from protocol.neoforge_payloads import Channel, ChannelRefusal, Flow, Phase

#: Two phases of at most four rounds, and one to see that all fits.
MAX_ROUNDS: Final = 9

_FLOWS: Final[Mapping[str, Flow]] = {"SERVERBOUND": "serverbound", "CLIENTBOUND": "clientbound"}


@dataclass
class _Guess:
    """What we think a channel to be."""

    version: str = "1"
    flow: Flow = "both"

    def mend(self, refusal: ChannelRefusal) -> None:
        """Change what the server found wrong. Does nothing where its words make no sense."""
        told = refusal.arguments
        match refusal.problem.split("."):
            case ["version", "mismatch"] if len(told) == 2:
                # the server's first, whatever the sentence around it says
                self.version = told[0] if told[0] != self.version else told[1]
            case ["flow", "client", "missing" | "mismatch"] if told:
                self.flow = _FLOWS.get(told[0], self.flow)
            case ["flow", "server", "missing"]:
                self.flow = "both"
            case ["flow", "server", "mismatch"] if len(told) == 2:
                self.flow = _FLOWS.get(told[1], self.flow)


async def learn_channels(
    host: str,
    port: int = DEFAULT_PORT,
    username: str = "Numen",
    *,
    options: ConnectionOptions | None = None,
    pause_s: float = 1.0,
    progress: Callable[[str], None] = lambda line: None,
) -> list[Channel]:
    """The channels to declare on this server, exactly as its mods have them; none when it needs none.

    `options.channels` are the beginning, if there are any. `pause_s` lies between two rounds, `progress` is
    told of each. Raises ConnectFailed when the server refuses us for another reason, or what it says leads
    nowhere.
    """
    options = options or ConnectionOptions()
    guesses = {each.id: _Guess(each.version, each.flow) for each in options.channels}
    for number in range(1, MAX_ROUNDS + 1):
        declared = tuple(
            Channel(id_, guess.version, guess.flow, phase)
            for id_, guess in guesses.items()
            for phase in ("configuration", "play")
        )
        agreed, failure = await _try(host, port, username, replace(options, channels=declared))
        if failure is None:
            return _exact(guesses, agreed)
        refusals: tuple[ChannelRefusal, ...] = failure.disconnect.details.get("channels", ())
        if not refusals:
            raise failure
        progress(f"round {number}: {len(refusals)} channels do not fit yet")
        before = str(guesses)
        for refusal in refusals:
            if refusal.problem == "missing.server.client":
                guesses.setdefault(refusal.channel, _Guess())
            elif refusal.channel in guesses:
                guesses[refusal.channel].mend(refusal)
        if str(guesses) == before:
            break
        await asyncio.sleep(pause_s)
    named = ", ".join(refusal.channel for refusal in refusals[:5])
    text = f"The server keeps refusing channels of its mods, whatever is declared for them: {named}."
    raise ConnectFailed(Disconnect(text, by_server=True, details={"kind": "neoforge", "channels": refusals}))


async def _try(
    host: str, port: int, username: str, options: ConnectionOptions
) -> tuple[Mapping[Phase, Mapping[str, str]], ConnectFailed | None]:
    """One connection, given up as soon as the server has agreed to our channels: what it agreed to, or how it
    failed."""
    agreed: Mapping[Phase, Mapping[str, str]] | None = None

    def attach(connection: Connection) -> None:
        def leave() -> None:
            nonlocal agreed
            agreed = connection.neoforge.agreed
            connection.close("the channels are known")

        connection.neoforge.on_agreed = leave

    try:
        options = replace(options, posture="auto")
        connection = await connect(host, port, username, options=options, attach=attach)
    except ConnectFailed as failure:
        return (agreed, None) if agreed is not None else ({}, failure)
    connection.close("the server does not ask for channels")
    return {}, None


def _exact(guesses: Mapping[str, _Guess], agreed: Mapping[Phase, Mapping[str, str]]) -> list[Channel]:
    """The guesses that the server took, each in the phase in which it has it."""
    return [
        Channel(id_, version, guesses[id_].flow, phase)
        for phase, channels in agreed.items()
        for id_, version in sorted(channels.items())
        if id_ in guesses
    ]


def to_yaml(channels: Iterable[Channel]) -> str:
    """The channels as they are written into numen.yaml, a line each."""
    lines = ["server:", "  neoforge:", "    channels:"]
    for channel in channels:
        fields = (f"{key}: {json.dumps(value)}" for key, value in channel.to_mapping().items())
        lines.append(f"      - {{{', '.join(fields)}}}")
    return "\n".join([*lines[:-1], "    channels: []"] if len(lines) == 3 else lines) + "\n"
