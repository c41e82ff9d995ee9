"""Who has powers is the configuration's choice alone."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from numen.app import companion_of
from numen.config import Config, ConfigError, ServerConfig, parse
from numen.powers.grants import Grants
from numen.session import CONSOLE, Person
from numen.tool import Trust

SERVER = ServerConfig()


def configured(folder: Path, **sections: object) -> Config:
    data = {"data": str(folder), "skills": str(folder / "skills"), "tools": str(folder / "tools")}
    return parse({**data, **sections}, environment={})


def test_powers_are_the_owners_and_those_of_who_is_named() -> None:
    alex = Person("Alex", uuid4())
    grants = Grants(frozenset({"commands"}), "tainted", ("STEVE", str(alex.uuid)))
    assert grants.of(CONSOLE, owner=True) == {"commands"}
    assert grants.of(Person("Steve", None), owner=False) == {"commands"}
    assert grants.of(Person("Renamed", alex.uuid), owner=False) == {"commands"}
    for stranger in (Person("Eve", None), Person("Alex", uuid4()), CONSOLE):
        assert grants.of(stranger, owner=False) == frozenset()


async def test_no_power_is_there_unless_the_yaml_turns_it_on(tmp_path: Path) -> None:
    config = configured(tmp_path)
    mind = companion_of(config, config.companions[0], SERVER, lambda event: None).mind
    assert mind.context.service(Trust).granted == frozenset()
    await mind.stop()


async def test_each_person_has_his_own_trust(tmp_path: Path) -> None:
    config = configured(
        tmp_path,
        powers={"commands": True, "reload": True, "confirm": "always", "for": ["Alex"]},
        companions=[{"name": "Numen", "owner": "Steve", "users": ["Alex", "Bob"]}],
    )
    companion = companion_of(config, config.companions[0], SERVER, lambda event: None)
    minds = [companion.mind_of(Person(name, None)) for name in ("Steve", "Alex", "Bob")]
    trusts = [each.context.service(Trust) for each in minds]
    assert [sorted(each.granted) for each in trusts] == [["commands", "reload"]] * 2 + [[]]
    assert {each.confirm for each in trusts} == {"always"}
    trusts[0].taint("what Eve says in chat")
    assert [each.tainted is not None for each in trusts] == [True, False, False]
    await companion.household.stop()


async def test_who_becomes_the_owner_gets_the_owners_powers_and_the_old_one_loses_them(
    tmp_path: Path,
) -> None:
    config = configured(
        tmp_path,
        powers={"commands": True},
        companions=[{"name": "Numen", "owner": "Steve", "users": ["Alex"]}],
    )
    companion = companion_of(config, config.companions[0], SERVER, lambda event: None)
    steve, alex = (companion.mind_of(Person(name, None)) for name in ("Steve", "Alex"))
    companion.household.set_owner("Alex")
    assert companion.mind is alex
    assert [each.context.service(Trust).granted for each in (alex, steve)] == [{"commands"}, frozenset()]
    await companion.household.stop()


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"powers": {"command": True}}, "powers.command"),
        ({"powers": {"confirm": "sometimes"}}, "powers.confirm"),
        ({"rcon": {"host": "127.0.0.1"}}, "password"),
        ({"rcon": {"password": "x", "password_file": "y"}}, "password"),
        ({"rcon": {"password": "x", "port": 0}}, "rcon.port"),
    ],
)
def test_mistakes_are_told_by_key(tmp_path: Path, sections: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        configured(tmp_path, **sections)
