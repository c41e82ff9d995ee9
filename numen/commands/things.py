"""Commands for what lies in the data folder: sessions in a listing, the catalogue of assets, the history."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from numen.agent.words import say as engine_say
from numen.body.body import Body
from numen.commands.texts import say
from numen.llm import ToolMessage, UserMessage
from numen.powers.commands import CommandRefused, Ran, in_chat
from numen.session import AssetError, Head
from numen.session.asset_use import give, teleport
from numen.session.history_book import (
    entries_of,
    give_commands,
    page_lines,
    pages_of,
    write_book,
)
from protocol.command_usage import root_names
from tools.assets import book_of

if TYPE_CHECKING:
    from numen.commands.table import Call

log = logging.getLogger(__name__)

SHOWN: Final = 8


def session_lines(heads: Sequence[Head], active: str, language: str) -> list[str]:
    """Sessions as lines for people: which is the active one, when it was last used, its token."""
    lines = []
    for head in heads:
        when = datetime.fromtimestamp(head.updated_at / 1000).strftime("%Y-%m-%d %H:%M")
        mark = "●" if head.id == active else "○"
        lines.append(f"{mark} {head.id} {head.title} · {when} · {head.token}")
    return lines


# -- assets


def assets(call: Call, text: str) -> None:
    """`assets [list | teleport | give | remove-record]`."""
    book = book_of(call.mind.context)
    word, _, reference = text.partition(" ")
    reference = reference.strip()
    try:
        match word.casefold():
            case "" | "list" | "列表":
                listed = book.all()
                for each in listed[:SHOWN]:
                    call.caller.tell(each.line())
                if len(listed) > SHOWN:
                    call.say("sessions_more", count=len(listed) - SHOWN)
                call.say("assets_how" if listed else "assets_none")
            case "remove-record" if reference:
                gone = book.remove(reference)
                call.say("asset_removed", id=gone.id, name=gone.name)
            case "teleport" | "give" if reference:
                _use(call, word.casefold(), reference)
            case _:
                call.say("assets_how")
    except AssetError as error:
        call.caller.tell(str(error))


def _use(call: Call, what: str, reference: str) -> None:
    """Go to an entity, or hand out an item, by commands of the server."""
    body = call.companion.body
    root = "execute" if what == "teleport" else "give"
    if call.caller.source == "console":
        call.say("player_only")
    elif body is None or not body.online or not may_use(body, root):
        call.say("no_power", name=call.companion.name, root=root)
    else:
        book, player = book_of(call.mind.context), call.caller.person.name
        book.get(reference)  # an unknown one is told at once
        act = teleport if what == "teleport" else give

        async def use() -> str:
            return (await act(book, reference, player, lambda line: run_command(body, line))).message

        _later(call, use())


def may_use(body: Body, root: str) -> bool:
    """Whether the server has told the companion of a command of that name."""
    roots = root_names(body.link.latest("declare_commands"))
    return roots is not None and root in roots


async def run_command(body: Body, line: str) -> Ran:
    """Run a command (without its slash) as the companion, and collect what the server says to it."""
    try:
        return await in_chat(body, line)
    except CommandRefused as refused:
        raise AssetError(str(refused)) from None


def _later(call: Call, work: Awaitable[str]) -> None:
    async def do() -> None:
        try:
            call.caller.tell(await work)
        except (AssetError, OSError, ValueError) as error:
            call.caller.tell(str(error))
        except Exception:
            log.exception("a command of %s failed", call.caller.person.name)
            call.caller.tell(engine_say("our_fault", call.language, detail="command"))

    task = asyncio.ensure_future(do())
    call.later.add(task)
    task.add_done_callback(call.later.discard)


# -- history


def history(call: Call, text: str) -> None:
    """`history [page | book | file]`: pages in the chat, a written book, or a file at the console."""
    pages = _pages(call)
    word = text.strip().casefold()
    if word in ("book", "书"):
        _hand_over(call, pages)
    elif word in ("file", "文件") or (not word and call.caller.source == "console"):
        path = write_book(call.data, _token(call), pages)
        call.say("history_file", file=path, pages=len(pages))
    else:
        try:
            lines = page_lines(pages, int(word or 1))
        except (ValueError, IndexError):
            call.say("history_page", pages=len(pages))
            return
        for line in lines:
            call.caller.tell(line)
        call.say("history_more")


def _token(call: Call) -> str:
    head = call.mind.sessions.active if call.mind.sessions is not None else None
    return head.token if head is not None else call.companion.name


def _pages(call: Call) -> list[str]:
    head = call.mind.sessions.active if call.mind.sessions is not None else None
    said = [
        {"role": "user" if isinstance(each, UserMessage) else "assistant", "content": each.content}
        for each in call.mind.history.messages
        if not isinstance(each, ToolMessage)
    ]
    return pages_of(
        entries_of(said),
        companion=call.companion.name,
        token=_token(call),
        updated_at=head.updated_at if head is not None else 0,
        language="zh" if call.language.startswith("zh") else "en",
    )


def _hand_over(call: Call, pages: Sequence[str]) -> None:
    body = call.companion.body
    if call.caller.source == "console":
        call.say("player_only")
    elif body is None or not body.online or not may_use(body, "give"):
        call.say("no_power", name=call.companion.name, root="give")
    else:
        player = call.caller.person.name
        given = give_commands(player, pages, title=_token(call)[:32], author=call.companion.name)

        async def hand_over() -> str:
            for each in given:
                ran = await run_command(body, each)
                if not ran.ok:
                    return say("history_kept", call.language, detail=" ".join(ran.output.split())[:160])
            return say("history_given", call.language, count=len(given))

        _later(call, hand_over())
