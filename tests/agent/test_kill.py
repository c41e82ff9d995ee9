"""kill -9 at any moment: nothing acknowledged is lost, the history stays legal, no call runs twice."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from numen.agent.history import History
from numen.llm import UserMessage
from numen.session import FileSession, log_path, restore
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, calls, says
from tests.agent.bench import assert_legal

ROOT = Path(__file__).resolve().parents[2]


async def kill_often(folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)
    numbers = count(1)
    victim: subprocess.Popen[bytes] | None = None
    left = 0

    def brain(request: RecordedRequest) -> Reply:
        nonlocal left
        assert_legal(request.messages)
        left -= 1
        if left <= 0 and victim is not None and victim.returncode is None:
            # Anywhere in what follows: before the answer, in it, in the calls, after them.
            asyncio.get_running_loop().call_later(chance.choice([0, 0, 0.001, 0.003, 0.01]), kill, victim)
        if request.messages[-1]["role"] == "user":
            ids = [f"c{next(numbers)}" for _ in range(3)]
            return calls(*[("leave", {})] * 3, ids=ids)
        return says("done ", "with ", "that")

    acknowledged: list[int] = []
    async with ScriptedEndpoint(brain=brain) as endpoint:
        for _ in range(times):
            left = chance.randint(1, 8)
            # A line may be kept and its number not yet printed: no number is used again.
            first = acknowledged[-1] + 10 if acknowledged else 0
            victim = subprocess.Popen(
                [sys.executable, "-m", "tests.agent.victim", endpoint.url, folder, str(first)],
                cwd=ROOT,
                stdout=subprocess.PIPE,
            )
            told, _ = await asyncio.to_thread(victim.communicate)
            assert victim.returncode == -signal.SIGKILL
            acknowledged += [int(line) for line in told.split()]
            check(folder, acknowledged)
        endpoint.assert_complete()


def kill(victim: subprocess.Popen[bytes]) -> None:
    if victim.returncode is None:
        victim.kill()


def check(folder: Path, acknowledged: list[int]) -> None:
    marks = (folder / "marks").read_text().split() if (folder / "marks").exists() else []
    assert len(marks) == len(set(marks)), "a call ran twice"

    session = FileSession(log_path(folder, "Victim"))
    restored = restore(session.records())
    history = History(session, restored)
    told = "".join(each["content"] for each in restored.messages if each["role"] == "user")
    waiting = "".join(f"<query>{each['text']}</query>" for each in restored.pending)
    for number in acknowledged:
        assert (told + waiting).count(f"<query>line {number}</query>") == 1, f"line {number}"
    assert history.dangling() == ()
    assert any(isinstance(each, UserMessage) for each in history.messages) or not told
    session.close()


async def test_killed_in_mid_turn_again_and_again(tmp_path: Path) -> None:
    await kill_often(tmp_path, times=8, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_killed_a_hundred_times(tmp_path: Path) -> None:
    await kill_often(tmp_path, times=100, seed=2)
