"""The page before an exam that was asked for on the command line: what it is; its time begins with Enter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from exams.catalogue import Course
from exams.paper import Terms, Told
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.exam import Sitting
from tui.live.exam_choices import about_minutes
from tui.widgets.footer import Footer
from tui.widgets.rows import ACCENT, MUTED, Row, Rows

Begin = Callable[[Told], Awaitable[Sitting]]

_RULES = (
    "You can go back and forth, flag items and change answers.",
    "Nothing is told before you hand in. When the time is over, it is handed in as it stands.",
    "A wrong answer takes nothing away.",
)


class ExamStart(Screen[None], Acts):
    """What an exam of `course` on these terms is; `begin` draws its paper and starts it."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Before an exam",
        "What the exam is, and its rules. The time begins when you press Enter and the items are ready.",
    )
    AUTO_FOCUS = "#page"
    CSS: ClassVar[str] = """
    ExamStart #head { dock: top; padding: 0 1; background: $panel; }
    ExamStart #page { height: 1fr; padding: 1 1 0 1; }
    ExamStart #said { height: 1; padding: 0 1; color: $accent; }
    """

    def __init__(self, course: Course, terms: Terms, seed: int | None, begin: Begin) -> None:
        super().__init__()
        self.course, self.terms, self.seed, self.begin_exam = course, terms, seed, begin
        self._opening = False

    def compose(self) -> ComposeResult:
        blueprint = self.course.blueprint
        lead = ((f"{blueprint.code}  ", f"bold {ACCENT}"),)
        yield Rows([Row(f"{blueprint.title}, {blueprint.level}", MUTED, lead, cut=True)], id="head")
        with VerticalScroll(id="page"):
            yield Rows(list(self._told()))
        yield Static("", id="said", markup=False)
        yield Footer()

    def _told(self) -> Iterator[Row]:
        yield Row("A practice exam", f"bold {ACCENT}")
        yield Row(f"{self._length()}, about {about_minutes(self.course.blueprint, self.terms)} minutes.")
        yield Row(
            "The time runs on while breakfix is closed."
            if self.terms.assigned
            else "The time stops while breakfix is closed."
        )
        yield Row(f"The paper of seed {self.seed}." if self.seed is not None else "Items that you have not seen first.")
        yield Row()
        yield from (Row(rule, lead=((f"{breakfix(self).glyphs.bullet} ", ACCENT),)) for rule in _RULES)
        yield Row()
        yield Row("No pass mark is published. The questions are original ones, none is from the real exam.", MUTED)
        yield Row()
        yield Row("Enter begins, and with it the time.", f"bold {ACCENT}")

    @property
    def _labs(self) -> int:
        asked, known = self.terms.labs, self.course.blueprint.hands_on
        return asked if asked is not None else known.count if known else 0

    def _length(self) -> str:
        items = f"{self.terms.count or self.course.blueprint.items} items"
        return f"{items} and {self._labs} labs" if self._labs else items

    @action("exam.start.begin", "Begin", "enter", footer=5)
    def begin(self) -> None:
        """Begin; the time runs as soon as the items are ready."""
        if self._opening:
            return
        self._opening = True
        self._say("Getting ready ...")
        breakfix(self).carry_out("The exam", self._begin())

    async def _begin(self) -> None:
        try:
            sitting = await self.begin_exam(self._ready)
        finally:
            self._opening = False
            self._say("")
        app = breakfix(self)
        self.dismiss(None)
        await app.open_sitting(sitting)
        for text in sitting.attempt.paper.shortfalls:
            app.notify(text, severity="warning", timeout=10, markup=False)

    def _ready(self, done: int, of: int) -> None:
        self._say(f"Getting ready: item {done + 1} of {of} ...")

    def _say(self, text: str) -> None:
        if self.is_attached:
            self.query_one("#said", Static).update(text)

    @action("exam.start.home", "Home", "escape", "h", "prefix q", footer=40)
    def home(self) -> None:
        """Not now."""
        breakfix(self).go_home()
