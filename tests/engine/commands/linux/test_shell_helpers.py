"""What the shell's prologue hands over: `test -L`, and printf's times."""

from __future__ import annotations

import asyncio

import pytest

from engine.commands.context import Context, Place
from engine.commands.linux._support import links, printf_time
from engine.commands.linux._support.words import listed, name, word
from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.run import AdvancingClock, BytesInput, BytesOutput, OwnCommands


def context(simulation: Simulation[World], *words: str, **environment: str) -> Context:
    who = identity(simulation.world.inventory, "alex")
    place = Place("head-01", who, environment, "/etc")
    clock, out, err = AdvancingClock(simulation), BytesOutput(), BytesOutput()
    runner = OwnCommands(simulation, clock, BytesInput(), out, err)
    tree = HostTree(simulation, "head-01", who)
    return Context("helper", words, place, simulation, tree, BytesInput(), out, err, clock, runner)


def test_links(simulation: Simulation[World]) -> None:
    assert asyncio.run(links.run(context(simulation, "/etc/mtab"))) == 0
    assert asyncio.run(links.run(context(simulation, "mtab"))) == 0
    for words in (("/etc/passwd",), ("/nosuch",), ("",), ()):
        assert asyncio.run(links.run(context(simulation, *words))) == 1


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("%(%F %T)T\\n", "-1"), "2026-11-30 09:00:00\n"),
        (("%(%F)T",), "2026-11-30"),
        (("[%(%s)T] %s\\n", "0", "x"), "[0] x\n"),
        (("%s %(%H)T|", "a", "0", "b", "3600"), "a 00|b 01|"),
        (("%-6s|%5d|%%", "ab", "7"), "ab    |    7|%"),
        (("-v", "x", "%(%Y)T", "-2"), "2026"),
    ],
)
def test_printf_times(words: tuple[str, ...], printed: str, simulation: Simulation[World]) -> None:
    ctx = context(simulation, *words)
    assert asyncio.run(printf_time.run(ctx)) == 0
    assert ctx.stdout.text == printed  # type: ignore[attr-defined]


def test_names_are_quoted_as_a_shell_would() -> None:
    assert listed("plain") == "plain" and listed("sp ace") == "'sp ace'"
    assert name("it's") == '"it\'s"' and name("a\nb") == "'a'$'\\n''b'"
    assert word({"LANG": "C.UTF-8"}, "x") == "‘x’" and word({}, "x") == "'x'"
