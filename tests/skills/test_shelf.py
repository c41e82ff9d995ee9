"""Where skills come from, which counts, and what is said about broken ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills import SkillShelf, UnknownSkill, bundled_folder
from skills.frontmatter import split

TOOLS = frozenset(
    {
        "move_to",
        "follow",
        "mine",
        "break_block",
        "place_block",
        "collect_items",
        "craft",
        "lookup_recipe",
        "equip_item",
        "eat_item",
        "drop_items",
        "attack",
        "say",
        "wait",
        "get_self_status",
        "get_owner_status",
        "get_world_info",
        "scan_nearby_entities",
        "scan_blocks",
        "inspect_block",
        "look_around",
        "task_status",
        "task_stop",
        "todowrite",
        "load_skill",
    }
)
NOT_YET = frozenset({"smelt", "interact_at", "inspect_gui", "transfer", "sleep"})
"""Tools the texts mention with an "if you have it"."""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def skill(name: str, description: str = "What it is for.", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "config" / "skills"


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    folder = tmp_path / "bundled"
    write(folder, "iron.md", skill("iron", "Bundled iron."))
    return folder


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("---\nname: a\n---\nbody", {"name": "a"}, "body"),
        ("---\r\nname: a\r\n---\r\nbody\r\n", {"name": "a"}, "body\n"),
        ("\ufeff---\nname: a\n---\n\nbody", {"name": "a"}, "body"),
        ("---\nname:  'a: b' \nno colon\nname2:\"x\"\n---\n", {"name": "a: b", "name2": "x"}, ""),
        ("---\nname: a\nname: b\n---\n", {"name": "b"}, ""),
        ("---\nurl: http://x\n---\n", {"url": "http://x"}, ""),
        ("---\nname: a\nnever closed", {}, "---\nname: a\nnever closed"),
        ("# No head\n---\n", {}, "# No head\n---\n"),
        ("", {}, ""),
    ],
)
def test_the_head_is_single_line_pairs(text: str, fields: dict[str, str], body: str) -> None:
    assert split(text) == (fields, body)


def test_the_players_skill_wins_over_the_bundled_one(user: Path, bundled: Path) -> None:
    write(user, "mine/SKILL.md", skill("iron", "My iron."))

    shelf = SkillShelf(user, bundled)

    assert [(each.name, each.description, each.origin) for each in shelf.all()] == [
        ("iron", "My iron.", "user")
    ]
    assert shelf.problems() == []


def test_the_name_in_the_head_counts_and_the_file_name_stands_in_for_it(user: Path, bundled: Path) -> None:
    write(user, "a.md", skill("bridges"))
    write(user, "towers.md", "---\ndescription: High.\n---\nUp.")
    write(user, "deep/SKILL.md", "---\ndescription: Low.\n---\nDown.")
    write(user, "README.md", "for people")

    assert [each.name for each in SkillShelf(user, bundled).all()] == ["bridges", "deep", "iron", "towers"]


def test_broken_files_are_named_and_skipped(user: Path, bundled: Path) -> None:
    write(user, "good.md", skill("good"))
    write(user, "twin.md", skill("good"))
    write(user, "empty.md", "---\nname: empty\n---\n\n")
    write(user, "plain.md", "Just words.")
    (user / "binary.md").write_bytes(b"\xff\xfe\x00")
    (user / "huge.md").write_bytes(b"x" * 200_001)

    shelf = SkillShelf(user, bundled)

    assert [each.name for each in shelf.all()] == ["good", "iron", "plain"]
    assert [each.name for each in shelf.listed()] == ["good", "iron"], "no description: hidden from the model"
    assert shelf.read("plain") == "Just words.", "but there for who asks"
    assert {each.path.name: each.reason.split(",")[0] for each in shelf.problems()} == {
        "binary.md": "it is not UTF-8 text",
        "empty.md": "it is empty",
        "huge.md": "it is longer than 200000 bytes",
        "plain.md": "it has no description",
        "twin.md": f"the name good is taken by {user / 'good.md'}",
    }


def test_a_disabled_skill_is_unknown_to_the_model(user: Path, bundled: Path) -> None:
    write(user, "a.md", skill("a"))
    write(user.parent, "skills_state.json", '{"disabled": ["a"]}')

    shelf = SkillShelf(user, bundled)

    assert [each.name for each in shelf.listed()] == ["iron"]
    assert [each.disabled for each in shelf.all()] == [True, False]
    with pytest.raises(UnknownSkill, match="available: iron"):
        shelf.get("a")


@pytest.mark.parametrize("state", ["{oops", "[]", '{"disabled": 3}'])
def test_a_damaged_list_of_disabled_skills_disables_nothing_and_is_named(
    user: Path, bundled: Path, state: str
) -> None:
    write(user, "a.md", skill("a"))
    write(user.parent, "skills_state.json", state)

    shelf = SkillShelf(user, bundled)

    assert [each.name for each in shelf.listed()] == ["a", "iron"]
    assert "skills_state.json" in str(shelf.problems()[0].path)


def test_changes_are_seen_without_a_restart(user: Path, bundled: Path) -> None:
    shelf = SkillShelf(user, bundled)
    assert [each.name for each in shelf.listed()] == ["iron"]

    path = write(user, "a.md", skill("a", "One."))
    assert [each.description for each in shelf.listed()] == ["One.", "Bundled iron."]
    path.write_text(skill("a", "Two."), "utf-8")
    os.utime(path, ns=(1, 1))
    assert [each.description for each in shelf.listed()] == ["Two.", "Bundled iron."]
    path.unlink()
    assert [each.name for each in shelf.listed()] == ["iron"]
    write(user.parent, "skills_state.json", '{"disabled": ["iron"]}')
    assert shelf.listed() == []


def test_nothing_is_read_again_when_nothing_changed(user: Path, bundled: Path) -> None:
    shelf = SkillShelf(user, bundled)

    assert shelf.refresh()
    assert not shelf.refresh()


def test_names_are_found_ignoring_case_and_hyphens(user: Path, bundled: Path) -> None:
    write(user, "a.md", skill("wood_and_tools", body="Chop."))

    assert SkillShelf(user, bundled).read("Wood-And-Tools") == "Chop."


def test_support_files_are_served_and_nothing_outside_the_folder(user: Path, bundled: Path) -> None:
    write(user, "big/SKILL.md", skill("big"))
    write(user, "big/references/table.md", "numbers")
    write(user, "secret.md", skill("secret"))
    (user / "big" / "out.md").symlink_to(user / "secret.md")

    shelf = SkillShelf(user, bundled)

    assert shelf.read("big", "references/table.md") == "numbers"
    assert (
        shelf.wrapped("big") == '<skill name="big">\nDo it.\n\nSupport files: references/table.md\n</skill>'
    )
    for path in (
        "../secret.md",
        "out.md",
        "/etc/hostname",
        "references/../../secret.md",
        "SKILL.md",
        "nothing",
    ):
        with pytest.raises(UnknownSkill, match=r"available: references/table\.md"):
            shelf.read("big", path)
    with pytest.raises(UnknownSkill):
        shelf.read("secret", "big/SKILL.md")


def test_a_missing_folder_is_no_skills(tmp_path: Path) -> None:
    assert SkillShelf(tmp_path / "none", tmp_path / "neither").all() == []


def test_the_bundled_skills_are_five_and_whole() -> None:
    shelf = SkillShelf(None)

    assert [each.name for each in shelf.listed()] == [
        "fighting",
        "food_and_nights",
        "iron",
        "stone_and_furnace",
        "wood_and_tools",
    ]
    assert shelf.problems() == []
    names = {each.name for each in shelf.listed()}
    for each in shelf.listed():
        text = shelf.read(each.name)
        assert len(text.splitlines()) < 80
        for heading in ("## Goal", "## Done when", "## Numbers (1.21.1)", "## Next"):
            assert heading in text, f"{each.name} lacks {heading}"
        assert re.search(r"^1\. ", text, re.MULTILINE), f"{each.name} has no numbered steps"
        words = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text)) - names
        words.discard("task_finished")  # an event
        verbs = {word for word in words if word.split("_")[0] in {tool.split("_")[0] for tool in TOOLS}}
        assert verbs <= TOOLS | NOT_YET, f"{each.name} names tools that do not exist"


def test_bundled_skills_are_found_in_an_installed_wheel_too(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    shutil.copytree(root / "skills", tmp_path / "skills")
    (tmp_path / "numen").mkdir()
    (tmp_path / "numen" / "__init__.py").touch()
    shutil.copytree(root / "config" / "numen", tmp_path / "numen" / "config_default")

    code = "from skills import SkillShelf; print(*[each.name for each in SkillShelf(None).all()])"
    found = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert len(found.stdout.split()) == 5
    assert bundled_folder() == root / "config" / "numen" / "skills"
