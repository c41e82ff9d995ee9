"""Asking the person for whom one works."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from numen.agent.questions import NoOptions, Questions
from numen.tool import BadArguments, ToolContext, tool


@tool(name="ask-user-question")
async def ask_user_question(
    context: ToolContext,
    question: Annotated[str, Field(min_length=1)],
    options: Annotated[list[str], Field(min_length=1)],
) -> str:
    """Ask the person you work for to choose, when you can't decide for them and a wrong guess would cost
    much. They have 60 seconds; without an answer the result begins with SKIPPED, and you go on with the most
    sensible choice. One question at a time.

    Args:
        question: What you want to know, in one sentence and in their language.
        options: 1 to 5 short answers to choose from. A free answer and skipping are offered by themselves.
    """
    try:
        return await context.service(Questions).ask(question, options)
    except NoOptions as error:
        raise BadArguments(str(error)) from None
