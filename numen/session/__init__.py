"""Conversations on disk.

record    what a log holds and how a conversation is restored from it; the Session protocol
log       FileSession: append-only JSON lines; MemorySession: the same without a file
notes     Notebook: what a companion has noted for itself, a Markdown file each
"""

from pathlib import Path

from numen.session.log import FileSession, LogInUse, MemorySession, SessionError, UnknownVersion
from numen.session.notes import Note, Notebook, NoteError, NoteType
from numen.session.record import Record, Restored, Session, restore


def log_path(folder: Path, companion: str) -> Path:
    """Where the conversation of that companion lies under the data folder."""
    return folder / "conversations" / f"{_safe(companion)}.jsonl"


def notes_folder(folder: Path, companion: str) -> Path:
    """Where the notes of that companion lie under the data folder."""
    return folder / "notes" / _safe(companion)


def _safe(companion: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in companion) or "_"


__all__ = [
    "FileSession",
    "LogInUse",
    "MemorySession",
    "Note",
    "NoteError",
    "NoteType",
    "Notebook",
    "Record",
    "Restored",
    "Session",
    "SessionError",
    "UnknownVersion",
    "log_path",
    "notes_folder",
    "restore",
]
