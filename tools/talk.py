"""Speaking in the game's chat."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from numen.body.talk import say as speak
from numen.tool import TaskResult, ToolContext, tool
from tools.support import body_of, result_of


@tool
def say(context: ToolContext, text: Annotated[str, Field(min_length=1, max_length=2000)]) -> TaskResult:
    """Say something in the game's chat while you go on working. Your plain answer is spoken anyway: use this
    only for a word in between. Commands are not run by this tool.

    Args:
        text: What to say; long texts are split into several messages.
    """
    # Commands are a power of their own.
    return result_of(speak(body_of(context), text, words_only=True))
