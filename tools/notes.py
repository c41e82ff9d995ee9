"""What the companion keeps for itself beyond the conversation."""

from __future__ import annotations

from numen.session import Notebook, NoteError, NoteType
from numen.tool import TaskResult, ToolContext, ToolFailure, tool


@tool
def remember(
    context: ToolContext,
    name: str,
    type: NoteType,  # noqa: A002 - the word the model reads
    description: str,
    content: str = "",
) -> TaskResult:
    """Note something that you will need again on another day: what your owner likes, where things stand (with
    coordinates), what you have learned. A note of the same name is replaced.

    Args:
        name: A short name for it, such as home or owner-likes.
        type: owner for what concerns your owner, world for places and things, lesson for what you learned.
        description: One line; it is always before your eyes.
        content: All of it; you see it again with recall.
    """
    try:
        note = context.service(Notebook).write(name, type, description, content)
    except NoteError as error:
        raise ToolFailure(str(error)) from None
    return TaskResult.ok(f"noted as {note.name}")


@tool
def recall(context: ToolContext, name: str) -> str:
    """Read one of your notes.

    Args:
        name: Its name, as listed in <notes>.
    """
    try:
        note = context.service(Notebook).read(name)
    except NoteError as error:
        raise ToolFailure(str(error)) from None
    return f'<note name="{note.name}" type="{note.type}">\n{note.text or note.description}\n</note>'


@tool
def forget(context: ToolContext, name: str) -> TaskResult:
    """Throw away a note that is no longer true.

    Args:
        name: Its name, as listed in <notes>.
    """
    try:
        note = context.service(Notebook).forget(name)
    except NoteError as error:
        raise ToolFailure(str(error)) from None
    return TaskResult.ok(f"forgot {note.name}")
