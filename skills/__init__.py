"""Finds, parses and serves Markdown skills.

frontmatter    the head of a skill file
shelf          SkillShelf: the player's skills over the bundled ones, read when asked for
"""

from skills.shelf import Problem, Skill, SkillShelf, UnknownSkill, bundled_folder

__all__ = ["Problem", "Skill", "SkillShelf", "UnknownSkill", "bundled_folder"]
