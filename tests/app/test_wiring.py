"""What the YAML says of a model reaches the one who asks it."""

from __future__ import annotations

from pathlib import Path

from numen.app import budget_of, companion_of
from numen.config import Config, ServerConfig, parse
from numen.llm import Budgeted, OpenAICompatible
from numen.llm.rehearsal import Rehearsal

SERVER = ServerConfig()


def configured(folder: Path, **llm: object) -> Config:
    data = {"data": str(folder), "skills": str(folder / "skills"), "tools": str(folder / "tools")}
    return parse({**data, "llm": llm, "goals": {"turns": 7}} if llm else data, environment={})


async def test_the_settings_of_a_model_reach_its_endpoint_and_budgets(tmp_path: Path) -> None:
    config = configured(
        tmp_path,
        base_url="http://127.0.0.1:9/v1",
        model="qwen-plus-latest",
        thinking="low",
        tool_calls="json",
        budget={"requests_per_minute": 9, "tokens_per_day": 1000, "floor_s": 1.5},
    )
    common = budget_of(config.budget, "budget", tmp_path)
    mind = companion_of(config, config.companions[0], SERVER, lambda event: None, budget=common).mind
    provider = mind.provider
    assert isinstance(provider, Budgeted)
    assert isinstance(provider.provider, OpenAICompatible)
    endpoint = provider.provider.endpoint
    own = provider.budgets[0]

    assert (endpoint.thinking, endpoint.call_style) == ("low", "json")
    assert (own.requests_per_minute, own.tokens_per_day, own.floor_s) == (9, 1000, 1.5)
    assert provider.budgets[1] is common
    assert (mind.limits.context_tokens, mind.limits.goal_turns) == (128_000, 7)
    await mind.stop()


async def test_the_rehearsal_costs_nothing_and_has_no_budget(tmp_path: Path) -> None:
    config = configured(tmp_path)
    mind = companion_of(config, config.companions[0], SERVER, lambda event: None).mind

    assert isinstance(mind.provider, Rehearsal)
    await mind.stop()


async def test_a_model_that_cannot_read_much_finds_its_tools(tmp_path: Path) -> None:
    config = configured(tmp_path, base_url="http://127.0.0.1:9/v1", model="small", tools="find")
    mind = companion_of(config, config.companions[0], SERVER, lambda event: None).mind
    shown = [each.name for each in await mind.catalogue.specs()]

    assert shown[-1] == "find_tools"
    assert "move_to" in shown
    assert "todowrite" not in shown
    assert len(shown) < len(mind.registry) // 2
    await mind.stop()
