"""Resource packs a server pushes: what we tell it became of them.

Nothing here needs a pack. By policy one is said to be loaded without being fetched, or fetched, checked
against its hash and thrown away (for servers that watch whether it is), or declined. Each is answered by its
own UUID, step by step, as a client that loads it would (protocol 767).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal
from uuid import UUID

from protocol.web import web_client

log = logging.getLogger(__name__)

LOADED, DECLINED, FAILED_DOWNLOAD, ACCEPTED, DOWNLOADED, INVALID_URL = 0, 1, 2, 3, 4, 5
DISCARDED: Final = 7
#: No pack may be larger (vanilla 1.21.1).
MAX_PACK_BYTES: Final = 250 * 1024 * 1024
#: Seconds without a byte after which a download has failed.
DOWNLOAD_SILENCE_S: Final = 30.0

Policy = Literal["accept", "download", "decline"]


class ResourcePacks:
    """The packs of one connection."""

    def __init__(
        self,
        policy: Policy,
        answer: Callable[[UUID, int], None],
        *,
        headers: Callable[[], Mapping[str, str]] = dict,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        """`answer` sends what became of a pack, `headers` go with a download's request, `progress` is called
        while one runs: the server waits for its end."""
        #: Packs the server has pushed and not taken back, by UUID: their addresses.
        self.pushed: dict[UUID, str] = {}
        self._policy = policy
        self._answer = answer
        self._headers = headers
        self._progress = progress
        self._running: dict[UUID, asyncio.Task[None]] = {}

    def push(self, uuid: UUID, url: str, sha1: str) -> None:
        """The server wants a pack to be loaded."""
        self._stop(uuid)
        if self._policy == "decline":
            self._answer(uuid, DECLINED)
            return
        if self._policy == "download" and not re.match("https?://", url, re.IGNORECASE):
            self._answer(uuid, INVALID_URL)
            return
        self.pushed[uuid] = url
        self._answer(uuid, ACCEPTED)
        if self._policy == "accept":
            self._answer(uuid, DOWNLOADED)
            self._answer(uuid, LOADED)
        else:
            self._running[uuid] = asyncio.ensure_future(self._download(uuid, url, sha1))

    def pop(self, uuid: UUID | None) -> None:
        """The server takes a pack back; None: all of them."""
        for each in list(self.pushed) if uuid is None else [uuid]:
            self.pushed.pop(each, None)
            if self._stop(each):
                self._answer(each, DISCARDED)

    def close(self) -> None:
        """Nothing is downloaded any more."""
        for uuid in list(self._running):
            self._stop(uuid)

    def _stop(self, uuid: UUID) -> bool:
        task = self._running.pop(uuid, None)
        if task is None or task.done():
            return False
        task.cancel()
        return True

    async def _download(self, uuid: UUID, url: str, sha1: str) -> None:
        try:
            found = await fetch_sha1(url, self._headers(), self._progress)
            if re.fullmatch("[0-9a-fA-F]{40}", sha1) and found != sha1.lower():
                raise ValueError(f"its SHA-1 is {found}, not {sha1}")
        except Exception as error:
            log.warning(
                "the resource pack at %s could not be fetched: %s", url, error or type(error).__name__
            )
            self._answer(uuid, FAILED_DOWNLOAD)
        else:
            self._answer(uuid, DOWNLOADED)
            self._answer(uuid, LOADED)


async def fetch_sha1(url: str, headers: Mapping[str, str], progress: Callable[[], None]) -> str:
    """Fetch an address over HTTP and keep nothing of it but its SHA-1, in hexadecimal.

    Raises httpx.HTTPError, and ValueError for more than MAX_PACK_BYTES.
    """
    digest, size = hashlib.sha1(usedforsecurity=False), 0
    async with (
        await web_client(follow_redirects=True, max_redirects=5, timeout=DOWNLOAD_SILENCE_S) as client,
        client.stream("GET", url, headers={**headers, "Accept-Encoding": "identity"}) as response,
    ):
        response.raise_for_status()
        async for chunk in response.aiter_raw(65536):
            size += len(chunk)
            if size > MAX_PACK_BYTES:
                raise ValueError(f"it has more than {MAX_PACK_BYTES} bytes")
            digest.update(chunk)
            progress()
    return digest.hexdigest()
