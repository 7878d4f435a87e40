"""The real shell behind the form in which scenarios use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache, partial

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from scenarios.journal import Entry
from scenarios.replay import Replay
from scenarios.terminals import FrontEnd, LineResult, ShellTerminals, Terminal


@cache
def _site() -> Simulation[World]:
    return open_site("dgx-h100-4", 3)


def with_terminals(work: Callable[[ShellTerminals], Awaitable[object]]) -> object:
    async def run() -> object:
        terminals = ShellTerminals(_site().fork())
        try:
            return await work(terminals)
        finally:
            terminals.close()

    return asyncio.run(run())


def opened(terminals: ShellTerminals, number: int = 1) -> Terminal:
    return terminals.open("head-01", "alex", number, FrontEnd())


def test_a_line_is_run_and_timed() -> None:
    async def work(terminals: ShellTerminals) -> LineResult:
        return await opened(terminals).run_line("sleep 5; echo $((6*7)); false")

    assert with_terminals(work) == LineResult(1, b"42\n", 0, 5 * SECOND)


def test_a_line_is_cut_off_at_a_time() -> None:
    async def work(terminals: ShellTerminals) -> tuple[LineResult, LineResult]:
        terminal = opened(terminals)
        cut = await terminal.run_line("sleep 100; echo late", 7 * SECOND)
        return cut, await terminal.run_line("sleep 1; echo after", 60 * SECOND)

    assert with_terminals(work) == (
        LineResult(130, b"", 0, 7 * SECOND, cancelled=True),
        LineResult(0, b"after\n", 7 * SECOND, 8 * SECOND),
    )


def test_lines_of_several_terminals_overlap() -> None:
    async def work(terminals: ShellTerminals) -> list[tuple[str, int]]:
        ended: list[tuple[str, int]] = []

        async def one(number: int, line: str) -> None:
            result = await opened(terminals, number).run_line(line)
            ended.append((result.output.decode().strip(), result.ended // SECOND))

        await terminals.together(
            [(0, partial(one, 1, "sleep 9; echo slow")), (2 * SECOND, partial(one, 2, "sleep 1; echo quick"))]
        )
        return ended

    assert with_terminals(work) == [("quick", 3), ("slow", 9)]


def test_a_replay_runs_overlapping_lines_at_their_times() -> None:
    def line(text: str, start: int, end: int, terminal: int, cancelled: bool = False) -> Entry:
        return Entry(
            "line",
            start * SECOND,
            end * SECOND,
            text,
            terminal=terminal,
            host="head-01",
            user="alex",
            cancelled=cancelled,
        )

    entries = [
        line("date +%S", 4, 4, 2),
        line("for i in 1 2 3 4 5 6; do sleep 3; date +%S; done", 1, 10, 1, cancelled=True),
        line("date +%S", 20, 20, 1),
    ]

    async def run() -> list[str]:
        shown = await Replay(_site().fork(), ShellTerminals).run(list(enumerate(entries)))
        return [shown[number].text for number in range(3)]

    assert asyncio.run(run()) == ["04\n", "04\n07\n10\n", "20\n"]
