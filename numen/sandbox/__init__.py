"""The embedded practice server: a small survival world on the same codec.

It is a yard to practise in, not a replacement for a Minecraft server: one dimension, no redstone, no
flowing water. What it does have, it has by the game's own rules, and it refuses what the game would refuse.
"""

from numen.sandbox.options import SandboxOptions
from numen.sandbox.server import Sandbox, start_sandbox

__all__ = ["Sandbox", "SandboxOptions", "start_sandbox"]
