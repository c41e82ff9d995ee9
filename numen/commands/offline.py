"""The subcommands that work on the data folder alone: sessions, souls, assets and the history of a person,
without a server and without a model. A session that a running companion has open is only read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numen.commands.texts import say
from numen.commands.things import session_lines
from numen.config import Config, ConfigError
from numen.session import (
    AssetBook,
    AssetError,
    People,
    SessionStore,
    Souls,
    UnknownSession,
    UnknownSoul,
    restore,
)
from numen.session.assets import assets_path
from numen.session.files import read_json
from numen.session.history_book import entries_of, page_lines, pages_of, write_book
from numen.session.importing import import_folder
from numen.session.log import read_records
from numen.session.people import CONSOLE, person_of

Tell = Callable[[str], None]


class Folder:
    """One person's things in the data folder, as one companion has them."""

    def __init__(self, config: Config, *, companion: str | None, person: str | None, language: str) -> None:
        """`companion` is by name, the first one without; `person` is a name or a UUID, else its owner.

        Raises ConfigError for a companion that there is not.
        """
        named = companion or config.companions[0].name
        section = next((each for each in config.companions if each.name.casefold() == named.casefold()), None)
        if section is None:
            names = ", ".join(each.name for each in config.companions)
            raise ConfigError(config.source, [f"there is no companion {named}; there are: {names}"])
        self.config, self.companion, self.language = config, section.name, language
        who = person or section.owner
        self.key = People(config.data).key_of(person_of(who) if who else CONSOLE)
        self.store = SessionStore(config.data, self.key, self.companion)
        self.souls = Souls(getattr(config, "souls", None), config.data)
        self.book = AssetBook(assets_path(config.data, self.key))


def sessions(folder: Folder, words: list[str], tell: Tell) -> int:
    """`sessions [list | new | resume | remove | repair] [ref]`, and `sessions import FOLDER`."""
    what, ref = [*words, "list"][0], " ".join(words[1:])
    store, language = folder.store, folder.language
    try:
        if what == "list":
            active = store.active
            lines = session_lines(store.all(), active.id if active else "", language)
            for line in lines or [say("sessions_none", language)]:
                tell(line)
        elif what == "import" and ref:
            config = folder.config
            done = import_folder(Path(ref).expanduser(), People.at(config.data), config.souls)
            for problem in done.problems:
                tell(problem)
            tell(say("sessions_imported", language, sessions=done.sessions, others=done.others))
        elif what == "new":
            tell(say("session_new", language, token=store.new().token))
        elif what == "repair":
            head, count = store.repair(ref or None)
            tell(say("session_repaired", language, token=head.token, count=count))
        elif what == "resume" and ref:
            head = store.resume(ref)
            tell(say("session_resumed", language, token=head.token, title=head.title))
        elif what == "remove" and ref:
            head = store.remove(ref)
            left = store.active
            tell(
                say(
                    "session_removed",
                    language,
                    token=head.token,
                    title=head.title,
                    active=left.token if left else "-",
                )
            )
        else:
            tell(say("sessions_how", language))
            return 2
    except UnknownSession as error:
        tell(str(error))
        return 1
    finally:
        store.close()
    return 0


def persona(folder: Folder, words: list[str], tell: Tell) -> int:
    """`persona [soul]`."""
    if not words:
        chosen = folder.souls.chosen(folder.key)
        tell(say("souls", folder.language, soul=chosen, names=", ".join(folder.souls.names())))
        return 0
    try:
        tell(say("soul_chosen", folder.language, soul=folder.souls.choose(folder.key, words[0])))
    except UnknownSoul as error:
        tell(str(error))
        return 1
    return 0


def assets(folder: Folder, words: list[str], tell: Tell) -> int:
    """`assets [list | remove-record] [ref]`; the rest needs a world."""
    what, ref = [*words, "list"][0], " ".join(words[1:])
    if what == "list":
        for line in [each.line() for each in folder.book.all()] or [say("assets_none", folder.language)]:
            tell(line)
    elif what == "remove-record" and ref:
        try:
            gone = folder.book.remove(ref)
        except AssetError as error:
            tell(str(error))
            return 1
        tell(say("asset_removed", folder.language, id=gone.id, name=gone.name))
    else:
        tell(say("player_only" if what in ("teleport", "give") else "assets_how", folder.language))
        return 2
    return 0


def history(folder: Folder, words: list[str], tell: Tell) -> int:
    """`history [page | file]`: the active session's, page by page or as a file."""
    head = folder.store.active
    if head is None:
        tell(say("sessions_none", folder.language))
        return 1
    pages = pages_of(
        entries_of(_said(folder.store.folder, head.id)),
        companion=folder.companion,
        token=head.token,
        updated_at=head.updated_at,
        language="zh" if folder.language.startswith("zh") else "en",
    )
    if words and words[0] == "file":
        path = write_book(folder.config.data, head.token, pages)
        tell(say("history_file", folder.language, file=path, pages=len(pages)))
        return 0
    try:
        shown = [int(words[0])] if words else range(1, len(pages) + 1)
        for number in shown:
            for line in page_lines(pages, number, 78):
                tell(line)
    except (ValueError, IndexError):
        tell(say("history_page", folder.language, pages=len(pages)))
        return 1
    return 0


def _said(folder: Path, session: str) -> list[Mapping[str, Any]]:
    """The messages of a session: of its log, or of the file beside it where there is none yet."""
    log = folder / f"{session}.log"
    if log.exists():
        return restore(read_records(log)).messages
    kept = read_json(folder / f"{session}.json", {}).get("openAiHistory")
    return [each for each in kept if isinstance(each, Mapping)] if isinstance(kept, list) else []


COMMANDS: dict[str, Callable[[Folder, list[str], Tell], int]] = {
    "sessions": sessions,
    "persona": persona,
    "assets": assets,
    "history": history,
}


def run(name: str, config: Config, options: argparse.Namespace, language: str, tell: Tell) -> int:
    """Run the subcommand of that name. Raises ConfigError and OSError."""
    folder = Folder(config, companion=options.companion, person=options.person, language=language)
    return COMMANDS[name](folder, options.words, tell)
