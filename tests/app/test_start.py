"""The very first moments of the command."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from numen.__main__ import start


def test_an_interrupt_while_the_command_line_is_loaded_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load = builtins.__import__

    def interrupted(name: str, *rest: Any) -> Any:
        if name == "numen.cli":
            raise KeyboardInterrupt
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", interrupted)
    assert start() == 130
    assert capsys.readouterr() == ("", "")
