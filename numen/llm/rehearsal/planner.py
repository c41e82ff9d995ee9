"""Decides the next move: one tool call, an answer, or silence while a job runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from numen.llm.rehearsal.building import next_building_move, stands
from numen.llm.rehearsal.gathering import next_gathering_move
from numen.llm.rehearsal.grammar import (
    JOBS,
    Aside,
    Attack,
    Build,
    Come,
    Follow,
    Give,
    Greet,
    Have,
    Job,
    Look,
    Speak,
    Stop,
    language_of,
    read_wishes,
)
from numen.llm.rehearsal.lore import LOGS, bare, belongs, counted, spoken_name
from numen.llm.rehearsal.moves import Answer, Call, GiveUp, Hush, Move
from numen.llm.rehearsal.sayings import listed, say
from numen.llm.rehearsal.story import Status, Step, Story, Words, read_position, read_status

SIGHT = 48
"""How far beings are looked for."""


WEATHERS = ("clear", "rain", "thunder")

NOTABLE = (
    *LOGS,
    *("stone", "cobblestone", "coal_ore", "iron_ore", "copper_ore", "diamond_ore", "sand", "gravel", "water"),
    *("lava", "crafting_table", "furnace", "chest", "torch"),
)
"""Blocks that are told of when somebody asks what there is to see."""

LOOKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_self_status", {}),
    ("get_world_info", {}),
    ("look_around", {}),
    ("scan_nearby_entities", {"radius": 24, "type_filter": "all"}),
    ("scan_blocks", {"radius": 12, "block_ids": [f"minecraft:{each}" for each in NOTABLE]}),
)


@dataclass(frozen=True, slots=True)
class Order:
    """The job under way: what was asked, when, and in which language to answer."""

    at: int
    wishes: tuple[Job, ...]
    language: str


def next_move(story: Story) -> Move:
    """What to do next, from the whole story."""
    last = story.words[-1] if story.words else None
    order = current_order(story)
    if last is not None and not _heard(story, last):
        wishes = read_wishes(last.text)
        aside = next((wish for wish in wishes if isinstance(wish, (Stop, Look, Greet, Speak))), None)
        jobs = [wish for wish in wishes if isinstance(wish, JOBS)]
        if aside is not None or not jobs:
            return _aside(story, last, aside, busy=order is not None)
        if isinstance(jobs[0], (Come, Follow)) and story.can("get_owner_status"):
            # Before anything is given up for it.
            seen = _owner_seen(story, last)
            if seen is None:
                return Call("get_owner_status", {})
            if read_position(seen.data.get("position")) is None:
                language = language_of(last.text)
                return _said(story, _why_not_come(seen, language), language, busy=order is not None)
        running = story.running
        if running is not None and running.begun < last.at:
            return _clear_the_way(story, running, last)
    if order is None:
        return Hush()
    try:
        return _work(story, order)
    except GiveUp as end:
        what = listed([_wish_name(wish, order.language) for wish in order.wishes], order.language)
        return Answer(say("gave_up", order.language, what=what, why=end.why), order.language)


def current_order(story: Story) -> Order | None:
    """The newest job that was asked for and not yet answered, stopped or replaced."""
    for words in reversed(story.words):
        wishes = read_wishes(words.text)
        if _is_out_of_reach(story, words):
            continue
        if any(isinstance(wish, Stop) for wish in wishes):
            return None
        jobs = tuple(wish for wish in wishes if isinstance(wish, JOBS))
        if jobs:
            closed = any(at > words.at and not aside for at, aside in story.answers)
            closed = closed or any(at > words.at for at in story.stops)
            return None if closed else Order(words.at, jobs, language_of(words.text))
    return None


def _heard(story: Story, words: Words) -> bool:
    """Whether something was said, or begun, since these words."""
    if any(at > words.at for at, _ in story.answers):
        return True
    steps = story.since(words.at)
    wishes = read_wishes(words.text)
    if any(isinstance(wish, JOBS) for wish in wishes):
        asking = ("task_stop", "task_status", "get_owner_status")
        return any(step.name not in asking for step in steps)
    return any(step.name == "say" for step in steps)


def _owner_seen(story: Story, words: Words) -> Step | None:
    """What was learnt about where the owner is, right after these words."""
    later = next((each.at for each in story.words if each.at > words.at), None)
    seen = (step for step in story.since(words.at) if step.name == "get_owner_status")
    return next((step for step in seen if later is None or step.at < later), None)


def _is_out_of_reach(story: Story, words: Words) -> bool:
    """Whether these words called it to an owner who was not to be found: then they changed nothing."""
    wishes = read_wishes(words.text)
    seen = _owner_seen(story, words) if wishes and isinstance(wishes[0], (Come, Follow)) else None
    return seen is not None and read_position(seen.data.get("position")) is None


def _why_not_come(seen: Step, language: str) -> str:
    name = seen.data.get("name")
    if name is None:
        return say("no_owner_set", language)
    return say("owner_far" if seen.data.get("online") else "owner_away", language, name=name)


# -- what is answered at once


def _aside(story: Story, words: Words, wish: Aside | None, *, busy: bool) -> Move:
    language = language_of(words.text)
    match wish:
        case None:
            text = say("help", language)
        case Greet():
            text = say("hello", language)
        case Speak():
            text = wish.text
        case Stop():
            running = story.running
            if running is not None and story.can("task_stop") and not story.last("task_stop", words.at):
                return Call("task_stop", {})
            return Answer(say("stopped", language), language)
        case Look():
            for tool, args in LOOKS:
                if story.can(tool) and not story.last(tool, words.at):
                    return Call(tool, args)
            text = _view(story, words.at, language)
        case _:
            assert_never(wish)
    return _said(story, text, language, busy=busy)


def _said(story: Story, text: str, language: str, *, busy: bool) -> Move:
    """Say something beside the job, if there is one."""
    if busy and story.running is None and story.can("say"):
        # A plain answer would end the turn, and nothing would wake the job again.
        return Call("say", {"text": text})
    return Answer(text, language, aside=busy)


def _view(story: Story, at: int, language: str) -> str:
    status_step = story.last("get_self_status", at)
    if status_step is None or not status_step.ok:
        why = status_step.message if status_step else say("no_tool", language, tool="get_self_status")
        return say("no_status", language, why=why)
    status = read_status(status_step.data)
    nothing = say("nothing", language)
    carried = [
        f"{count} {spoken_name(item, language, count)}" for item, count in sorted(status.items.items())
    ]
    near = story.last("scan_nearby_entities", at)
    beings: dict[str, int] = {}
    for being in _entries(near, "entities"):
        kind = str(
            being.get("name") or spoken_name(bare(str(being.get("item") or being.get("type"))), language)
        )
        beings[kind] = beings.get(kind, 0) + 1
    blocks: dict[str, int] = {}
    seen = story.last("scan_blocks", at)
    for each in _entries(seen, "blocks"):
        name = spoken_name(bare(str(each.get("block"))), language)
        blocks[name] = blocks.get(name, 0) + 1
    return say(
        "look",
        language,
        position=" ".join(map(str, status.position)) if status.position else "?",
        biome=_biome(status, language),
        hour=_hour(story.last("get_world_info", at), language),
        hp=f"{status.health:g}" if status.health is not None else "?",
        hunger=f"{status.hunger:g}" if status.hunger is not None else "?",
        blocks=", ".join(
            [*(f"{count} {name}" for name, count in blocks.items()), *_underfoot(story, at, language)]
        )
        or nothing,
        carried=", ".join(carried) or nothing,
        near=", ".join(f"{count} {kind}" for kind, count in beings.items()) or nothing,
    )


def _underfoot(story: Story, at: int, language: str) -> list[str]:
    around = story.last("look_around", at)
    ground = around.data.get("standing_on") if around is not None and around.ok else None
    return (
        [say("underfoot", language, item=spoken_name(bare(ground), language))]
        if isinstance(ground, str)
        else []
    )


def _biome(status: Status, language: str) -> str:
    biome = status.raw.get("biome")
    name = bare(biome).replace("_", " ") if isinstance(biome, str) else ""
    return say("in_biome", language, biome=name) if name else ""


def _hour(info: Step | None, language: str) -> str:
    if info is None or not info.ok or "is_bright_outside" not in info.data:
        return ""
    day = say("day" if info.data["is_bright_outside"] else "night", language)
    weather = str(info.data.get("weather"))
    return say("hour", language, day=day, weather=say(weather if weather in WEATHERS else "clear", language))


def _clear_the_way(story: Story, running: Step, words: Words) -> Move:
    """An older job still runs and a new one was asked for: end the old one, and wait for its end."""
    language = language_of(words.text)
    if not story.can("task_stop"):
        return Answer(say("no_tool", language, tool="task_stop"), language)
    stopped = story.last("task_stop", words.at)
    if stopped is None:
        return Call("task_stop", {})
    if not stopped.ok:
        # It says that nothing runs: what we believed is out of date.
        running.ended = True
        return next_move(story)
    return Answer(say("moment", language), language, aside=True)


# -- jobs


def _work(story: Story, order: Order) -> Move:
    running = story.running
    if running is not None:
        if running.name == "follow" and isinstance(order.wishes[-1], Follow):
            return Answer(say("follow", order.language), order.language)
        return Hush()
    steps = story.since(order.at)
    if steps and story.can("task_stop"):
        # Something we know nothing of holds the body: end it, and go on when its end is told.
        last = steps[-1]
        if last.name == "task_stop" and last.ok and not any(at > last.at for at in story.endings):
            return Answer(say("moment", order.language), order.language, aside=True)
        if not last.ok and last.message.startswith("busy"):
            return Call("task_stop", {})
    for wish in order.wishes:
        move = _step(story, order, wish)
        if move is not None:
            return move
    parts = [_outcome(story, order, wish) for wish in order.wishes]
    what = listed([part for part in parts if part], order.language)
    return Answer(say("done", order.language, what=what, calls=len(steps)), order.language)


def _step(story: Story, order: Order, wish: Job) -> Move | None:
    """The next move towards one wish; None when it is fulfilled."""
    match wish:
        case Have():
            wanted = [each for each in order.wishes if isinstance(each, Have)]
            return next_gathering_move(story, order.at, order.language, wanted[: wanted.index(wish) + 1])
        case Build():
            return next_building_move(story, order.at, order.language)
        case Follow():
            return _follow(story, order)
        case Come():
            return _come(story, order)
        case Attack():
            return _attack(story, order, wish)
        case Give():
            return _give(story, order, wish)
        case _:
            assert_never(wish)


def _follow(story: Story, order: Order) -> Move | None:
    if "follow" not in story.tools:
        raise GiveUp(say("no_tool", order.language, tool="follow"))
    step = story.last("follow", order.at)
    if step is None:
        return Call("follow", {})
    if not step.ok:
        raise GiveUp(step.message)
    return None


def _come(story: Story, order: Order) -> Move | None:
    for tool in ("get_owner_status", "move_to"):
        if tool not in story.tools:
            raise GiveUp(say("no_tool", order.language, tool=tool))
    walked = story.last("move_to", order.at)
    if walked is not None and walked.ok:
        return None
    tries = sum(step.name == "move_to" for step in story.since(order.at))
    if walked is not None and tries >= 3:
        raise GiveUp(walked.message)
    seen = story.last("get_owner_status", order.at)
    if seen is None or (walked is not None and seen.at < walked.at):
        return Call("get_owner_status", {})
    place = read_position(seen.data.get("position"))
    if place is None:
        raise GiveUp(say("no_owner", order.language))
    x, y, z = place
    return Call("move_to", {"x": x, "y": y, "z": z} if tries == 0 else {"x": x + tries, "z": z})


def _attack(story: Story, order: Order, wish: Attack) -> Move | None:
    for tool in ("scan_nearby_entities", "attack"):
        if tool not in story.tools:
            raise GiveUp(say("no_tool", order.language, tool=tool))
    fought = [step for step in story.since(order.at) if step.name == "attack"]
    if fought and fought[-1].ok:
        return None
    if len(fought) >= 3:
        raise GiveUp(fought[-1].message)
    seen = story.last("scan_nearby_entities", order.at)
    if seen is None or (fought and seen.at < fought[-1].at):
        return Call("scan_nearby_entities", {"radius": SIGHT, "type_filter": "all"})
    ids = [
        each["id"]
        for each in _entries(seen, "entities")
        if wish.kind in (bare(str(each.get("type"))), str(each.get("name", "")).lower())
    ]
    if not ids:
        item = spoken_name(wish.kind, order.language)
        raise GiveUp(say("nobody", order.language, item=item, radius=SIGHT))
    return Call("attack", {"entity_ids": ids[: wish.count]})


def _give(story: Story, order: Order, wish: Give) -> Move | None:
    given = story.last("drop_items", order.at)
    if given is not None and given.ok:
        return None
    if given is not None:
        raise GiveUp(given.message)
    for tool in ("get_self_status", "drop_items"):
        if tool not in story.tools:
            raise GiveUp(say("no_tool", order.language, tool=tool))
    known = story.last("get_self_status", order.at)
    if known is None:
        return Call("get_self_status", {})
    status = read_status(known.data)
    if status.items.get(wish.item, 0) == 0:
        item = spoken_name(wish.item, order.language, 0)
        raise GiveUp(say("too_few", order.language, count=0, item=item))
    if story.can("get_owner_status", "move_to") and story.last("move_to", order.at) is None:
        seen = story.last("get_owner_status", order.at)
        if seen is None:
            return Call("get_owner_status", {})
        place = read_position(seen.data.get("position"))
        far = seen.data.get("distance_to_me")
        if place is not None and isinstance(far, (int, float)) and far > 4:
            return Call("move_to", dict(zip("xyz", place, strict=True)))
    return Call("drop_items", {"item_id": f"minecraft:{wish.item}", "count": wish.count})


# -- words for what was done


def _outcome(story: Story, order: Order, wish: Job) -> str:
    language = order.language
    match wish:
        case Have():
            item = spoken_name(wish.item, language)
            if wish.made and wish.count == 1:
                return say("have_one", language, item=item)
            status = latest_status(story)
            carried = status.items if status else {}
            count = sum(each for name, each in carried.items() if belongs(name, wish.item))
            count = max(count, wish.count)
            return say("have", language, count=count, item=spoken_name(wish.item, language, count))
        case Attack():
            return say(
                "killed", language, count=wish.count, item=spoken_name(wish.kind, language, wish.count)
            )
        case Give():
            return say("gave", language, count=wish.count, item=spoken_name(wish.item, language, wish.count))
        case Build():
            item, count = stands(story, order.at)
            return say("built", language, count=count, item=spoken_name(item, language))
        case Come():
            return say("came", language)
        case Follow():
            return say("follow", language)
        case _:
            assert_never(wish)


def _wish_name(wish: Job, language: str) -> str:
    match wish:
        case Have() | Give():
            return counted(wish.count, wish.item, language)
        case Attack():
            return spoken_name(wish.kind, language)
        case Build():
            return "the hut" if language == "en" else "小屋"
        case Come():
            return "coming to you" if language == "en" else "过来"
        case Follow():
            return "following you" if language == "en" else "跟着你"
        case _:
            assert_never(wish)


def latest_status(story: Story) -> Status | None:
    step = next((each for each in reversed(story.steps) if each.name == "get_self_status" and each.ok), None)
    return read_status(step.data) if step else None


def _entries(step: Step | None, key: str) -> list[Mapping[str, Any]]:
    """A list of maps in a result; empty when there is none."""
    found = step.data.get(key) if step is not None and step.ok else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
