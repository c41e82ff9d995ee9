"""How a player moves: one pure function a tick, shared by the body, its foresight and the sandbox's judge."""

from __future__ import annotations

from numen.rules.physics.collide import collide as collide
from numen.rules.physics.matter import matter as matter
from numen.rules.physics.state import DEFAULT_TRAITS as DEFAULT_TRAITS
from numen.rules.physics.state import EYES as EYES
from numen.rules.physics.state import HALF_WIDTH as HALF_WIDTH
from numen.rules.physics.state import HEIGHTS as HEIGHTS
from numen.rules.physics.state import UNLOADED as UNLOADED
from numen.rules.physics.state import WIDTH as WIDTH
from numen.rules.physics.state import BlockView as BlockView
from numen.rules.physics.state import Inputs as Inputs
from numen.rules.physics.state import PlayerState as PlayerState
from numen.rules.physics.state import Pose as Pose
from numen.rules.physics.state import Traits as Traits
from numen.rules.physics.step import step as step
