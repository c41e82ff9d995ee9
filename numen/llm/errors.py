"""What an endpoint can do to us, each with one plain sentence for a person.

EndpointError
  BadKey             401, 403: the key is wrong or may not do this
  QuotaExhausted     402, 429 with a billing code: no money or no quota left
  RateLimited        429: too fast, later is fine
  ServerTrouble      408, 409, 5xx: its own fault, may pass
  Unreachable        no connection: address, network, proxy, certificate
  TimedOut           nothing came in time
  StreamDied         the answer broke off
  BadAnswer          it answered something that is no answer
  BadRequest         400 and kin: it refuses what we sent
    UnknownModel     404 naming the model
    ContextOverflow  the conversation is longer than the model can read
  BudgetSpent        not the endpoint's doing: the day's tokens are used (in `budget`)
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

MAX_DETAIL = 300


class EndpointError(Exception):
    """An endpoint did not answer. `transient` says whether the same request may succeed later."""

    transient: ClassVar[bool] = False
    en: ClassVar[str] = "The endpoint {endpoint} did not answer: {detail}"
    zh: ClassVar[str] = "接口 {endpoint} 没有给出回答：{detail}"

    def __init__(
        self,
        endpoint: str,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        retry: bool | None = None,
    ) -> None:
        """`retry` is the endpoint's own word on whether to try again, where it gave one."""
        self.endpoint = endpoint
        self.detail = shorten(detail)
        self.status = status
        self.retry_after_s = retry_after_s
        self.may_retry = self.transient if retry is None else retry
        super().__init__(self.sentence())

    def sentence(self, language: str = "en") -> str:
        """What happened and what to do, in `en` or `zh`."""
        text = self.zh if language.startswith("zh") else self.en
        detail = self.detail or (f"HTTP {self.status}" if self.status else type(self).__name__)
        return text.format(endpoint=self.endpoint, detail=detail).strip()


class BadKey(EndpointError):
    en = "{endpoint} refuses the API key. Check llm.api_key in the YAML. ({detail})"
    zh = "{endpoint} 拒绝了 API 密钥，请检查 YAML 里的 llm.api_key。（{detail}）"


class QuotaExhausted(EndpointError):
    en = "{endpoint} says the account has no quota or money left. Top it up or use another. ({detail})"
    zh = "{endpoint} 表示账户额度或余额已用完，请充值或换一个。（{detail}）"


class RateLimited(EndpointError):
    transient = True
    en = "{endpoint} says we ask too often. It goes on by itself in a while. ({detail})"
    zh = "{endpoint} 表示请求太频繁，稍后会自动继续。（{detail}）"


class ServerTrouble(EndpointError):
    transient = True
    en = "{endpoint} has trouble of its own. It is tried again in a while. ({detail})"
    zh = "{endpoint} 服务器出了问题，稍后会再试。（{detail}）"


class Unreachable(EndpointError):
    transient = True
    en = "{endpoint} cannot be reached. Check the address, the network and the proxy. ({detail})"
    zh = "无法连接 {endpoint}，请检查地址、网络和代理。（{detail}）"


class TimedOut(EndpointError):
    transient = True
    en = "{endpoint} did not answer in time ({detail})."
    zh = "{endpoint} 没有及时回答（{detail}）。"


class StreamDied(EndpointError):
    transient = True
    en = "The answer of {endpoint} broke off ({detail})."
    zh = "{endpoint} 的回答中途断了（{detail}）。"


class BadAnswer(EndpointError):
    en = "{endpoint} sent something that is no answer. Is the address right? ({detail})"
    zh = "{endpoint} 返回的内容不是回答，地址是否正确？（{detail}）"


class BadRequest(EndpointError):
    en = "{endpoint} refuses the request: {detail}"
    zh = "{endpoint} 拒绝了请求：{detail}"


class UnknownModel(BadRequest):
    en = "{endpoint} does not know the model. Check llm.model in the YAML. ({detail})"
    zh = "{endpoint} 没有这个模型，请检查 YAML 里的 llm.model。（{detail}）"


class ContextOverflow(BadRequest):
    en = "The conversation has become too long for the model of {endpoint}. ({detail})"
    zh = "对话太长，超过了 {endpoint} 模型的上下文。（{detail}）"


OVERFLOW = re.compile(
    r"context[_ ](length|window|size)|maximum.{0,20}tokens|too many tokens|prompt is too long|input length"
    r"|input is too long|reduce the length|max_prompt_tokens|上下文长度|超过最大",
    re.IGNORECASE,
)
BILLING = re.compile(
    r"insufficient_quota|insufficient.{0,10}balance|billing|credit|payment|arrears|余额|欠费|充值",
    re.IGNORECASE,
)
TOO_FAST = re.compile(r"resource[_ ]exhausted|too many requests|rate[_ -]?limit", re.IGNORECASE)
NO_MODEL = re.compile(
    r"model.{0,80}(not (exist|found)|unknown|invalid|does not|not support)|no such model|model_not_found"
    r"|模型不存在",
    re.IGNORECASE,
)


def classify(
    endpoint: str, status: int, body: str, headers: Mapping[str, str] | None = None
) -> EndpointError:
    """The error an HTTP answer with that status stands for. `headers` has lower-case names."""
    headers = headers or {}
    detail = read_detail(body)
    after = retry_after(headers)
    words = f"{detail} {body[:2000]}"
    kind: type[EndpointError]
    if status != 429 and status >= 400 and TOO_FAST.search(detail) and not BILLING.search(words):
        kind = RateLimited  # some say so with another status
    elif status in (401, 403):
        kind = BadKey
    elif status == 402:
        kind = QuotaExhausted
    elif status == 429:
        kind = QuotaExhausted if after is None and BILLING.search(words) else RateLimited
    elif status in (400, 404, 413, 422) and OVERFLOW.search(words):
        kind = ContextOverflow
    elif status in (400, 404, 422) and NO_MODEL.search(words):
        kind = UnknownModel
    elif status == 407:
        kind = Unreachable
        detail = f"the proxy refuses us, HTTP 407 {detail}".strip()
    elif status in (408, 409, 425) or status >= 500:
        kind = ServerTrouble
    elif 300 <= status < 400:
        kind = BadRequest
        detail = f"the address redirects to {headers.get('location', 'elsewhere')}; use that in llm.base_url"
    else:
        kind = BadRequest
    word = headers.get("x-should-retry", "").strip().lower()
    return kind(
        endpoint,
        detail or f"HTTP {status}",
        status=status,
        retry_after_s=after,
        retry={"true": True, "false": False}.get(word),
    )


def read_detail(body: str) -> str:
    """The sentence in an error body: its `message` wherever vendors put it, else the text without markup."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return " ".join(re.sub(r"<[^>]*>", " ", body[:4000]).split())
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, Mapping):
            break
        for key in ("error", "message", "detail", "msg", "error_msg"):
            if value.get(key):
                code = value.get("code")
                value = value[key]
                if isinstance(value, str) and isinstance(code, str) and code not in value:
                    value = f"{value} [{code}]"
                break
        else:
            return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the endpoint asks us to wait (`retry-after-ms`, `retry-after` as seconds or as a date)."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if not text:
            continue
        try:
            return max(0.0, float(text) * scale)
        except ValueError:
            pass
        try:
            from datetime import UTC, datetime
            from email.utils import parsedate_to_datetime

            return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):
            continue
    return None


def shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"
