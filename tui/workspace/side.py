"""The column beside the terminals: guide, questions, briefing, pins, hints, impact and notes of a drill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from tui.actions import Acts, action
from tui.live.drill import LiveDrill
from tui.widgets.briefing_panel import BriefingPanel
from tui.widgets.guide_panel import GuidePanel
from tui.widgets.hints_panel import HintsPanel
from tui.widgets.impact_panel import ImpactPanel
from tui.widgets.notes_panel import NotesPanel
from tui.widgets.pins_panel import PinsPanel
from tui.widgets.questions_panel import QuestionsPanel

if TYPE_CHECKING:
    from tui.screens.workspace import Workspace


class Side(VerticalScroll, Acts):
    """The panels of a drill, one under the other."""

    ABOUT = (
        "Beside the terminals",
        """
        What you were told, what you pinned as evidence, hints, what your own acts have harmed, and your notes.
        Up and Down scroll, Tab goes on to the next panel, Escape goes back to the terminal.
        """,
    )

    def __init__(self, live: LiveDrill) -> None:
        super().__init__(id="side")
        self.live = live

    def compose(self) -> ComposeResult:
        if self.live.session.scenario.guide:
            yield GuidePanel(self.live)
        if self.live.session.scenario.questions:
            yield QuestionsPanel(self.live)
        yield BriefingPanel(self.live)
        if self.live.session.scenario.diagnosis:
            yield PinsPanel(self.live)
        if self.live.session.scenario.hints:
            yield HintsPanel(self.live)
        yield ImpactPanel(self.live)
        yield NotesPanel(self.live)

    def on_key(self, event: events.Key) -> None:
        """Whoever types means the terminal."""
        pane = self._workspace().area.pane
        if pane is not None and self.screen.focused is pane:
            event.stop()
            pane.post_message(event.__class__(event.key, event.character))  # typed fast: it came after the first letter
        elif event.is_printable and event.character:
            event.stop()
            self._workspace().type_in_terminal(event.character)

    def _workspace(self) -> Workspace:
        from tui.screens.workspace import Workspace

        screen = self.screen
        assert isinstance(screen, Workspace)
        return screen

    @action("side.leave", "Back to the terminal", "escape", footer=10)
    def leave(self) -> None:
        """Give the focus back to the terminal."""
        self._workspace().leave_side()
