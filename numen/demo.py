"""The first run: a practice world, one companion, one job.

The job counts as done when the companion's own inventory shows it, whatever was said about it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from numen.agent.events import TurnEnded
from numen.app import companion_of, converse, leave_all, stopped_by_signals
from numen.companion import Away, Companion, CompanionEvent, JobEnded
from numen.config import Config, ServerConfig
from numen.console import Console
from numen.messages import Language, say
from numen.sandbox.server import start_sandbox
from numen.world import World
from protocol.game import GAME

SEED: Final = 4
#: A rehearsal needs half a minute; a slow model may think for a while at each step.
LIMIT_S: Final = 900.0

JOB: Final = {
    "en": "Make a wooden pickaxe and mine 3 cobblestone with it.",
    "zh": "做一把木镐，再用它挖 3 块圆石。",
}


@dataclass(frozen=True)
class Progress:
    """What of the job the inventory shows."""

    pickaxe: bool
    cobblestone: int

    @classmethod
    def of(cls, world: World) -> Progress:
        """Read it from the world as the server told it."""
        count = world.inventory.count
        return cls(count(GAME.item("wooden_pickaxe").id) > 0, count(GAME.item("cobblestone").id))

    @property
    def done(self) -> bool:
        return self.pickaxe and self.cobblestone >= 3

    def told(self, language: Language) -> str:
        """The facts, for people."""
        if language == "zh":
            return f"木镐{'有' if self.pickaxe else '没有'}，圆石 {self.cobblestone} 块"
        return f"{'a' if self.pickaxe else 'no'} wooden pickaxe, {self.cobblestone} cobblestone"


async def demo(config: Config, console: Console, *, interactive: bool, job: str | None = None) -> int:
    """Run the practice world with one companion. Returns 0 when the job was done, 1 when not.

    With `interactive`, a person talks to the companion meanwhile and afterwards; the end is his, and 0.
    """
    language = console.language
    who = config.companions[0]
    llm = config.llm_of(who)
    sandbox = await start_sandbox(seed=SEED)
    try:
        console.note(say("sandbox", language, port=sandbox.port))
        settled = asyncio.Event()
        endings: list[TurnEnded] = []

        def report(event: CompanionEvent) -> None:
            console.report(event)
            if isinstance(event, TurnEnded) and event.how != "waiting":
                endings.append(event)
            if isinstance(event, (TurnEnded, JobEnded, Away)):
                settled.set()

        data = config.data / "demo"
        server = ServerConfig(host="127.0.0.1", port=sandbox.port, reconnect_for_s=0)
        companion = companion_of(config, who, server, report, data=data)
        if interactive:
            console.follow(companion.live_bus)
        # Each first run begins anew; what the last one said would only confuse this one.
        if companion.mind.history.messages:
            companion.mind.begin_anew()
        key = "rehearsal" if llm.is_rehearsal else "endpoint"
        console.note(say(key, language, label=companion.mind.provider.label))
        order = job or JOB[language]
        console.note(say("job", language, job=order))
        companion.mind.hear(order)
        life = asyncio.ensure_future(companion.live())
        with stopped_by_signals(companion.leave):
            if interactive:
                talk = asyncio.ensure_future(converse([companion], console))
                await asyncio.wait([talk, life], return_when=asyncio.FIRST_COMPLETED)
                talk.cancel()
                code = 0
            else:

                def finished() -> bool:
                    """It has come to a conclusion about the job, and neither thinks nor works any more."""
                    body = companion.body
                    return bool(endings) and (
                        body is not None and body.tasks.current is None and not companion.mind.busy
                    )

                try:
                    async with asyncio.timeout(LIMIT_S):
                        while not life.done() and not finished():
                            settled.clear()
                            await settled.wait()
                except TimeoutError:
                    console.note(
                        say("failure", language, facts=say("time_up", language, seconds=f"{LIMIT_S:.0f}"))
                    )
                if job is None:
                    code = _judge(companion, console)
                else:  # only the companion itself can say how another job went
                    code = 0 if endings and endings[-1].how == "answered" else 1
        leave_all([companion])
        await life
        return code
    finally:
        await sandbox.stop()


def _judge(companion: Companion, console: Console) -> int:
    progress = Progress.of(companion.world)
    facts = progress.told(console.language)
    console.note(say("success" if progress.done else "failure", console.language, facts=facts))
    return 0 if progress.done else 1
