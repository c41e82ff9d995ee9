"""Making a conversation shorter without losing what matters.

Two ways, the cheaper first: old results give way to their one sentence, then the whole conversation gives way
to a summary that the model itself writes. What a summary holds is agreed in `INSTRUCTION`; an answer that
keeps no such agreement, and every error, leaves the conversation as it was. A third way, for when the model
cannot be had: the older half goes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from numen.agent.tokens import message_tokens, tokens_of
from numen.llm import (
    AssistantMessage,
    Completed,
    Message,
    Provider,
    Request,
    ToolMessage,
    UserMessage,
    spoken,
)
from numen.tool import TaskResult
from numen.tool.dispatcher import read_content

KEPT_RESULTS = 4
KEPT_CHARS = 24_000
"""The newest results stay whole: so many, and so many characters of them."""

CLIPPED = 600
"""Characters of a result in what is given to the summary."""

SHORTEST = 20
"""A summary of fewer characters is none."""

SYSTEM = """\
You write the memory of a companion who lives in Minecraft. You are given what has been said and done so far;
it will be taken away, and only what you write stays.
"""

INSTRUCTION = """\
Above is everything so far. Write what has to be kept, so that you could go on from it alone. First think in
<analysis>…</analysis>; it is thrown away. Then write <summary>…</summary> with these parts, each left out
when empty:

1. What your owner wants, in the owner's own words where they are short: wishes, orders, corrections, likes.
2. Places, with coordinates exactly as they stood: home, stations, chests, ores, dangers.
3. How you are: what you carry and wear, where you are, the job under way and its task_id.
4. What is done.
5. What you learned, from failures above all: what does not work and what does.
6. What is still to do, in order.
7. The very next step.

State only what stands above; copy names, ids and numbers unchanged. Error messages of the endpoint are no
memory. Write in the language of the conversation.
"""

HEAD = "<summary>\n(What was said and done before was left out to save room. This is what you kept of it.)\n"
GO_ON = "Go on from here."

LEFT_OUT = "(The conversation before this was left out to save room. Look again where you miss something.)"

SUMMARY = re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL | re.IGNORECASE)
ANALYSIS = re.compile(r"<analysis>.*?(?:</analysis>|\Z)", re.DOTALL | re.IGNORECASE)


class NoSummary(Exception):
    """The model answered with something that is no summary."""


def pruned(messages: Sequence[Message]) -> list[Message]:
    """`messages` with old results cut down to their one sentence; the newest stay whole."""
    out = list(messages)
    kept = chars = 0
    for index in range(len(out) - 1, -1, -1):
        message = out[index]
        if not isinstance(message, ToolMessage):
            continue
        kept += 1
        chars += len(message.content)
        if kept <= KEPT_RESULTS and (chars <= KEPT_CHARS or kept == 1):
            continue
        short = _sentence(message.content)
        if len(short) < len(message.content):
            out[index] = replace(message, content=short)
    return out


def _sentence(content: str) -> str:
    verdict = read_content(content)
    message = f"{verdict.message[:160]} (details left out to save room)"
    return (TaskResult.ok if verdict.ok else TaskResult.fail)(message).to_json()


def halved(messages: Sequence[Message]) -> list[Message]:
    """The later half of a conversation, from a user message on.

    Where one long turn is all there is, the words that began it stay and its earlier rounds go.
    """
    half, tail = sum(map(message_tokens, messages)) / 2, 0
    user = answer = None
    for index in range(len(messages) - 1, 0, -1):
        tail += message_tokens(messages[index])
        if tail > half and (user is not None or answer is not None):
            break
        if isinstance(messages[index], UserMessage):
            user = index
        elif isinstance(messages[index], AssistantMessage):
            answer = index
    if user is not None:
        return [UserMessage(content=f"{LEFT_OUT}\n{messages[user].content}"), *messages[user + 1 :]]
    if answer is not None and answer > 1 and isinstance(messages[0], UserMessage):
        return [UserMessage(content=f"{messages[0].content}\n{LEFT_OUT}"), *messages[answer:]]
    return list(messages)


def split(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """(what a summary replaces, what stays): what nobody has answered yet stays as it is."""
    at = len(messages)
    while at > 0 and isinstance(messages[at - 1], UserMessage):
        at -= 1
    return list(messages[:at]), list(messages[at:])


def compacted(messages: Sequence[Message], summary: str, more: str = "") -> list[Message]:
    """The conversation after its summary. `more` are lines that have to be told anew.

    The last plain answer stays word for word, so that the voice stays the same; in the middle of a job there
    is none, and the model is told to go on.
    """
    old, fresh = split(messages)
    told = f"{HEAD}{summary}\n</summary>" + (f"\n{more}" if more else "")
    if not fresh:
        return [UserMessage(content=f"{told}\n{GO_ON}")]
    last = next((each for each in reversed(old) if isinstance(each, AssistantMessage)), None)
    voice = [AssistantMessage(content=last.content)] if last and not last.calls and last.content else []
    return [UserMessage(content=told), *voice, *fresh]


async def summarise(provider: Provider, messages: Sequence[Message], room: int) -> str:
    """The model's summary of `messages`, of which at most `room` tokens are shown to it.

    Raises EndpointError, and NoSummary when the answer is none.
    """
    content = f"{transcript(messages, room)}\n\n{INSTRUCTION}"
    request = Request(system=SYSTEM, messages=(UserMessage(content=content),))
    answer = await answer_to(provider, request)
    return read_summary(answer)


async def answer_to(provider: Provider, request: Request) -> Completed:
    """The whole answer to a request that nobody watches. Raises EndpointError."""
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            if isinstance(event, Completed):
                return event
    raise AssertionError("a provider's stream ends with Completed or raises")


def read_summary(answer: Completed) -> str:
    """The part of the answer that is kept. Missing tags are forgiven, a missing summary is not."""
    text = spoken(answer.message.content)
    tagged = SUMMARY.search(text)
    summary = (tagged.group(1) if tagged else ANALYSIS.sub("", text)).strip()
    if answer.finish == "length" and not tagged:
        raise NoSummary("it was cut off before the summary began")
    if len(summary) < SHORTEST:
        raise NoSummary(f"it is too short: {summary!r}")
    return summary.replace("</summary>", "").replace("<summary>", "").strip()


def transcript(messages: Sequence[Message], room: int) -> str:
    """`messages` as one text of at most about `room` tokens. The first and the latest go before the rest."""
    lines = [line for message in messages for line in _lines(message)]
    if not lines:
        return ""
    first, rest = lines[0], lines[1:]
    left = room - tokens_of(first)
    kept: list[str] = []
    for line in reversed(rest):
        left -= tokens_of(line)
        if left < 0:
            kept.append("(…)")
            break
        kept.append(line)
    return "\n".join([first[: room * 4], *reversed(kept)])


def _lines(message: Message) -> list[str]:
    match message:
        case UserMessage():
            return [message.content]
        case ToolMessage():
            return [f"Result of {message.name}: {_clip(message.content)}"]
        case AssistantMessage():
            said = spoken(message.content)
            called = [f"You called {call.name} {_clip(call.arguments)}" for call in message.calls]
            return ([f"You: {said}"] if said else []) + called


def _clip(text: str) -> str:
    return text if len(text) <= CLIPPED else f"{text[:CLIPPED]}…"
