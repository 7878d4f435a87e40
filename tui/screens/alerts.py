"""Alerts: everything that looked wrong when the learner last saw it, the worst first."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from tui.actions import action
from tui.app import breakfix
from tui.live.live import Live
from tui.screens.view import Turn, View
from tui.seen.alerts import alerts
from tui.seen.knowledge import Sighting
from tui.widgets.node_paint import age
from tui.widgets.pick_list import Line, PickList

EMPTY = "Nothing that you have seen looked wrong. What you have not looked at may."
_NAME_COLUMNS = 18
_SECONDS_BETWEEN_LOOKS = 1.0


class Alerts(View):
    """The alerts of a session: Enter shows the component on the map."""

    VIEW = "alerts"
    title_text = "Alerts: what looked wrong when you last saw it"
    ABOUT = (
        "Alerts",
        """
        Each line is one thing that a command showed as drained, degraded or down, and what stood in a log. It stays
        until a command shows it well again: nothing here is newer than your last look, which stands below the list.
        """,
    )
    CSS = """
    Alerts .dialog { width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }
    Alerts PickList { height: 1fr; }
    Alerts #alert { height: 3; border-top: solid $frame; padding: 0 1; color: $muted; }
    """

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__(live, at)
        self.list = PickList(id="alerts")
        self._known = -1
        self._shown: list[Sighting] = []

    def content(self) -> ComposeResult:
        """The alerts, and what showed the chosen one."""
        yield self.list
        yield Static(markup=False, id="alert")

    def on_mount(self) -> None:
        """Look at what is new now and then."""
        super().on_mount()
        self.list.focus()
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.show_session()

    def show_session(self) -> None:
        """Show the alerts as they are known now."""
        if self.live.knowledge.version != self._known:
            self._known = self.live.knowledge.version
            self._shown = alerts(self.live.knowledge)
            self.list.show(
                [self._line(number, one) for number, one in enumerate(self._shown)], self._place_of(self.at)
            )
            self.at = None
        self._tell()

    def _place_of(self, component: str | None) -> str | None:
        """The line of the first alert about a component."""
        return next((str(number) for number, one in enumerate(self._shown) if one.component == component), None)

    def _line(self, number: int, one: Sighting) -> Line:
        glyphs = breakfix(self).glyphs
        sign = glyphs.logged if one.logged else glyphs.of(one.state)
        text = f"{sign} {one.component:<{_NAME_COLUMNS}} {one.aspect}: {one.value}"
        when, word = age(self.live.simulation.now, one.at), "in a log" if one.logged else one.state.value
        return Line(text, f"{word}, {when}", str(number), "" if one.logged else one.state.tone)

    @property
    def chosen(self) -> Sighting | None:
        """The alert under the cursor."""
        line = self.list.line
        return self._shown[int(line.id)] if line else None

    @property
    def component(self) -> str | None:
        """What the alert under the cursor is about."""
        return self.chosen.component if self.chosen else None

    @on(PickList.Moved)
    def _tell(self) -> None:
        one = self.chosen
        text = EMPTY
        if one is not None:
            where = "in a log" if one.logged else one.state.value
            text = f"{one.component}, {one.aspect}: {one.value} ({where})\nby: {one.source}"
        self.query_one("#alert", Static).update(text)

    @on(PickList.Chosen)
    def _chosen(self) -> None:
        self.show_on_map()

    @action("alerts.map", "On the map", "m", footer=10, when="chosen")
    def show_on_map(self) -> None:
        """The component on the map, with all that is known of it."""
        self.dismiss(Turn("map", self.component))
