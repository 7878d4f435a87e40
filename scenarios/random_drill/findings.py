"""What looks show where a fault stands and not where it does not: the evidence of a drill that nobody wrote.

A look is taken twice, at the learner's arrival and some time later, with the fault and without it, each time on a copy
of the world. A line of output becomes a pattern if it, or it with any numbers in the place of its own, shows both times
with the fault and at no time without it: then it does not matter when the learner looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World
from scenarios.patterns import plain_text
from scenarios.terminals import FrontEnd, OpenWorld

LATER = 20 * MINUTE
_PATIENCE = 2 * MINUTE
_MOST_LENGTH = 160
_NUMBER = re.compile(r"\d[\d.,:]*")
_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")
_TELLING = re.compile(r"(?i)\b(err|fail|lost|down|xid|crit|warn|disabled|mismatch|unable|not|no|n/a|off|never|0x)\w*")


@dataclass(frozen=True, slots=True)
class Finding:
    """A look (the line that is typed), the line of its output that the fault makes appear, and an expression for it."""

    line: str
    text: str
    regex: str


@cache
def looks() -> tuple[str, ...]:
    """All looks, `{node}` for the node."""
    text = files("scenarios.random_drill").joinpath("looks.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


Outputs = dict[str, tuple[list[str], list[str]]]
"""The lines that each look showed, now and later."""


@dataclass
class Looker:
    """Takes looks at a node as the learner would, on copies of a world, now and later."""

    open_world: OpenWorld
    node: str

    async def outputs(self, world: Simulation[World]) -> Outputs:
        """The lines that each look shows now, and some time later."""
        later = world.fork()
        later.advance(LATER)
        now, then = await self._taken(world.fork()), await self._taken(later)
        return {look: (now[look], then[look]) for look in looks()}

    async def _taken(self, world: Simulation[World]) -> dict[str, list[str]]:
        """All looks, one after the other, in one terminal."""
        terminals, inventory = self.open_world(world), world.world.inventory
        terminal = terminals.open(inventory.login_host, inventory.learner, 1, FrontEnd(interactive=True))
        shown: dict[str, list[str]] = {}
        try:
            for look in looks():
                result = await terminal.run_line(look.replace("{node}", self.node), world.now + _PATIENCE)
                text = plain_text(result.output.decode("utf-8", "replace"))
                shown[look] = [line.strip() for line in text.splitlines() if line.strip()]
        finally:
            terminals.close()
        return shown


def findings(here: Outputs, twin: Outputs) -> Iterator[Finding]:
    """One finding for each look that shows something: its most telling line."""
    for look, (now, later) in here.items():
        elsewhere = [*twin[look][0], *twin[look][1]]
        known = set(elsewhere)
        new = [line for line in dict.fromkeys(now) if line not in known and 3 < len(line) <= _MOST_LENGTH]
        for line in sorted(new, key=lambda text: (not _TELLING.search(text), len(text), text)):
            regex = _lasting(line, now, later, elsewhere)
            if regex is not None:
                yield Finding(look, line, regex)
                break


def shows(regex: str, lines: list[str]) -> bool:
    """Whether one of the lines shows it."""
    expression = re.compile(regex)
    return any(expression.search(line) for line in lines)


def _lasting(line: str, now: list[str], later: list[str], elsewhere: list[str]) -> str | None:
    """The widest expression for a line that shows at both times here, and never there."""
    for regex in (_with_any_numbers(line), _escaped(line)):
        if shows(regex, now) and shows(regex, later) and not shows(regex, elsewhere):
            return regex
    return None


def _escaped(text: str) -> str:
    spaced = r"\s+".join(_SPECIAL.sub(r"\\\1", word) for word in text.split())
    return f"^\\s*{spaced}"


def _with_any_numbers(line: str) -> str:
    """The line with any number where a word of it is one; numbers in names (dgx-02, gpu5) stay."""
    parts = [r"[\d.,:]+" if _NUMBER.fullmatch(word) else _SPECIAL.sub(r"\\\1", word) for word in line.split()]
    return "^\\s*" + r"\s+".join(parts)
