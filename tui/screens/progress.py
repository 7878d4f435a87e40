"""Where the learner stands: drills by area, and exams by domain, as bars."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from textual import work
from textual.app import ComposeResult

from tui.app import breakfix
from tui.learning import Area, areas, packaged_drills
from tui.look.glyphs import ASCII
from tui.plain.exam_progress import ExamProgress, progress_in
from tui.played import results
from tui.widgets.dialog import Dialog
from tui.widgets.rows import ACCENT, MUTED, Piece, Row, Rows, title

_BAR_COLUMNS, _NAME_COLUMNS = 20, 26


class ProgressScreen(Dialog[None]):
    """The pictures. They are worked out in the background."""

    title_text = "Your progress"
    ABOUT = (
        "Your progress",
        """
        Of drills: how many of an area you have passed, and the mean of your best scores. Of exams: how many items of a
        domain you have seen, and how the last answers were. `breakfix progress` prints the same.
        """,
    )
    DEFAULT_CSS = """
    ProgressScreen .dialog { height: auto; max-height: 90%; width: 100%; max-width: 96; }
    """

    def content(self) -> ComposeResult:
        """The rows."""
        yield Rows([Row("Reading what you have done ...", MUTED)])

    def on_mount(self) -> None:
        """Read it; the box scrolls."""
        box = self.query_one(".dialog")
        box.can_focus = True
        box.focus()
        self.read()

    @work(exclusive=True)
    async def read(self) -> None:
        """Read what was done, and show it."""
        drills, exams = await asyncio.to_thread(lambda: (areas(packaged_drills(), results()), progress_in(None)))
        self.query_one(Rows).show([*self._drills(drills), *self._exams(exams)])

    def _drills(self, found: list[Area]) -> Iterator[Row]:
        yield title("Drills")
        for area in found:
            score = "" if area.score is None else f", best {area.score} of 100 on average"
            played = "" if area.played == area.passed else f" ({area.played} played)"
            told = f"{area.passed} of {area.drills} passed{played}{score}"
            yield self._bar(area.name, area.passed, area.drills, told)

    def _exams(self, found: list[ExamProgress]) -> Iterator[Row]:
        for exam in found:
            yield Row()
            yield title(f"{exam.blueprint.code}  {exam.blueprint.title}")
            for domain in exam.progress.domains:
                share = domain.score.share
                told = f"{domain.seen} of {domain.items} seen" + ("" if share is None else f", {round(share * 100)} %")
                yield self._bar(domain.title, domain.seen, domain.items, told)
        if not found:
            yield Row()
            yield Row("No exam was studied yet.", MUTED)

    def _bar(self, name: str, done: int, all_of_it: int, told: str) -> Row:
        full, empty = ("#", ".") if breakfix(self).glyphs is ASCII else ("█", "░")
        filled = _BAR_COLUMNS * done // all_of_it if all_of_it else 0
        short = name if len(name) <= _NAME_COLUMNS else name[: _NAME_COLUMNS - 1] + breakfix(self).glyphs.ellipsis
        lead: tuple[Piece, ...] = (
            (f"{short:<{_NAME_COLUMNS}} ", ""),
            (full * filled, ACCENT),
            (f"{empty * (_BAR_COLUMNS - filled)} ", MUTED),
        )
        return Row(told, lead=lead)
