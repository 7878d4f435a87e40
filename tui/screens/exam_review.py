"""Looking at the items of an attempt again, each with everything there is to say about it."""

from __future__ import annotations

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.screen import Screen

from exams.rendered import Rendered
from exams.report import Line, Report
from exams.report_text import clock
from tui.actions import Acts, action
from tui.app import breakfix
from tui.paths import item_reports_folder
from tui.screens.exam_result import free_path, write
from tui.widgets.exam_item import ItemView
from tui.widgets.exam_told import item_told
from tui.widgets.footer import Footer
from tui.widgets.rows import MUTED, Row, Rows


class ExamReview(Screen[None], Acts):
    """The items of a report: all, or those that were `wrong`, `flagged` or `unsure`, of one domain or of all."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Review",
        """
        One item after the other with the right answer, why each possible answer is right or wrong, and where it says
        so. Choose which items: all, wrong, flagged or unsure ones, and of which domain.
        """,
    )
    AUTO_FOCUS = ""
    CSS: ClassVar[str] = """
    ExamReview #head { dock: top; padding: 0 1; background: $panel; }
    """

    def __init__(self, found: Report, source: str, which: str = "all") -> None:
        super().__init__()
        self.found, self.source, self.which = found, source, which
        self.domain: str | None = None
        self._place = 0

    def compose(self) -> ComposeResult:
        yield Rows(id="head")
        yield ItemView(id="item")
        yield Footer()

    async def on_mount(self) -> None:
        """Show the first one."""
        await self._show()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The items that were asked for."""
        return self.found.select(self.which, self.domain)

    @property
    def line(self) -> Line | None:
        """The item in view."""
        return self.lines[self._place] if self._place < len(self.lines) else None

    async def _show(self) -> None:
        line, glyphs = self.line, breakfix(self).glyphs
        self.query_one("#head", Rows).show([self._head()])
        if line is None:
            await self.query_one(ItemView).remove_children()
            self.query_one(Footer).look_again()
            return
        attempt = self.found.attempt
        item, response = attempt.items[line.number - 1], attempt.responses[line.number - 1]
        about = ", ".join(part for part in (self._objective(line), line.confidence or "") if part)
        told = item_told(item, response, line.mark, glyphs)
        await self.query_one(ItemView).tell(item, response, told, about)
        self.query_one(Footer).look_again()

    def _head(self) -> Row:
        titles = {part.id: part.title for part in self.found.attempt.paper.domains}
        which = {"all": "all items", "wrong": "wrong ones", "flagged": "flagged ones", "unsure": "unsure ones"}
        place = f"{self._place + 1} of {len(self.lines)}" if self.lines else "none"
        domain = titles.get(self.domain, self.domain) if self.domain else "all domains"
        line = self.line
        about = f", {clock(line.milliseconds)}" if line is not None else ""
        flag = f"  {breakfix(self).glyphs.pin} flagged" if line is not None and line.flagged else ""
        number = f"item {line.number}  " if line is not None else ""
        return Row(
            f"{domain}{about}{flag}",
            MUTED,
            ((f"{number}", "bold $accent"), (f"{which[self.which]}: {place}  ", "bold")),
            cut=True,
        )

    def _objective(self, line: Line) -> str:
        titles = {part.id: part.title for part in self.found.attempt.paper.objectives}
        return titles.get(line.objective, line.objective)

    @action("review.next", "Next", "right", "n", "enter", "f8", footer=10)
    async def next(self) -> None:
        """The next item."""
        await self._go(self._place + 1)

    @action("review.previous", "Previous", "left", "p", "f7", footer=35)
    async def previous(self) -> None:
        """The item before."""
        await self._go(self._place - 1)

    async def _go(self, place: int) -> None:
        if 0 <= place < len(self.lines):
            self._place = place
            await self._show()

    async def _select(self, which: str, domain: str | None) -> None:
        """Other items; the one in view stays if it is among them."""
        number = self.line.number if self.line else 0
        self.which, self.domain = which, domain
        numbers = [line.number for line in self.lines]
        self._place = numbers.index(number) if number in numbers else 0
        await self._show()

    @action("review.all", "All", "a", footer=20)
    async def all(self) -> None:
        """All items."""
        await self._select("all", self.domain)

    @action("review.wrong", "Wrong", "w", footer=21)
    async def wrong(self) -> None:
        """Items that were not right."""
        await self._select("wrong", self.domain)

    @action("review.flagged", "Flagged", "f", footer=22)
    async def flagged(self) -> None:
        """Items with a flag."""
        await self._select("flagged", self.domain)

    @action("review.unsure", "Unsure", "u", footer=23)
    async def unsure(self) -> None:
        """Items of which you were not sure, or guessed."""
        await self._select("unsure", self.domain)

    @action("review.domain", "Domain", "d", footer=24)
    async def next_domain(self) -> None:
        """Only the items of one domain, the next time of the next one; after the last one, those of all."""
        known = [None, *(group.id for group in self.found.domains if group.score.n)]
        place = known.index(self.domain) if self.domain in known else 0
        await self._select(self.which, known[(place + 1) % len(known)])

    @property
    def has_item(self) -> bool:
        """Whether an item is in view."""
        return self.line is not None

    @property
    def can_practise(self) -> bool:
        """Whether there is a drill that trains what the item asks."""
        return self.line is not None and bool(self._item.practise)

    @property
    def has_cluster(self) -> bool:
        """Whether the exhibit's cluster can be opened."""
        return self.line is not None and bool(self._item.typed)

    @property
    def _item(self) -> Rendered:
        assert self.line is not None
        return self.found.attempt.items[self.line.number - 1]

    @action("review.shell", "Open in the shell", "o", footer=30, when="has_cluster")
    def open_shell(self) -> None:
        """Look around on the cluster that the exhibit shows."""
        from exams.catalogue import find
        from exams.exhibits import Exhibits
        from tui.screens.exam_lab import show_cluster

        async def work() -> None:
            await show_cluster(self, Exhibits(), find(self.source).item(self._item.item), self._item.seed)

        breakfix(self).carry_out("Exhibit", work())

    @action("review.practise", "Practise", "e", footer=31, when="can_practise")
    def practise(self) -> None:
        """Leave this for a drill that trains what the item asks."""
        app, name = breakfix(self), self._item.practise[0]
        app.go_home()
        app.carry_out("Practise", app.open_drill(name))

    @action("review.report", "Report it", "r", footer=26, when="has_item")
    def report(self) -> None:
        """Write down what seems wrong with the item: a file for whoever keeps the bank."""
        from tui.screens.exam_note import ExamNote

        item, line = self._item, self.line
        about = "What is wrong with this item? It is written into a file; nothing is sent."

        def written(text: str | None) -> None:
            if not text or line is None:
                return
            told = {"item": item.item, "uuid": item.uuid, "seed": item.seed, "exam": self.found.attempt.paper.blueprint}
            page = f"{text}\n\n{json.dumps(told, indent=2)}\n"
            write(self, free_path(item_reports_folder(), item.item, ".txt"), page)

        self.app.push_screen(ExamNote("Report this item", about), written)

    @action("review.back", "Back", "escape", "h", footer=15)
    def back(self) -> None:
        """Back to the result."""
        self.dismiss(None)
