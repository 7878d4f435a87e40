"""The result of an exam or a study session: totals, domains, readiness, time; and the way to its items."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen

from exams.report import Report
from tui.actions import Acts, action
from tui.app import breakfix
from tui.paths import transcripts_folder
from tui.widgets.exam_told import result_head, result_rows
from tui.widgets.footer import Footer
from tui.widgets.rows import Row, Rows


class ExamResult(Screen[None], Acts):
    """The report on an attempt of the exam `source`; `again` as a sitting has it."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Result",
        """
        What you earned, by domain. A few items tell little: the notes and the interval say how little. No pass mark is
        published, so none is shown. Look at the items again with their explanations: all of them, or those that were
        wrong, flagged or unsure.
        """,
    )
    CSS: ClassVar[str] = """
    ExamResult #head { dock: top; padding: 0 1; background: $panel; }
    ExamResult #result { height: 1fr; padding: 1 1 0 1; }
    """
    AUTO_FOCUS = "#result"

    def __init__(self, found: Report, source: str, again: str | None = None) -> None:
        super().__init__()
        self.found, self.source, self.again = found, source, again

    def compose(self) -> ComposeResult:
        yield Rows(result_head(self.found, self.again), id="head")
        with VerticalScroll(id="result"):
            rows = result_rows(self.found, breakfix(self).glyphs, self.again)
            yield Rows(rows if self.found.lines else [Row("No item was studied.")])
        yield Footer()

    @property
    def has_items(self) -> bool:
        """Whether there are items to look at."""
        return bool(self.found.lines)

    @property
    def has_wrong(self) -> bool:
        """Whether something was wrong."""
        return bool(self.found.select("wrong"))

    @property
    def has_flagged(self) -> bool:
        """Whether something was flagged."""
        return bool(self.found.select("flagged"))

    @action("result.wrong", "Wrong ones", "w", footer=10, when="has_wrong")
    def wrong(self) -> None:
        """Look at the items that were not right, with their explanations."""
        self._review("wrong")

    @action("result.all", "All items", "a", footer=11, when="has_items")
    def all(self) -> None:
        """Look at all items with their explanations."""
        self._review("all")

    @action("result.flagged", "Flagged ones", "f", footer=12, when="has_flagged")
    def flagged(self) -> None:
        """Look at the items with a flag."""
        self._review("flagged")

    def _review(self, which: str) -> None:
        from tui.screens.exam_review import ExamReview

        self.app.push_screen(ExamReview(self.found, self.source, which))

    @action("result.save", "Save as a page", "s", footer=20)
    def save(self) -> None:
        """Write a page (HTML) with the result and all items, to print or to keep."""
        from exams.html import result_page

        attempt = self.found.attempt
        ended = datetime.fromtimestamp(attempt.clock or attempt.paper.started)
        path = free_path(transcripts_folder(), f"{attempt.paper.blueprint}-{ended:%Y-%m-%d}", ".html")
        write(self, path, result_page(self.found, f"{ended:%Y-%m-%d %H:%M}"))

    @action("result.home", "Home", "h", "escape", footer=30)
    def home(self) -> None:
        """Done."""
        breakfix(self).go_home()


def write(screen: Screen[None], path: Path, text: str) -> None:
    """Write a file, and say where it is or why it is not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        screen.notify(f"It can't be saved: {error.strerror} ({path})", severity="error", markup=False)
        return
    screen.notify(f"Saved as {path}", timeout=10, markup=False)


def free_path(folder: Path, name: str, ending: str) -> Path:
    """A file of that name, with a number if there is one already."""
    path, number = folder / f"{name}{ending}", 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}{ending}"
    return path
