"""What a companion has noted is before its eyes when it begins, after a change and after a summary."""

from __future__ import annotations

from pathlib import Path

from numen.agent import Limits
from numen.session import Notebook
from numen.testing.endpoint import RecordedRequest, Reply, calls, says
from numen.tool import ToolContext
from tests.agent.bench import Bench, ToyBody, assert_legal, results
from tests.agent.test_context import SUMMARY, is_summary
from tools.notes import forget, recall, remember


class NotingBench(Bench):
    """A bench whose companion has a notebook and the tools for it."""

    def __init__(self, folder: Path, *script: Reply, **settings: object) -> None:
        super().__init__(*script, **settings)  # type: ignore[arg-type]
        self.book = Notebook(folder)
        for each in (remember, recall, forget):
            self.registry.register(each)

    def new_mind(self):  # type: ignore[no-untyped-def]
        mind = super().new_mind()
        mind._notes = self.book
        mind.context = ToolContext(
            companion="Numen", owner="Steve", services={ToyBody: self.body, Notebook: self.book}
        )
        return mind


async def test_notes_are_written_read_and_thrown_away_by_tools(tmp_path: Path) -> None:
    note = {"name": "home", "type": "world", "description": "our house", "content": "At 1 64 2."}
    script = (
        calls(("remember", note)),
        calls(("recall", {"name": "home"})),
        calls(("recall", {"name": "house"})),
        calls(("forget", {"name": "home"})),
        says("Done."),
    )
    async with NotingBench(tmp_path, *script) as bench:
        await bench.ask("note our home")

        sent = bench.request()
        assert sent[4]["content"] == '<note name="home" type="world">\nAt 1 64 2.\n</note>'
        assert "there are: home" in sent[6]["content"]
        assert results([sent[8]])[0]["message"] == "forgot home"
        assert bench.book.all() == []


async def test_the_index_is_told_once_and_again_after_a_change(tmp_path: Path) -> None:
    async with NotingBench(tmp_path, *[says("ok")] * 4) as bench:
        bench.book.write("home", "world", "our house")
        for text in ("a", "b"):
            await bench.ask(text)
        bench.book.write("likes", "owner", "oak")
        await bench.ask("c")
        for name in ("likes", "home"):
            bench.book.forget(name)
        await bench.ask("d")

        told = [each["content"] for each in bench.request() if each["role"] == "user"]
        assert told[0] == "<notes>\n- home (world): our house\n</notes>\n<query>a</query>"
        assert told[1] == "<query>b</query>"
        assert told[2].startswith("<notes>\n- home (world): our house\n- likes (owner): oak\n</notes>")
        assert told[3] == "<notes>none any more</notes>\n<query>d</query>"


async def test_notes_survive_a_summary(tmp_path: Path) -> None:
    numbers = iter(range(10_000))

    def brain(request: RecordedRequest) -> Reply:
        if is_summary(request):
            return SUMMARY
        number = next(numbers)
        if number == 50:
            return says("Done.")
        return calls(("craft", {"item_id": f"{number}_" + "x" * 400}), usage=None)

    async with NotingBench(tmp_path, brain=brain, limits=Limits(context_tokens=6_000)) as bench:
        bench.book.write("home", "world", "our house")
        await bench.ask("work")

        first = bench.request()[0]["content"]
        assert first.startswith("<summary>")
        assert "- home (world): our house" in first
        assert_legal(bench.request())
