"""The toolset a companion is born with: one file a family, one small function a tool.

support     finding the body, running acts, turning verdicts into results
movement    move_to, follow, wait              gathering   mine, break_block, place_block, collect_items
crafting    craft, lookup_recipe               inventory   equip_item, eat_item, drop_items
combat      attack                             perception  status, scans, look_around
tasks       task_status, task_stop             plan        todowrite
skills      load_skill                         talk        say
notes       remember, recall, forget           asking     ask-user-question
reading     read_book
"""

from __future__ import annotations

from numen.tool import ToolRegistry
from tools import (
    asking,
    combat,
    crafting,
    gathering,
    inventory,
    movement,
    notes,
    perception,
    plan,
    reading,
    skills,
    talk,
    tasks,
)


def register(registry: ToolRegistry) -> None:
    """Add the whole toolset, in the order that the model sees. The order is part of the prompt: append
    only.
    """
    for each in (
        movement.move_to,
        movement.follow,
        gathering.mine,
        gathering.break_block,
        gathering.place_block,
        gathering.collect_items,
        crafting.craft,
        crafting.lookup_recipe,
        inventory.equip_item,
        inventory.eat_item,
        inventory.drop_items,
        combat.attack,
        talk.say,
        movement.wait,
        perception.get_self_status,
        perception.get_owner_status,
        perception.get_world_info,
        perception.scan_nearby_entities,
        perception.scan_blocks,
        perception.inspect_block,
        perception.look_around,
        tasks.task_status,
        tasks.task_stop,
        plan.todowrite,
        skills.load_skill,
        notes.remember,
        notes.recall,
        notes.forget,
        asking.ask_user_question,
        reading.read_book,
    ):
        registry.register(each, sound=True)
