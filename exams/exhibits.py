"""Exhibits: what an item shows at a seed, and the world that it was shown by, to be asked for facts or to be opened.

A seeded world stands `lead` after the site's start with the item's faults and noise in it; the lines are typed there on
the login host by the learner, and everything is kept as it stood on the terminal.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.facts.expression import Expression
from engine.facts.fact import View
from engine.facts.facts import Facts
from engine.facts.values import Value, ValueType
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from exams.item import Exhibit, Item
from scenarios.model import Choice, FaultUse
from scenarios.patterns import plain_text
from scenarios.templates import fill, time_offset
from scenarios.terminals import FrontEnd, OpenWorld, ShellTerminals
from scenarios.vary import Choices, choose, name_types

COLUMNS, ROWS = 80, 24
LONGEST_LINE_TIME = time_offset("1h")
"""How long a line may run in simulated time; then Ctrl-C is pressed."""

LINES_LIMIT = 2_000
"""An exhibit is read by a person, and every attempt stores it."""


@dataclass(frozen=True)
class Varying:
    """What the seed chooses in an item's exhibit, in the form that scenarios have."""

    id: str
    exhibit: Exhibit

    @property
    def vary(self) -> Mapping[str, Choice]:
        return self.exhibit.vary

    @property
    def lead(self) -> str:
        return self.exhibit.lead


@dataclass(frozen=True)
class Shown:
    """An exhibit at a seed: its lines, the numbers of those that were typed (from 1), names and their values.

    `simulation` is the world in which the last line has ended; nobody may change it (see `world`).
    """

    lines: tuple[str, ...] = ()
    typed: tuple[int, ...] = ()
    choices: Choices = field(default_factory=Choices)
    varying: Varying | None = None
    simulation: Simulation[World] | None = None

    def fill(self, text: str) -> str:
        """A text of the item with what the seed chose."""
        return fill(text, self.choices.texts)

    def holds(self, fact: str) -> bool:
        """Whether a fact is true of what is shown."""
        return bool(self._ask(Facts().check_truth(fact, self._types)))

    def value(self, fact: str) -> tuple[Value, Expression]:
        """The value of a fact, and the expression with its type."""
        expression = Facts().check(fact, self._types)
        return self._ask(expression), expression

    def world(self) -> Simulation[World]:
        """A world of one's own that stands where the exhibit ends. Raises BreakfixError if there is none."""
        return self._standing.fork()

    @property
    def _standing(self) -> Simulation[World]:
        if self.simulation is None:
            raise BreakfixError("this exhibit is a text; there is no cluster behind it")
        return self.simulation

    @property
    def _types(self) -> dict[str, ValueType]:
        return name_types(self.varying) if self.varying else {}

    def _ask(self, expression: Expression) -> Value:
        simulation = self._standing
        return expression.ask(View(simulation.world, simulation.now), self.choices.facts)


class Exhibits:
    """Shows exhibits, and keeps the last ones: reading a key and opening the shell ask for the same again."""

    def __init__(self, open_world: OpenWorld = ShellTerminals, keep: int = 16) -> None:
        self._open_world = open_world
        self._keep = keep
        self._shown: OrderedDict[tuple[str, int, str], Shown] = OrderedDict()

    async def show(self, item: Item, seed: int) -> Shown:
        """The exhibit of an item at a seed. Raises BreakfixError if it cannot stand there."""
        exhibit = item.exhibit
        if exhibit is None or exhibit.site is None:
            return Shown(tuple(_lines(exhibit.text)) if exhibit and exhibit.text else ())
        key = (item.id, seed, repr(exhibit))
        if key not in self._shown:
            self._shown[key] = await _run(Varying(item.id, exhibit), exhibit.site, seed, self._open_world)
            while len(self._shown) > self._keep:
                self._shown.popitem(last=False)
        self._shown.move_to_end(key)
        return self._shown[key]


async def _run(varying: Varying, site: str, seed: int, open_world: OpenWorld) -> Shown:
    exhibit = varying.exhibit
    simulation = open_site(site, seed, exhibit.settings)
    choices = choose(varying, simulation, "item")
    arrival = time_offset(fill(exhibit.lead, choices.texts))
    for use in (*exhibit.noise, *exhibit.faults):
        _schedule(simulation, use, arrival, choices)
    simulation.advance_to(arrival)
    lines, typed = await _type(simulation, [fill(line, choices.texts) for line in exhibit.lines], open_world)
    return Shown(lines, typed, choices, varying, simulation)


def _schedule(simulation: Simulation[World], use: FaultUse, arrival: int, choices: Choices) -> None:
    """Let a fault begin at its onset."""
    from engine.faults.fault import InjectFault

    onset = arrival + time_offset(fill(use.onset, choices.texts))
    if onset < 0:
        raise BreakfixError(f"{use.fault}: {use.onset} lies before the site's start", "Make `lead` larger.")
    parameters = tuple((name, fill(value, choices.texts)) for name, value in sorted(use.parameters.items()))
    simulation.apply(InjectFault(use.fault, fill(use.target, choices.texts), parameters, onset))


async def _type(
    simulation: Simulation[World], lines: list[str], open_world: OpenWorld
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Type lines on the login host. Returns the lines of the screen, and the numbers of those with a prompt."""
    inventory = simulation.world.inventory
    terminals = open_world(simulation)
    terminal = terminals.open(inventory.login_host, inventory.learner, 1, FrontEnd(COLUMNS, ROWS))
    screen: list[str] = []
    typed: list[int] = []
    try:
        for line in lines:
            screen.append(plain_text(terminal.prompt) + line)
            typed.append(len(screen))
            result = await terminal.run_line(line, simulation.now + LONGEST_LINE_TIME)
            screen += _lines(plain_text(result.output.decode("utf-8", "replace")))
            if len(screen) > LINES_LIMIT:
                raise BreakfixError(f"{line} shows more than {LINES_LIMIT} lines", "Show less: `| head`, a query.")
    finally:
        terminals.close()
    return tuple(screen), tuple(typed)


def _lines(text: str) -> list[str]:
    """The lines of a screen, with tabs as the columns that they lead to."""
    return text.expandtabs(8).removesuffix("\n").split("\n") if text else []
