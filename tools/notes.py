"""What the companion keeps for itself beyond the conversation."""

from __future__ import annotations

from numen.session import Access, Notebook, NoteError, NoteType, Person
from numen.tool import TaskResult, ToolContext, ToolFailure, tool
from numen.tool.trust import trust_of
from tools.reading import hearsay


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
        note = context.service(Notebook).write(
            name, type, description, content, foreign=_among_others(context)
        )
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
    read = f'<note name="{note.name}" type="{note.type}">\n{note.text or note.description}\n</note>'
    return f"{read}\n{hearsay(context, 'notes made while others spoke')}" if note.foreign else read


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


def _among_others(context: ToolContext) -> bool:
    """Whether what is noted now may hold words of others than the owner. All people of a companion share its
    notes, so those of another than the owner count as well."""
    if trust_of(context.services).tainted is not None:
        return True
    access, person = (context.services.get(each) for each in (Access, Person))
    return isinstance(access, Access) and isinstance(person, Person) and not access.is_owner(person)
