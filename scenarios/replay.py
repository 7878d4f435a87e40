"""A session's lines and orders run again in another world, at the same times: what they would have shown there.

A line that the learner ended with Ctrl-C is ended at the same time. One that ended by itself may take a while longer in
the other world; what has not ended by then is cut off, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.records import HandsOrder
from engine.world.world import World
from scenarios.journal import Entry, ScreenEvent
from scenarios.terminals import FrontEnd, OpenWorld, Terminal, Terminals

PATIENCE = 10 * MINUTE
"""How much longer than in the real world a line may take."""

_REPLAYED = ("line", "other", "hands")


@dataclass(frozen=True, slots=True)
class Shown:
    """What an entry's line showed in the other world; `cut` if it did not end there."""

    text: str
    cut: bool = False


@dataclass
class Replay:
    """A world in which entries are run again. `shown` has what each showed, by its number."""

    simulation: Simulation[World]
    open_world: OpenWorld
    shown: dict[int, Shown] = field(default_factory=dict)
    _terminals: dict[int, Terminal] = field(default_factory=dict)
    _people: dict[int, StandIn] = field(default_factory=dict)

    async def run(self, entries: Sequence[tuple[int, Entry]], enough: Callable[[], bool] = bool) -> dict[int, Shown]:
        """Run numbered entries, until `enough()`. Returns `shown`."""
        world = self.open_world(self.simulation)
        try:
            for group in _overlapping([pair for pair in entries if pair[1].kind in _REPLAYED]):
                if enough():
                    break
                await world.pass_time(max(group[0][1].started - self.simulation.now, 0))
                await self._group(world, group)
        finally:
            world.close()
        return self.shown

    async def _group(self, world: Terminals, group: list[tuple[int, Entry]]) -> None:
        if len(group) == 1:
            await self._one(world, *group[0])
        else:
            await world.together([(entry.started, partial(self._one, world, number, entry)) for number, entry in group])

    async def _one(self, world: Terminals, number: int, entry: Entry) -> None:
        if entry.kind == "hands":
            action, target = entry.words
            order_hands(self.simulation, action, target, entry.user)
            return
        terminal = self._terminal(world, entry)
        person = self._people[entry.terminal]
        person.begin(entry)
        until = entry.ended if entry.cancelled else entry.ended + PATIENCE
        result = await terminal.run_line(entry.text, until)
        text = result.output.decode("utf-8", "replace") + person.frames
        self.shown[number] = Shown(text, cut=result.cancelled and not entry.cancelled)

    def _terminal(self, world: Terminals, entry: Entry) -> Terminal:
        known = self._terminals.get(entry.terminal)
        if known is None or known.closed:
            person = self._people[entry.terminal] = StandIn(world, *entry.size)
            front = replace(person.front, interactive=entry.kind == "line")
            self._terminals[entry.terminal] = world.open(entry.host, entry.user, entry.terminal, front)
        return self._terminals[entry.terminal]


class StandIn:
    """Stands in for the person at a terminal: gives the same answers and presses the same keys at the same times."""

    def __init__(self, world: Terminals, columns: int, rows: int) -> None:
        self._world, self._columns, self._rows = world, columns, rows
        self._answers: list[str | None] = []
        self._events: list[ScreenEvent] = []
        self.frames = ""

    @property
    def front(self) -> FrontEnd:
        """The front end that it is."""
        return FrontEnd(self._columns, self._rows, interactive=True, asker=self.ask, shower=self.show)

    def begin(self, entry: Entry) -> None:
        """What it does while this entry's line runs."""
        self._answers, self._events, self.frames = list(entry.answers), list(entry.screen), ""

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        """The next answer."""
        return self._answers.pop(0) if self._answers else None

    async def show(self, screen: Any, refresh: int | None) -> int | None:
        """Look at a full-screen program at the same times, and press the same keys."""
        if not self._events:
            return None
        while self._events:
            event = self._events.pop(0)
            await self._world.sleep_until(event.at)
            status = await screen.key(event.key) if event.key is not None else None
            if status is not None:
                return int(status)
            self.frames += "\n".join(screen.render(self._columns, self._rows)) + "\n"
        return 0


def order_hands(simulation: Simulation[World], action: str, target: str, by: str) -> HandsOrder | str:
    """Order work in the machine room. Returns the order, or why it was not taken."""
    from engine.hands.order import OrderHands

    order: HandsOrder | str = simulation.apply(OrderHands(action, target, by))
    return order


def _overlapping(entries: Sequence[tuple[int, Entry]]) -> list[list[tuple[int, Entry]]]:
    """Entries in order of time, those that overlap together."""
    groups: list[list[tuple[int, Entry]]] = []
    end = -1
    for number, entry in sorted(entries, key=lambda pair: (pair[1].started, pair[0])):
        if groups and entry.started < end:
            groups[-1].append((number, entry))
        else:
            groups.append([(number, entry)])
        end = max(end, entry.ended)
    return groups
