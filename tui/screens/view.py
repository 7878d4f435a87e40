"""Views of what the learner has seen: a row of them, and from each a way to the others."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from tui.actions import Acts, action
from tui.live.live import Live
from tui.widgets.dialog import Dialog


@dataclass(frozen=True, slots=True)
class Turn:
    """A view that ends with this wants another one in its place, with the cursor on a component if `at` names one."""

    view: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A view by its place in the row: what it is called, and its class."""

    title: str
    module: str
    name: str


VIEWS = {
    "map": _Entry("Map", "map", "MapScreen"),
    "racks": _Entry("Racks", "racks", "Racks"),
    "fabric": _Entry("Fabric", "fabric", "FabricMap"),
    "queue": _Entry("Queue", "queue", "Queue"),
    "alerts": _Entry("Alerts", "alerts", "Alerts"),
    "charts": _Entry("Charts", "charts", "Charts"),
}
_NUMBERS = tuple(str(number) for number in range(1, len(VIEWS) + 1))


def view(name: str, live: Live, at: str | None = None) -> View:
    """The view of that name, with its cursor on a component where it can."""
    entry = VIEWS[name]
    made = getattr(importlib.import_module(f"tui.screens.{entry.module}"), entry.name)(live, at=at)
    assert isinstance(made, View)
    return made


class View(Dialog[str | Turn], Acts):
    """A view of the session `live`, with its cursor on the component `at` where it can. Its result is a host to open a
    terminal on, or the turn to another view.
    """

    VIEW = ""

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__()
        self.live, self.at = live, at

    def on_mount(self) -> None:
        """The row of views stands in the lower edge of the box."""
        if self.can_turn:
            self.query_one(".dialog").border_subtitle = self._row()

    def _row(self) -> str:
        told = []
        for number, (name, entry) in enumerate(VIEWS.items(), 1):
            text = f"{number} {entry.title}"
            told.append(f"[b $accent]{text}[/]" if name == self.VIEW else f"[@click=screen.turn('{name}')]{text}[/]")
        return "  ".join(told)

    @property
    def can_turn(self) -> bool:
        """Whether other views can be turned to from here."""
        return True

    @property
    def component(self) -> str | None:
        """What the cursor is on, for the view that comes next."""
        return None

    def action_turn(self, name: str) -> None:
        """To the view of that name."""
        if name != self.VIEW:
            self.dismiss(Turn(name, self.component))

    @action("view.turn", "View 1 to 6", *_NUMBERS, when="can_turn", takes_key=True)
    def turn(self, key: str = "1") -> None:
        """Another view of what you have seen: 1 map, 2 racks, 3 fabric, 4 queue, 5 alerts, 6 charts."""
        self.action_turn(list(VIEWS)[int(key or 1) - 1])
