"""Replies of a scripted endpoint in the form of Google's generateContent.

async with ScriptedEndpoint(gemini_calls(("mine", {"count": 3})), gemini_says("Done.")) as endpoint:
    provider = Vertex(Endpoint(provider="vertex", base_url=endpoint.url, model="gemini-2.5-flash"))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numen.testing.endpoint import Reply, stream

USAGE = {
    "promptTokenCount": 100,
    "candidatesTokenCount": 7,
    "thoughtsTokenCount": 3,
    "cachedContentTokenCount": 80,
}


def chunk(*parts: Mapping[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of an answer."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


def gemini_says(*pieces: str, thoughts: str = "", finish: str = "STOP") -> Reply:
    """A plain answer, streamed in these pieces."""
    chunks = [chunk({"text": thoughts, "thought": True})] if thoughts else []
    chunks += [chunk({"text": piece}) for piece in pieces]
    return stream(*chunks, chunk(finish=finish, usageMetadata=USAGE), done=False)


def gemini_calls(*each: tuple[str, Mapping[str, Any]], signature: str = "c2lnbmVk") -> Reply:
    """Function calls in one answer; the first bears a signature."""
    parts = [{"functionCall": {"name": name, "args": dict(arguments)}} for name, arguments in each]
    if signature:
        parts[0]["thoughtSignature"] = signature  # type: ignore[assignment]
    return stream(chunk(*parts), chunk(finish="STOP", usageMetadata=USAGE), done=False)
