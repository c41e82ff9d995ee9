"""The section `mineclawd`: what we say to MineClawd's mod on a server, where there is one."""

from __future__ import annotations

from numen.config.base import Section


class MineclawdConfig(Section):
    """Both are off until they are turned on here; without the section its tools are not there either."""

    #: Tell the mod that we are ready, so that its stream of events comes to us instead of lines of chat.
    bridge: bool = False
    #: Keep placeholders of our own where the mod's can't be reached. Nothing of them exists on the server.
    emulate: bool = False
