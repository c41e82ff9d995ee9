"""The player: its tick, its physics, its hands and legs, and the acts they are used for."""

from __future__ import annotations

from numen.body.acts import Act as Act
from numen.body.acts import ActFailed as ActFailed
from numen.body.acts import ActStopped as ActStopped
from numen.body.acts import Busy as Busy
from numen.body.acts import Task as Task
from numen.body.acts import TaskSlot as TaskSlot
from numen.body.acts import Verdict as Verdict
from numen.body.body import Body as Body
from numen.body.body import NowhereYet as NowhereYet
from numen.body.clock import Clock as Clock
from numen.body.thinking import AtOnce as AtOnce
from numen.body.thinking import Slices as Slices
