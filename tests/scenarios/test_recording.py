"""What a person answers and does in full-screen programs is kept, and can be done again by a stand-in."""

from __future__ import annotations

import asyncio
from typing import Any

from engine.kernel.units import SECOND
from engine.simulation import open_site
from scenarios.journal import Entry, ScreenEvent
from scenarios.recording import Recording
from scenarios.replay import StandIn
from scenarios.terminals import FrontEnd
from tests.scenarios.fake import FakeTerminals


class Pager:
    """Shows the time, and ends with q."""

    def __init__(self, terminals: FakeTerminals) -> None:
        self.terminals, self.page = terminals, 1

    def render(self, columns: int, rows: int) -> list[str]:
        return [f"page {self.page} at {self.terminals.simulation.now // SECOND} of {columns}x{rows}"]

    async def key(self, name: str) -> int | None:
        self.page += name == "space"
        return 3 if name == "q" else None


async def reading(terminals: FakeTerminals, screen: Any) -> int | None:
    """A person who looks twice, turns the page and leaves."""
    screen.render(80, 24)
    screen.render(80, 24)
    terminals.simulation.advance(5 * SECOND)
    await screen.key("space")
    screen.render(80, 24)
    terminals.simulation.advance(2 * SECOND)
    status: int | None = await screen.key("q")
    return status


def test_a_stand_in_sees_what_the_person_saw() -> None:
    async def run() -> tuple[Entry, int | None, str, int | None]:
        base = open_site("dgx-h100-4", 1)
        real, twin = FakeTerminals(base.fork()), FakeTerminals(base.fork())

        async def show(screen: Any, refresh: int | None) -> int | None:
            return await reading(real, screen)

        async def answer(prompt: str, hidden: bool) -> str | None:
            return "secret"

        recording = Recording(real.simulation, FrontEnd(asker=answer, shower=show))
        assert recording.front.shower and recording.front.asker
        left = await recording.front.shower(Pager(real), None)
        assert await recording.front.asker("Password:", True) == "secret"
        entry = recording.onto(Entry("line", 0, real.simulation.now, "less x"))
        person = StandIn(twin, 80, 24)
        person.begin(entry)
        again = await person.show(Pager(twin), None)
        assert await person.ask("Password:", True) == "secret"
        assert await person.ask("Password:", True) is None
        return entry, left, person.frames, again

    entry, left, frames, again = asyncio.run(run())
    assert left == again == 3
    assert entry.frames == "page 1 at 0 of 80x24\npage 2 at 5 of 80x24\n"
    assert set(entry.frames.splitlines()) <= set(frames.splitlines())
    assert entry.screen == (
        ScreenEvent(0),
        ScreenEvent(5 * SECOND, "space"),
        ScreenEvent(5 * SECOND),
        ScreenEvent(7 * SECOND, "q"),
    )
    assert entry.answers == ("secret",)


def test_where_nobody_looks_there_is_no_screen() -> None:
    async def run() -> None:
        terminals = FakeTerminals(open_site("dgx-h100-4", 1))
        recording = Recording(terminals.simulation, FrontEnd())
        assert recording.front.shower and recording.front.asker
        assert await recording.front.shower(Pager(terminals), None) is None
        assert await recording.front.asker("?", False) is None
        assert await StandIn(terminals, 80, 24).show(Pager(terminals), None) is None

    asyncio.run(run())
