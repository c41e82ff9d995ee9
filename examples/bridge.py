"""A bridge from a chat room: each line somebody writes reaches a companion as its owner's words."""

from collections.abc import AsyncIterator

from numen.api import Fleet, NumenGateway


async def bridge(fleet: Fleet, room: AsyncIterator[tuple[str, str]], companion: str) -> int:
    """Carry lines (author, text) of `room` over until it ends; returns how many were taken."""
    gateway = NumenGateway(fleet)
    taken = 0
    async for author, text in room:
        uuid = next((each.uuid for each in fleet.all() if each.name == companion), None)
        if uuid is not None and gateway.enqueue(uuid, f"[room · {author}] {text}"):
            taken += 1
    return taken
