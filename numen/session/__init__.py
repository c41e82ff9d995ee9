"""Conversations on disk.

record    what a log holds and how a conversation is restored from it; the Session protocol
log       FileSession: append-only JSON lines; MemorySession: the same without a file
store     SessionStore: the sessions of a person with a companion; titles names them, shapes writes them as
          MineClawd does
people    Person, and who has which folder (People), who may ask (Access)
souls     Souls: how a companion speaks, a Markdown file each
notes     Notebook: what a companion has noted for itself, a Markdown file each
assets    AssetBook: what was made for an owner, one file each
files     small files, written whole or not at all
"""

from pathlib import Path

from numen.session.assets import Asset, AssetBook, AssetBooks, AssetError
from numen.session.log import FileSession, LogInUse, MemorySession, SessionError, UnknownVersion
from numen.session.notes import Note, Notebook, NoteError, NoteType
from numen.session.people import CONSOLE, Access, People, Person, owner_key
from numen.session.record import Record, Restored, Session, restore
from numen.session.shapes import Shape
from numen.session.souls import DEFAULT as DEFAULT_SOUL
from numen.session.souls import Souls, UnknownSoul
from numen.session.store import Head, SessionStore, UnknownSession


def log_path(folder: Path, companion: str) -> Path:
    """Where an older Numen kept the conversation of that companion; SessionStore moves it in once."""
    return folder / "conversations" / f"{_safe(companion)}.jsonl"


def notes_folder(folder: Path, companion: str) -> Path:
    """Where the notes of that companion lie under the data folder."""
    return folder / "notes" / _safe(companion)


def _safe(companion: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in companion) or "_"


__all__ = [
    "CONSOLE",
    "DEFAULT_SOUL",
    "Access",
    "Asset",
    "AssetBook",
    "AssetBooks",
    "AssetError",
    "FileSession",
    "Head",
    "LogInUse",
    "MemorySession",
    "Note",
    "NoteError",
    "NoteType",
    "Notebook",
    "People",
    "Person",
    "Record",
    "Restored",
    "Session",
    "SessionError",
    "SessionStore",
    "Shape",
    "Souls",
    "UnknownSession",
    "UnknownSoul",
    "UnknownVersion",
    "log_path",
    "notes_folder",
    "owner_key",
    "restore",
]
