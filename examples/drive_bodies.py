"""An outside brain: takes every body it may have, has them all act at once, and hands them back."""

import asyncio
import json
from uuid import UUID

from numen.api import Event, Fleet, NumenActuator


async def send_off(fleet: Fleet, steps: int, owner: UUID | None = None) -> dict[str, str]:
    """Have every companion walk some steps to the south; how each walk ended, by name."""
    news: asyncio.Queue[tuple[UUID, Event]] = asyncio.Queue()
    actuator = NumenActuator(fleet, owner, on_event=lambda uuid, event: news.put_nowait((uuid, event)))
    mine = {each.uuid: each.name for each in actuator.companions() if actuator.acquire(each.uuid)}
    try:
        # Bodies run side by side; calls on one body run one after another.
        walks = await asyncio.gather(*(walk(actuator, uuid, steps) for uuid in mine))
        ends = dict.fromkeys(mine.values(), "did not set out")
        under_way = {uuid for uuid, begun in zip(mine, walks, strict=True) if begun}
        while under_way:
            uuid, event = await news.get()
            if event.kind == "task_finished":
                under_way.discard(uuid)
                ends[mine[uuid]] = str(event.attrs["status"])
        return ends
    finally:
        for uuid in mine:
            actuator.release(uuid)  # their own minds stay silent until something wakes them


async def walk(actuator: NumenActuator, uuid: UUID, steps: int) -> bool:
    """Begin a walk to the south; False when the body would not."""
    status = json.loads(await actuator.invoke(uuid, "get_self_status"))
    x, z = status["block_position"]["x"], status["block_position"]["z"]
    begun = json.loads(await actuator.invoke(uuid, "move_to", {"x": x, "z": z + steps}))
    return bool(begun["success"])
