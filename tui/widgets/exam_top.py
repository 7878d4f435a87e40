"""The first line of an exam: what it is, which item is in view, how much is answered, and the time that is left."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from exams.report_text import clock
from tui.app import breakfix
from tui.live.exam import Sitting
from tui.live.exam_answers import standing
from tui.widgets.rows import MUTED, Piece

LITTLE_TIME = 5 * 60_000
"""Milliseconds from which on the line says that little time is left; in a short exam, from a tenth of it on."""


class ExamTop(Widget):
    """` NCA-AIIO exam  item 23 of 50  flagged  12 answered      38:42 left `."""

    DEFAULT_CSS = """
    ExamTop { height: 1; dock: top; background: $panel; color: $foreground; text-wrap: nowrap; }
    """

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        self._shown: list[Piece] = []

    def look_again(self) -> None:
        """The time has gone on, or something else has changed."""
        now = [*self._left(), *self._right()]
        if now != self._shown:
            self._shown = now
            self.refresh()

    def render(self) -> Content:
        """The left part, and the time on the right."""
        left, right = self._left(), self._right()
        cells = sum(cell_len(text) for text, _ in [*left, *right])
        return Content.assemble(*left, " " * max(self.size.width - cells, 1), *right)

    def _left(self) -> list[Piece]:
        sitting, glyphs = self.sitting, breakfix(self).glyphs
        attempt = sitting.attempt
        pieces = [(f" {attempt.paper.code} {attempt.paper.mode}  ", "bold $accent")]
        if attempt.items:
            pieces.append((f"item {sitting.number + 1} of {sitting.count}  ", "bold"))
            if sitting.response.flagged:
                pieces.append((f"{glyphs.pin} flagged  ", "$state-degraded"))
        if sitting.is_exam:
            return [*pieces, (standing(attempt), MUTED)]
        marked = [attempt.mark(number).right for number in attempt.counted]
        return [*pieces, (f"{sum(marked)} of {len(marked)} right", MUTED)]

    def _right(self) -> list[Piece]:
        left = self.sitting.time_left
        if left is None:
            return []
        if left <= min(LITTLE_TIME, (self.sitting.attempt.paper.time or 0) // 10):
            return [(f"{breakfix(self).glyphs.degraded} only {clock(left)} left ", "bold $state-degraded")]
        return [(f"{clock(left)} left ", "")]
