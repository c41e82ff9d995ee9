"""A bridge that writes down what companions say and do, while they do it: `live.txt` in its own folder."""

from numen.api import LiveKind, Numen, tool_status


async def start(numen: Numen) -> None:
    """Watch until the run ends."""
    stream = numen.live.subscribe()
    try:
        with (numen.files() / "live.txt").open("a", encoding="utf-8") as file:
            async for event in stream:
                match event.kind:
                    case LiveKind.START:
                        file.write(f"[{event.companion} for {event.person or 'its owner'}] ")
                    case LiveKind.DELTA:
                        file.write(event.payload)
                    case LiveKind.TOOL_STATUS:
                        file.write(f"({tool_status(event.payload).label}) ")
                    case LiveKind.ERROR:
                        file.write(f"! {event.payload}")
                    case LiveKind.DONE:
                        file.write("\n")
                file.flush()
    finally:
        stream.close()
