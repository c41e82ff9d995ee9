"""How a companion gets onto its server: where, as whom, by which options; and where that server sends it on.

Needs little to be loaded, so that the first connection can be begun before all else is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from protocol.connection import (
    TRANSFER_GRACE_S,
    ConnectFailed,
    Connection,
    ConnectionOptions,
    connect,
    onward,
)
from protocol.link import Disconnect

if TYPE_CHECKING:
    from protocol.accounts import Account

#: What an account fails of, as a kind of `Disconnect`: some of it another try can mend.
ACCOUNT_FINAL: Final = "account"
ACCOUNT_FOR_NOW: Final = "account_for_now"


class Entrance:
    """The way onto one server for one companion."""

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        options: ConnectionOptions | None = None,
        account: Account | None = None,
    ) -> None:
        self.home = (host, port)
        """The server that the configuration names."""
        self._at = self.home
        self._name = name
        self._options = options or ConnectionOptions()
        self._account = account
        self._further: tuple[str, int, ConnectionOptions] | None = None
        self._begun: asyncio.Future[Connection] | None = None

    @property
    def address(self) -> str:
        """Where it is, or is about to be: ``host:port``."""
        return f"{self._at[0]}:{self._at[1]}"

    def begin(self) -> None:
        """Begin to connect; the next `connect` takes up what has come of it."""
        self._begun = asyncio.ensure_future(self._connect())

    async def connect(self) -> Connection:
        """Log in. Raises ConnectFailed."""
        begun, self._begun = self._begun, None
        return await (begun if begun is not None else self._connect())

    def hang_up(self) -> None:
        """Give up what was begun and not taken up."""
        if self._begun is not None:
            self._begun.add_done_callback(_close)
            self._begun.cancel()
            self._begun = None

    def follow(self, why: Disconnect) -> bool:
        """Whether a connection that ended so goes on elsewhere; the next `connect` then goes there.

        A server found that way is left for the one of the configuration when the connection is lost.
        """
        self._further = onward(why, self._options)
        return self._further is not None

    async def _connect(self) -> Connection:
        further, self._further = self._further, None
        if further is not None:
            await asyncio.sleep(TRANSFER_GRACE_S)
        host, port, options = further or (*self.home, self._options)
        self._at = (host, port)
        name, options = await self.identity(options)
        return await connect(host, port, name, options=options)

    async def identity(self, options: ConnectionOptions | None = None) -> tuple[str, ConnectionOptions]:
        """As whom it logs in, and the options that prove it. Raises ConnectFailed when the account can't be
        used."""
        options = options or self._options
        if self._account is None:
            return self._name, options
        from protocol.account_errors import AccountError

        try:
            await self._account.log_in()
        except AccountError as error:
            details = {"kind": ACCOUNT_FINAL if error.final else ACCOUNT_FOR_NOW, "error": error}
            raise ConnectFailed(Disconnect(str(error), details=details)) from None
        return self._account.name, self._account.options(options)


def _close(begun: asyncio.Future[Connection]) -> None:
    if not begun.cancelled() and begun.exception() is None:
        begun.result().close("left")
