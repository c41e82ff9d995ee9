"""Commands and questions over the game's own chat: who is heard, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numen.agent.events import Answered, TurnEnded
from numen.agent.live import Kind
from numen.agent.questions import QuestionAsked
from numen.companion.served import Told
from numen.testing.endpoint import calls, says
from protocol.connection import Connection
from protocol.endpoint import offline_uuid
from protocol.text import plain_text
from tests.app.test_companion import flat_world, living, player, speak


class Ear:
    """What a player's client is shown."""

    def __init__(self, connection: Connection) -> None:
        self.lines: list[str] = []
        connection.subscribe("system_chat", lambda fields: self._add(fields["content"]))
        connection.subscribe("profileless_chat", lambda fields: self._add(fields["message"]))
        connection.subscribe("player_chat", self._signed)

    def _add(self, component: Any) -> None:
        self.lines.append(plain_text(component))

    def _signed(self, fields: dict[str, Any]) -> None:
        self.lines.append(str(fields["plainMessage"]))

    def heard(self, text: str) -> Callable[[], bool]:
        return lambda: any(text in line for line in self.lines)


def whisper(connection: Connection, text: str) -> None:
    connection.send("chat_command", command=f"msg Numen {text}")


async def test_a_question_is_put_before_the_owner_and_answered_by_a_number(tmp_path: Path) -> None:
    sandbox = await flat_world()
    script = (
        calls(("ask-user-question", {"question": "Which wood?", "options": ["Oak", "Birch", "Skip"]})),
        says("Birch it is."),
    )
    async with living(tmp_path, sandbox, *script) as life:
        steve = await player(sandbox, "Steve")
        ear = Ear(steve)
        speak(steve, "build something")
        await life.until(ear.heard("3. Other"))
        speak(steve, "@Numen 2")
        await life.until(lambda: life.seen(Answered))
        assert "User selected option 2: Birch" in str(life.endpoint.requests[-1].messages)
        steve.close()
    await sandbox.stop()


async def test_a_stop_ends_the_question_and_a_late_answer_is_told(tmp_path: Path) -> None:
    sandbox = await flat_world()
    script = (
        calls(("ask-user-question", {"question": "Which wood?", "options": ["Oak"]})),
        says("Oak, then."),
    )
    async with living(tmp_path, sandbox, *script) as life:
        live = life.companion.live_bus.subscribe()
        steve = await player(sandbox, "Steve")
        ear = Ear(steve)
        whisper(steve, "build something")
        await life.until(lambda: life.seen(QuestionAsked))
        whisper(steve, "!mclawd stop")
        await life.until(lambda: life.seen(TurnEnded))
        kinds = [each.kind for each in live.take()]
        assert kinds[0] is Kind.START
        assert kinds[-3:] == [Kind.TOOL_STATUS_CLEAR, Kind.ERROR, Kind.DONE]
        await life.until(ear.heard("Stopped."))
        whisper(steve, "1")
        await life.until(ear.heard("That question has ended"))
        await life.until(lambda: life.seen(Answered))
        assert "late answer" in str(life.endpoint.requests[-1].messages)
        steve.close()
    await sandbox.stop()


async def test_strangers_are_refused_in_private_and_passed_over_in_public(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox) as life:
        eve = await player(sandbox, "Eve")
        ear = Ear(eve)
        speak(eve, "!mclawd sessions new")
        whisper(eve, "mclawd config api-key")
        await life.until(ear.heard("I don't take orders from you."))
        whisper(eve, "mclawd stop")
        await life.until(lambda: len(life.companion.mind.inbox) >= 3)
        assert sum("take orders" in line for line in ear.lines) == 1
        assert not life.companion.mind.busy
        eve.close()
    await sandbox.stop()


async def test_commands_are_answered_in_private(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox) as life:
        steve, eve = await player(sandbox, "Steve"), await player(sandbox, "Eve")
        ear, other = Ear(steve), Ear(eve)
        for command, answer in (
            ("mclawd help", "assistivetouch"),
            ("mclawd persona", "Soul: default"),
            ("mclawd config tool-call-limit 9", "tool-call-limit = 9"),
            ("mclawd config api-key", "<empty>"),
            ("mclawd config api-key sk-secret", "Never say a secret here"),
            ("mclawd assets", "No assets"),
            ("mclawd history", "[1/"),
            ("mclawd choose", "not asking"),
            ("mclawd retry 00000000", "no failed request"),
            ("mclawd stop", "No running request to stop."),
            ("mclawd assistivetouch off", "no longer"),
            ("mclawd config broadcast everyone", "= all"),
        ):
            whisper(steve, command)
            await life.until(ear.heard(answer))
        assert life.companion.mind.limits.rounds_per_turn == 9
        assert not any("Soul:" in line or "api-key" in line for line in other.lines)
        for each in (steve, eve):
            each.close()
    await sandbox.stop()


async def test_a_stop_with_nothing_to_end_says_so_where_it_was_given(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox) as life:
        steve = await player(sandbox, "Steve")
        ear = Ear(steve)
        life.companion.hear("stop")
        told = [each.text for each in life.events if isinstance(each, Told)]
        assert told == ["No running request to stop."]
        speak(steve, "stop")
        await life.until(ear.heard("No running request to stop."))
        steve.close()
    await sandbox.stop()


async def test_a_request_in_a_whisper_is_echoed_to_operators_who_are_there(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox, says("Yes.")) as life:
        steve, eve, mob = [await player(sandbox, name) for name in ("Steve", "Eve", "Mob")]
        op, other = Ear(eve), Ear(mob)
        listed = [{"uuid": str(offline_uuid("Eve")), "name": "Eve", "level": 4}]
        (tmp_path / "ops.json").write_text(json.dumps(listed), "utf-8")
        life.companion.household.home.access._ops = tmp_path / "ops.json"
        whisper(steve, "mclawd config broadcast ops")
        whisper(steve, "are you well?")
        await life.until(op.heard("<Steve> @Numen are you well?"))
        assert not any("are you well" in line for line in other.lines)
        for each in (steve, eve, mob):
            each.close()
    await sandbox.stop()
