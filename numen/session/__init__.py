"""Conversations on disk.

record    what a log holds and how a conversation is restored from it; the Session protocol
log       FileSession: append-only JSON lines; MemorySession: the same without a file
"""

from pathlib import Path

from numen.session.log import FileSession, LogInUse, MemorySession, SessionError, UnknownVersion
from numen.session.record import Record, Restored, Session, restore


def log_path(folder: Path, companion: str) -> Path:
    """Where the conversation of that companion lies under the data folder."""
    safe = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in companion) or "_"
    return folder / "conversations" / f"{safe}.jsonl"


__all__ = [
    "FileSession",
    "LogInUse",
    "MemorySession",
    "Record",
    "Restored",
    "Session",
    "SessionError",
    "UnknownVersion",
    "log_path",
    "restore",
]
