"""Benchmarks are run by hand, so something has to notice when one no longer loads."""

from __future__ import annotations

import importlib

import pytest

from tests.bench.__main__ import main, names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_loads(name: str) -> None:
    module = importlib.import_module(f"tests.bench.bench_{name}")

    assert callable(module.main)


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "framing" in capsys.readouterr().out
