"""What the learner knows of each component: the last sighting of each of its aspects, and of numbers also those before.

The map and every chart read nothing else. A sighting comes from what a command printed on the screen
(`tui/seen/recognizers/`, one file per command).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.world.inventory import Inventory
from tui.look.glyphs import State
from tui.seen.series import Readings

SEVERITY = (State.UNKNOWN, State.OK, State.DRAINED, State.DEGRADED, State.DOWN)
"""States from the one that says least to the one that matters most."""

SEEN = "seen"
"""The word for what was seen without showing how it is."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """That `aspect` of `component` (an id such as dgx-02/gpu5) read `value` when a line ended.

    `state` is how that looks; `at` is ns since the site's start; `source` the line that showed it. `logged`: it stood
    in a log, which says what was and not what is.
    """

    component: str
    aspect: str
    value: str
    state: State
    at: int
    source: str
    logged: bool = False


def worst(states: Iterable[State]) -> State:
    """The state that matters most."""
    return max(states, key=SEVERITY.index, default=State.UNKNOWN)


class Knowledge:
    """All sightings of a session. `version` grows with each thing learnt."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.sightings: dict[str, dict[str, Sighting]] = {}
        self.readings = Readings()
        self.version = 0
        self._parts: dict[str, dict[str, None]] = {}

    def take(self, host: str, line: str, output: str, at: int) -> None:
        """Learn from a line that was typed on `host` and printed `output`."""
        from tui.seen.recognize import recognize

        for sighting in recognize(self.inventory, host, line, output, at):
            self.note(sighting)

    def note(self, sighting: Sighting) -> None:
        """Keep a sighting in the place of the earlier one of its aspect."""
        self.sightings.setdefault(sighting.component, {})[sighting.aspect] = sighting
        if not sighting.logged:
            self.readings.take(sighting.component, sighting.aspect, sighting.value, sighting.at)
        host, slash, _ = sighting.component.partition("/")
        if slash:
            self._parts.setdefault(host, {})[sighting.component] = None
        self.version += 1

    def of(self, component: str) -> Mapping[str, Sighting]:
        """The last sighting of each aspect of a component."""
        return self.sightings.get(component, {})

    def value(self, component: str, aspect: str) -> str | None:
        """What an aspect read when it was last seen; None if it never was."""
        found = self.of(component).get(aspect)
        return found.value if found else None

    def state(self, component: str) -> State:
        """How a component looks, a node with its parts: what is wrong with a part makes it degraded, not down."""
        of_parts = worst(self.own_state(part) for part in self.parts(component))
        return worst([self.own_state(component), State.DEGRADED if of_parts is State.DOWN else of_parts])

    def word(self, component: str) -> str:
        """Its state in a word. Much of what is seen, such as a temperature, says nothing of how a thing is."""
        state = self.state(component)
        seen = any(self.of(one) for one in self.whole(component))
        return SEEN if seen and state is State.UNKNOWN else state.value

    def own_state(self, component: str) -> State:
        """The worst of what was last seen of a component itself, its parts not counted."""
        return worst(one.state for one in self.of(component).values() if not one.logged)

    def logged(self, component: str) -> bool:
        """Whether a log had something about a component."""
        return any(one.logged for one in self.of(component).values())

    def seen_at(self, component: str) -> int | None:
        """When something of a component was last seen (ns since the site's start)."""
        return max((one.at for one in self.of(component).values()), default=None)

    def parts(self, host: str) -> tuple[str, ...]:
        """The ids of those parts of a host of which something was seen."""
        return tuple(self._parts.get(host, ()))

    def whole(self, host: str) -> Iterator[str]:
        """A host and those of its parts of which something was seen."""
        yield host
        yield from self.parts(host)
