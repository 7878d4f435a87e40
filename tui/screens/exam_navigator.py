"""All items of an exam at a glance, to go to one."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from tui.app import breakfix
from tui.live.exam import Sitting
from tui.live.exam_answers import standing
from tui.widgets.dialog import Dialog
from tui.widgets.exam_grid import ExamGrid
from tui.widgets.rows import MUTED, Row, Rows


class ExamNavigator(Dialog[int]):
    """The grid. Its result is the number of an item, from 0."""

    title_text = "Overview"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Overview",
        "Every item with its state. The arrow keys and Enter, or a click, go to one.",
    )
    DEFAULT_CSS = """
    ExamNavigator .dialog { width: 78; max-height: 96%; }
    """
    AUTO_FOCUS = "#grid"

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting

    def content(self) -> ComposeResult:
        yield ExamGrid(self.sitting)
        attempt = self.sitting.attempt
        flagged = sum(one.flagged for one in attempt.responses)
        yield Rows([Row(f"{standing(attempt)}, {breakfix(self).glyphs.pin} {flagged} flagged", MUTED)])

    def on_exam_grid_chosen(self, message: ExamGrid.Chosen) -> None:
        """Go there."""
        self.dismiss(message.number)
