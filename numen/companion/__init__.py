"""A companion: one body on a server, and a mind for each person whom it serves.

companion    Companion: its life on the server, and what happens to the body told to the minds
household    the people whom it serves, and the mind that each of them has
served       what one person needs around his mind: questions, feed, a way to answer
voice        how it speaks in the game: shortened, in private, clickable where it may
"""

from numen.companion.companion import (
    Away,
    ChatHeard,
    Companion,
    CompanionEvent,
    JobEnded,
    Joined,
    Report,
)

__all__ = ["Away", "ChatHeard", "Companion", "CompanionEvent", "JobEnded", "Joined", "Report"]
