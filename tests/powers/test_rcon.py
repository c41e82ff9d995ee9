"""The remote console over real sockets: answers whole, failures told, never two requests at once."""

from __future__ import annotations

import asyncio

import pytest

from numen.powers.rcon import MAX_REQUEST, Rcon, RconError, WrongPassword
from tests.powers.console import console


def client(port: int, password: str = "s3cret", **kwargs: float) -> Rcon:
    return Rcon("127.0.0.1", port, lambda: password, **kwargs)


@pytest.mark.parametrize("length", [0, 1, 4095, 4096, 4097, 8192, 50_000])
async def test_an_answer_of_any_length_comes_whole(length: int) -> None:
    async with console(lambda command: ("äöü字" * length)[:length]) as server:
        rcon = client(server.port)
        assert await rcon.run("help") == ("äöü字" * length)[:length]
        assert await rcon.run("help again") == ("äöü字" * length)[:length]
        assert (server.asked, server.logins) == (["help", "help again"], 1)
        rcon.close()


async def test_commands_that_come_together_run_one_after_another() -> None:
    async with console(lambda command: command.upper() * 3000) as server:
        rcon = client(server.port)
        found = await asyncio.gather(*(rcon.run(each) for each in "abc"))
        assert found == [each * 3000 for each in "ABC"]
        rcon.close()


async def test_a_wrong_password_is_told_and_nothing_runs() -> None:
    async with console() as server:
        for password in ("guess", ""):
            with pytest.raises(WrongPassword, match="password"):
                await client(server.port, password).run("stop")
        assert server.asked == []


async def test_a_command_that_is_too_long_is_not_sent() -> None:
    async with console(len_of) as server:
        rcon = client(server.port)
        assert await rcon.run("x" * MAX_REQUEST) == str(MAX_REQUEST)
        for line in ("x" * (MAX_REQUEST + 1), "字" * 483, "say \0"):
            with pytest.raises(RconError) as caught:
                await rcon.run(line)
            assert not caught.value.sent
        assert len(server.asked) == 1
        rcon.close()


def len_of(command: str) -> str:
    return str(len(command))


async def test_after_a_restart_of_the_server_it_logs_in_again() -> None:
    async with console(lambda command: "ok") as server:
        rcon = client(server.port)
        assert await rcon.run("one") == "ok"
        server.hang_up()
        for _ in range(5):
            await asyncio.sleep(0)
        while True:
            try:
                assert await rcon.run("two") == "ok"
                break
            except RconError:
                continue
        assert server.logins == 2
        rcon.close()


async def test_a_command_whose_answer_is_lost_may_have_run() -> None:
    async with console(lambda command: "!") as server:
        with pytest.raises(RconError) as caught:
            await client(server.port).run("stop")
        assert caught.value.sent


async def test_silence_ends_and_the_late_answer_is_not_the_next_ones() -> None:
    async with console(lambda command: None if command == "slow" else "quick") as server:
        rcon = client(server.port, timeout_s=0.2)
        with pytest.raises(RconError, match="no answer") as caught:
            await rcon.run("slow")
        assert caught.value.sent
        assert await rcon.run("next") == "quick"
        rcon.close()


async def test_a_console_that_ignores_the_sentinel_is_understood() -> None:
    async with console(lambda command: "x" * 5000, knows_sentinel=False) as server:
        rcon = client(server.port, quiet_s=0.1)
        assert await rcon.run("list") == "x" * 5000
        rcon.close()


async def test_nobody_there_and_somebody_else_there() -> None:
    with pytest.raises(RconError, match="can't be reached"):
        await client(1).run("list")

    async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    server = await asyncio.start_server(web, "127.0.0.1", 0)
    async with server:
        with pytest.raises(RconError, match="no console"):
            await client(server.sockets[0].getsockname()[1]).run("list")
