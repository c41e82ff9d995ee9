"""The three doors through which others reach companions, and what a tool sees of a body.

fleet       Fleet: the companions of one process; Reply, the future that asyncio and threads can wait for
gateway     NumenGateway: words to a companion
actuator    NumenActuator: the body in the hands of an outside brain
player      NumenPlayer: a body and whose it is
host        Numen: all of it, as a bridge is handed it

The third door, a tool of one's own, is `ToolRegistry.register` in `numen.tool`.
"""

from numen.doors.actuator import CompanionInfo, NumenActuator
from numen.doors.fleet import Fleet, Resident
from numen.doors.gateway import NumenGateway
from numen.doors.host import Numen
from numen.doors.player import NumenPlayer
from numen.doors.reply import Reply

__all__ = [
    "CompanionInfo",
    "Fleet",
    "Numen",
    "NumenActuator",
    "NumenGateway",
    "NumenPlayer",
    "Reply",
    "Resident",
]
