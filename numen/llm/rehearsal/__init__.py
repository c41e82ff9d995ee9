"""The rehearsal brain: plain rules, no model, behind the streaming method of a real endpoint.

provider       Rehearsal
grammar        the sentences it understands
story          a conversation read back into facts
planner        the next move; gathering is its largest part
recipe_plan    from wanted and carried to tasks in order
lore           the little it knows of the game
sayings        what it says
"""

from numen.llm.rehearsal.provider import Rehearsal

__all__ = ["Rehearsal"]
