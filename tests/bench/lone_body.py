"""A body without a mind that stands still: python -m tests.bench.lone_body PORT NAME

Prints {"event": "spawn"} when it can act, and stays until it is killed.
"""

from __future__ import annotations

import asyncio
import json
import sys

from numen.body import Body, Clock, Slices
from numen.world import World
from protocol import reactor
from protocol.connection import ConnectionOptions, connect


async def stand(port: int, name: str) -> None:
    connection = await connect("127.0.0.1", port, name, options=ConnectionOptions(view_distance=10))
    world = World()
    world.attach(connection)
    body = Body(world, connection, Slices())
    ready = asyncio.Event()

    def tick() -> None:
        world.tick()
        body.tick()
        if body.ready:
            ready.set()

    Clock(tick).start()
    await ready.wait()
    print(json.dumps({"event": "spawn"}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    reactor.run(stand(int(sys.argv[1]), sys.argv[2]))
