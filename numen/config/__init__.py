"""What a user writes in YAML, checked before anything starts.

A mistake names the file, the key and what was expected. ``${VAR}`` anywhere in a text takes a value from the
environment. Only this module reads the environment.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import yaml
from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from numen.config.base import Section
from numen.config.mcp import McpConfig, ServerName
from numen.config.mineclawd import MineclawdConfig
from numen.config.powers import PowersConfig, RconConfig
from numen.config.server import AccountConfig as AccountConfig
from numen.config.server import ServerConfig as ServerConfig
from numen.config.web import WebConfig

#: Where `numen` looks when no file is named, relative to the working folder.
DEFAULT_FILE = Path("config/numen/numen.yaml")

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class ConfigError(ValueError):
    """The configuration can't be used. The message is for the person who wrote it."""

    def __init__(self, file: Path | None, problems: list[str]) -> None:
        where = str(file) if file else "the configuration"
        if len(problems) == 1:
            text = f"{where}: {problems[0]}"
        else:
            text = "\n".join(
                [f"{where} has {len(problems)} mistakes:", *(f"  - {each}" for each in problems)]
            )
        super().__init__(text)
        self.file = file
        self.problems = problems


class BudgetConfig(Section):
    """Limits on what is asked of an endpoint."""

    requests_per_minute: int | None = Field(default=None, ge=1)
    #: A token that the endpoint had kept from the request before counts a tenth.
    tokens_per_day: int | None = Field(default=None, ge=1)
    #: The least time between the beginnings of two requests, in seconds.
    floor_s: float = Field(default=0.25, ge=0)


class LlmConfig(Section):
    """The endpoint that decides. `rehearsal` plans by plain rules and needs no endpoint."""

    provider: str = "custom"
    model: str = ""
    #: The model that gives conversations their titles; without it, the same.
    summarize_model: str = ""
    base_url: str | None = None
    #: The project in Google's cloud, and where it runs; for the provider `vertex`.
    project: str = ""
    location: str = "global"
    #: The key itself (better: ``${VAR}``), or a file that only you can read.
    api_key: SecretStr | None = None
    api_key_file: Path | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    proxy: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    #: How much the model thinks before it answers; `auto` leaves it to the endpoint.
    thinking: Literal["auto", "off", "low", "medium", "high"] = "auto"
    #: `json` for models and servers that know no tool calls; without it the provider's preset decides.
    tool_calls: Literal["native", "json"] | None = None
    #: `find` puts only the core of the toolset into requests; the model finds the rest when it needs it. For
    #: models that cannot read much at once.
    tools: Literal["all", "find"] = "all"
    #: Tokens that the model can read; without it, what is known of the model, else a cautious guess.
    context_tokens: int | None = Field(default=None, ge=2_000)
    #: For each companion that uses this section; the top-level `budget` is for all together.
    budget: BudgetConfig = BudgetConfig()
    connect_timeout_s: float = Field(default=10.0, gt=0)
    first_byte_timeout_s: float = Field(default=60.0, gt=0)
    silence_timeout_s: float = Field(default=90.0, gt=0)

    @field_validator("api_key", mode="after")
    @classmethod
    def _empty_is_none(cls, key: SecretStr | None) -> SecretStr | None:
        return key if key is not None and key.get_secret_value().strip() else None

    @model_validator(mode="after")
    def _key_from_one_place(self) -> LlmConfig:
        if self.api_key is not None and self.api_key_file is not None:
            raise ValueError("give api_key or api_key_file, not both")
        return self

    @property
    def is_rehearsal(self) -> bool:
        return self.provider == "rehearsal"

    def key(self) -> str | None:
        """The secret in clear, for the request alone. ConfigError when the key file is open to others."""
        return secret_of(self.api_key, self.api_key_file)


def secret_of(key: SecretStr | None, file: Path | None) -> str | None:
    """A key in clear, from where it was given. Raises ConfigError when its file is open to others."""
    if key is not None:
        return key.get_secret_value().strip()
    if file is None:
        return None
    path = file.expanduser()
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            raise ConfigError(
                path, [f"others may read this key file (mode {mode:04o}); run: chmod 600 {path}"]
            )
        return path.read_text(encoding="utf-8").strip() or None
    except OSError as error:
        raise ConfigError(path, [f"the key file can't be read: {error.strerror}"]) from None


class GoalConfig(Section):
    """What a companion may spend on one goal before it asks."""

    turns: int = Field(default=30, ge=1)
    tokens: int = Field(default=2_000_000, ge=1)


class LimitsConfig(Section):
    """Brakes on one request."""

    #: Whether a request ends with a question after so many rounds of tool calls.
    limit_rounds: bool = False
    rounds: int = Field(default=16, ge=1, le=20)


