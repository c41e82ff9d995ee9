"""Guesses about blocks: how long they hold and what takes them back."""

from __future__ import annotations

from numen.body.prediction import FORGET_TICKS, BlockPos, Guess, Prediction

STONE, AIR, DIRT = 1, 0, 10
POS = (1, 64, 0)
STOOD = (0.5, 64.0, 0.5)


class Server:
    """A block store with a body's guesses over it."""

    def __init__(self) -> None:
        self.blocks: dict[BlockPos, int] = {POS: STONE}
        self.rolled_back: list[BlockPos] = []
        self.prediction = Prediction(lambda x, y, z: self.blocks.get((x, y, z), AIR), self._note)

    def _note(self, pos: BlockPos, guess: Guess) -> None:
        assert guess.stood_at == STOOD
        self.rolled_back.append(pos)

    def dig(self, tick: int = 1) -> int:
        sequence = self.prediction.next_sequence(tick)
        self.prediction.guess(POS, AIR, sequence, STOOD, tick)
        return sequence


def test_sequences_count_from_one_without_gaps() -> None:
    prediction = Server().prediction
    assert [prediction.next_sequence(0) for _ in range(3)] == [1, 2, 3]


def test_a_guess_hides_the_servers_block_until_it_is_settled() -> None:
    server = Server()
    sequence = server.dig()
    assert server.prediction.block(*POS) == AIR
    server.blocks[POS] = AIR
    server.prediction.acknowledged(sequence, 3)
    assert server.prediction.block(*POS) == AIR
    assert server.rolled_back == []


def test_an_ack_without_a_change_takes_the_guess_back() -> None:
    server = Server()
    sequence = server.dig()
    server.prediction.acknowledged(sequence, 3)
    assert server.prediction.block(*POS) == STONE
    assert server.rolled_back == [POS]


def test_a_server_update_shows_only_after_the_ack() -> None:
    server = Server()
    sequence = server.dig()
    server.blocks[POS] = DIRT
    assert server.prediction.block(*POS) == AIR
    server.prediction.acknowledged(sequence, 3)
    assert server.prediction.block(*POS) == DIRT


def test_an_earlier_ack_leaves_a_later_guess_alone() -> None:
    server = Server()
    first = server.dig()
    second = server.dig()
    server.prediction.acknowledged(first, 3)
    assert server.prediction.block(*POS) == AIR
    server.prediction.acknowledged(second, 4)
    assert server.prediction.block(*POS) == STONE


def test_one_ack_settles_everything_before_it() -> None:
    server = Server()
    server.dig()
    sequence = server.prediction.next_sequence(2)
    server.prediction.acknowledged(sequence, 5)
    assert server.prediction.block(*POS) == STONE
    assert server.prediction.settled == sequence
    assert server.prediction.answer_ticks == 3


def test_a_guess_that_is_never_answered_is_given_up() -> None:
    server = Server()
    server.dig(tick=1)
    server.prediction.tick(1 + FORGET_TICKS)
    assert server.prediction.block(*POS) == AIR
    server.prediction.tick(2 + FORGET_TICKS)
    assert server.prediction.block(*POS) == STONE


def test_a_new_world_forgets_the_guesses_but_not_the_count() -> None:
    server = Server()
    server.dig()
    server.prediction.forget()
    assert server.prediction.block(*POS) == STONE
    assert server.prediction.next_sequence(9) == 2


def test_a_new_login_counts_from_one_again() -> None:
    server = Server()
    server.dig()
    server.prediction.acknowledged(1, 2)
    server.prediction.reset()
    assert server.prediction.settled == 0
    assert server.prediction.next_sequence(9) == 1
