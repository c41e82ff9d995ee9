"""What a session is called: its id, its title, and the token that people type."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable, Container
from typing import Final

DEFAULT_TITLE: Final = "New Session"
NO_SLUG: Final = "session"
LONGEST_TITLE: Final = 100
LONGEST_FALLBACK: Final = 80
LONGEST_SLUG: Final = 48
TRIES: Final = 256

INSTRUCTION: Final = """\
Give this conversation a title: one concise sentence in plain text, under 80 characters, in the language of
the person. Answer with the title alone.
"""

QUERY: Final = re.compile(r"<query[^>]*>(.*?)</query>", re.DOTALL)


def new_id(taken: Container[str], make: Callable[[], str] = lambda: uuid.uuid4().hex) -> str:
    """Four hexadecimal digits that are not `taken`. Raises OSError when 256 tries find none."""
    for _ in range(TRIES):
        found = make()[:4].lower()
        if found not in taken:
            return found
    raise OSError("no free session id was found; remove some sessions")


def slug_of(title: str) -> str:
    """The part of a token after its id. Signs other than ASCII letters, digits, blanks and dashes go."""
    kept = re.sub(r"[^A-Za-z0-9 -]", "", title).replace(" ", "-")
    return re.sub(r"-{2,}", "-", kept).strip("-")[:LONGEST_SLUG].strip("-") or NO_SLUG


def clean_title(text: str) -> str:
    """One line of at most 100 characters; `New Session` for nothing."""
    return _line(text)[:LONGEST_TITLE].strip() or DEFAULT_TITLE


def title_from_model(answer: str) -> str:
    """A title out of a model's answer, "" when it has none."""
    return _line(answer).strip(" \"'`“”‘’「」").strip()[:LONGEST_TITLE].strip()


def fallback_title(prompt: str, answer: str = "") -> str:
    """What a session is called when no model gave it a title."""
    return (_line(prompt) or _line(answer) or DEFAULT_TITLE)[:LONGEST_FALLBACK].strip()


def title_request(prompt: str, answer: str) -> str:
    """What the model is asked, beside `INSTRUCTION`."""
    return f"The person: {prompt.strip()}\n\nThe answer: {answer.strip()}"


def words_of(content: str) -> str:
    """A person's own words in a user message as it stands in a conversation."""
    return "\n".join(each.strip() for each in QUERY.findall(content))


def _line(text: str) -> str:
    shown = "".join(each if unicodedata.category(each)[0] != "C" else " " for each in text)
    return " ".join(shown.split())