class CompanionConfig(Section):
    """One companion: a body with a mind."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]{3,16}$")
    #: The player whom it serves: a name, or a UUID.
    owner: str | None = None
    #: Other players, by name or UUID, who may ask it for things; each has a conversation of his own.
    users: tuple[str, ...] = ()
    #: Who it is, in plain words; goes into its prompt.
    persona: str = ""
    #: Overrides the common `llm` section as a whole.
    llm: LlmConfig | None = None
    #: Overrides the common `account`.
    account: AccountConfig | None = None


class Config(Section):
    """All of numen.yaml."""

    server: ServerConfig | None = None
    #: For servers in online mode; every companion logs in with an account of its own.
    account: AccountConfig | None = None
    llm: LlmConfig = LlmConfig(provider="rehearsal")
    companions: tuple[CompanionConfig, ...] = (CompanionConfig(name="Numen"),)
    #: For all companions together.
    budget: BudgetConfig = BudgetConfig(floor_s=0)
    goals: GoalConfig = GoalConfig()
    limits: LimitsConfig = LimitsConfig()
    #: Souls beside the bundled ones, a Markdown file each; a soul of the same name replaces the bundled one.
    souls: Path = Path("config/numen/souls")
    #: Skills beside the bundled ones; a skill of the same name replaces the bundled one.
    skills: Path = Path("config/numen/skills")
    #: Python files whose tools are added to the toolset.
    tools: Path = Path("config/numen/tools")
    #: Python files that carry words in and out; `numen run` starts each.
    bridges: Path = Path("config/numen/bridges")
    #: Servers whose tools every companion gets as `mcp_<name>_<tool>`.
    mcp: dict[ServerName, McpConfig] = Field(default_factory=dict)
    web: WebConfig = WebConfig()
    #: What companions may do to the server itself.
    powers: PowersConfig = PowersConfig()
    #: The server's remote console, for commands.
    rcon: RconConfig | None = None
    #: MineClawd's mod on the server, and its placeholders.
    mineclawd: MineclawdConfig | None = None
    #: Conversation logs and what else must outlive the process.
    data: Path = Path(".numen")
    language: Literal["en", "zh"] | None = None
    #: The file that this came from; not a key of it.
    source: Path | None = Field(default=None, exclude=True)

    @field_validator("companions")
    @classmethod
    def _names_differ(cls, companions: tuple[CompanionConfig, ...]) -> tuple[CompanionConfig, ...]:
        names = [each.name.lower() for each in companions]
        if not names:
            raise ValueError("name at least one companion")
        if len(set(names)) != len(names):
            raise ValueError("two companions have the same name")
        return companions

    def llm_of(self, companion: CompanionConfig) -> LlmConfig:
        return companion.llm or self.llm

    def account_of(self, companion: CompanionConfig) -> AccountConfig | None:
        return companion.account or self.account


def load(file: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Config:
    """Read `file`, or the default file when there is one, or take the defaults.

    Raises ConfigError with every mistake at once.
    """
    environment = os.environ if environment is None else environment
    if file is None:
        if not DEFAULT_FILE.exists():
            return Config()
        file = DEFAULT_FILE
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            file, ["there is no such file; copy config/numen/numen.example.yaml to start from"]
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(file, [f"can't be read: {error}"]) from None
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(file, [_yaml_problem(error)]) from None
    return parse({} if data is None else data, file=file, environment=environment)


def parse(data: Any, *, file: Path | None = None, environment: Mapping[str, str]) -> Config:
    """Check plain data as read from YAML. Raises ConfigError."""
    if not isinstance(data, dict):
        raise ConfigError(file, ["expected keys such as server, llm and companions at the top"])
    if "source" in data:
        raise ConfigError(file, ["source: there is no such key"])
    problems: list[str] = []
    filled = _fill(data, environment, "", problems)
    if problems:
        raise ConfigError(file, problems)
    try:
        return Config.model_validate({**filled, "source": file})
    except ValidationError as error:
        raise ConfigError(file, [_problem(each) for each in error.errors()]) from None


def _fill(value: Any, environment: Mapping[str, str], key: str, problems: list[str]) -> Any:
    """`value` with each ``${VAR}`` replaced; ``${VAR:-text}`` has a default."""
    if isinstance(value, dict):
        return {
            name: _fill(each, environment, f"{key}.{name}" if key else str(name), problems)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_fill(each, environment, f"{key}[{index}]", problems) for index, each in enumerate(value)]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        name, default = match.group(1), match.group(2)
        found = environment.get(name, default)
        if found is None:
            problems.append(
                f"{key}: the environment variable {name} is not set; set it, or write the value here"
            )
            return ""
        return found

    return _VARIABLE.sub(replace, value)


def _problem(error: Any) -> str:
    """One mistake in words: the key, what is wrong, what was expected."""
    key = ""
    for part in error["loc"]:
        key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{part}"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{key}: there is no such key; {_known_keys(error['loc'])}"
    if kind == "missing":
        return f"{key}: is missing"
    if error["loc"][-1:] == ("[key]",):
        return f"{key.removesuffix('.[key]')}: expected 1 to 32 letters, digits, _ or - as a name"
    if kind == "string_pattern_mismatch" and key.endswith("name"):
        return f"{key}: expected 3 to 16 letters, digits or underscores, as Minecraft names are"
    if kind == "value_error":
        return (
            f"{key}: {context.get('error', error['msg'])}" if key else str(context.get("error", error["msg"]))
        )
    expected = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return f"{key}: expected {expected}"


def _known_keys(loc: tuple[Any, ...]) -> str:
    here: Any = Config
    for part in loc[:-1]:
        if isinstance(here, type) and issubclass(here, BaseModel):
            known = here.model_fields.get(part)
            here = known.annotation if known is not None else Config
        else:  # the values of a map, the elements of a list
            here = next((each for each in reversed(get_args(here)) if each is not Ellipsis), Config)
        here = next((each for each in get_args(here) if _is_section(each)), here) if _is_union(here) else here
    model = here if _is_section(here) else Config
    return "known here: " + ", ".join(name for name in model.model_fields if name != "source")


def _is_section(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, BaseModel)


def _is_union(found: Any) -> bool:
    return get_origin(found) in (Union, UnionType)


def _yaml_problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {what}" if mark else what
