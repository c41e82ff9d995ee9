"""hypothesis strategies for packets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from protocol import codec
from tests.protocol.any_fields import AnyFields

T = TypeVar("T")

_integers = cache(st.integers)
_floats = {bits: st.floats(allow_nan=False, width=bits) for bits in (32, 64)}
_texts = st.text(st.characters(codec="utf-8"), max_size=24)


class Drawn:
    """Values that hypothesis chooses, see `tests.protocol.any_fields.Source`."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return int(self._draw(_integers(low, high)))

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def number(self, bits: int) -> float:
        return float(self._draw(_floats[bits]))

    def bytes(self, low: int, high: int) -> bytes:
        return bytes(self._draw(st.binary(min_size=low, max_size=high)))

    def text(self) -> str:
        return str(self._draw(_texts))


@st.composite
def packets(draw: Callable[[st.SearchStrategy[Any]], Any], state: str, direction: str, name: str) -> Any:
    """Fields of one kind of packet."""
    schema = codec.VANILLA.schema
    type_ = schema.packets[state, direction][codec.packet_id(state, direction, name)][1]
    return AnyFields(schema, Drawn(draw)).packet(type_)
