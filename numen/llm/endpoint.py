"""Where to ask and how: the settings of one endpoint, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from numen.llm.presets import (
    CallStyle,
    Preset,
    ThinkingLevel,
    known_context,
    nearest_provider,
    preset_of,
    provider_names,
)
from numen.llm.secret import Secret

NO_KEY = Secret()


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Settings of an OpenAI-compatible endpoint. Times are in seconds.

    Raises ValueError, naming the setting, for what cannot work: no address, no model.
    """

    provider: str = "custom"
    """A preset id or alias; anything else means the plain OpenAI format and needs `base_url`."""
    model: str = ""
    api_key: Secret = NO_KEY
    base_url: str = ""
    """Overrides the preset. With or without `/chat/completions`."""
    project: str = ""
    location: str = "global"
    """A project of Google's cloud and where it runs, for `vertex` with a service account or a token."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxy: str = field(default="", repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    thinking: ThinkingLevel = "auto"
    tool_calls: CallStyle | None = None
    """`json` for models and servers that know no tool calls; None leaves it to the preset."""
    context: int | None = None
    """Tokens that the model can read, where it is known better than here."""
    connect_s: float = 10.0
    first_byte_s: float = 60.0
    silence_s: float = 90.0
    """How long a stream may stay silent; any line counts, comments too."""
    retries: int = 2
    """How often a request that failed before its answer began is sent again."""

    def __post_init__(self) -> None:
        meant = nearest_provider(self.provider)
        if meant:
            raise ValueError(
                f"llm.provider: there is no {self.provider!r}; did you mean {meant}? "
                "An endpoint of your own is `custom`, with its base_url"
            )
        if not self.url:
            raise ValueError(
                f"llm.base_url is missing: {self.provider!r} is no known provider with an address; "
                f"known are {', '.join(provider_names())}"
            )
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"llm.base_url must start with http:// or https://, not {self.url[:40]!r}")
        if not self.model_name:
            raise ValueError(f"llm.model is missing: name one of the models of {self.preset.id}")

    @property
    def preset(self) -> Preset:
        return preset_of(self.provider)

    @property
    def url(self) -> str:
        """The address requests go to, or "" when none is known."""
        base = (self.base_url or self._cloud() or self.preset.base_url).strip().rstrip("/")
        if self.preset.profile.protocol == "google":
            return f"{base}/models/{self.model_name}:streamGenerateContent?alt=sse" if base else base
        return base if not base or base.endswith("/chat/completions") else f"{base}/chat/completions"

    @property
    def model_name(self) -> str:
        return self.model.strip() or self.preset.default_model

    @property
    def call_style(self) -> CallStyle:
        return self.tool_calls or self.preset.profile.tool_calls

    @property
    def context_tokens(self) -> int | None:
        """Tokens that the model can read, as set or as known; None when nobody knows."""
        return self.context or known_context(self.model_name)

    @property
    def origin(self) -> str:
        """Who may read what this endpoint adds to its messages: itself, whatever the model."""
        return self.preset.id if not self.base_url else self.url

    @property
    def label(self) -> str:
        return f"{self.provider or self.preset.id} {self.model_name}"

    def _cloud(self) -> str:
        if not self.project or self.preset.profile.protocol != "google":
            return ""
        host = "aiplatform.googleapis.com"
        if self.location != "global":
            host = f"{self.location}-{host}"
        return f"https://{host}/v1/projects/{self.project}/locations/{self.location}/publishers/google"

    def secrets(self) -> list[str]:
        """Everything that must not be shown: the key, values of own headers, the proxy with its password."""
        proxy = [self.proxy] if "@" in self.proxy else []
        return [self.api_key.reveal(), *self.headers.values(), *proxy]
