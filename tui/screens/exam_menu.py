"""What can be done with an exam: take it, study for it, do today's review; with what can be chosen about each."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from engine.kernel.errors import BreakfixError
from tui.actions import Acts, action
from tui.app import breakfix
from tui.exam_history import PastResult, load_history, new_seed, past_results
from tui.live.exam import Sitting, begin_exam, begin_study, how_many, wanted_items
from tui.live.exam_choices import TYPED, ExamChoices
from tui.widgets.exam_menu_told import about
from tui.widgets.footer import Footer
from tui.widgets.pick_list import Line, PickList
from tui.widgets.rows import ACCENT, MUTED, Row, Rows

if TYPE_CHECKING:
    from exams.progress import Outcome

WIDE_COLUMNS = 100
"""From this width on the details stand beside the list."""

_CHOICES = {
    "items": "Items",
    "extra": "Extra time",
    "assigned": "Time while closed",
    "seed": "Seed",
    "which": "Which items",
    "domain": "Domain",
    "objective": "Objective",
    "study_items": "At most",
}
_RESULTS = 5


class MenuList(PickList):
    """Its lines begin something, show a result, or are choices, which Enter changes."""

    @property
    def on_choice(self) -> bool:
        """Whether the cursor stands on something that can be chosen."""
        return self.line is not None and self.line.id in _CHOICES

    @property
    def on_entry(self) -> bool:
        """Whether the cursor stands on something that is opened."""
        return self.line is not None and not self.on_choice

    @action("list.choose", "Choose", "enter", footer=5, when="on_entry")
    def choose(self) -> None:
        """Open what the cursor stands on."""
        super().choose()

    @action("exam.menu.change", "Change", "enter", footer=5, when="on_choice")
    def change(self) -> None:
        """The next value of the choice under the cursor."""
        super().choose()


class ExamMenu(Screen[None], Acts):
    """The menu of the exam `source` (a name or a file)."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Exam",
        """
        Enter begins what the cursor stands on. Left and Right change what can be chosen. The details say what each
        line means.
        """,
    )
    AUTO_FOCUS = "#list"
    CSS: ClassVar[str] = """
    ExamMenu #head { dock: top; padding: 0 1; background: $panel; }
    ExamMenu #choice { height: 1fr; layout: vertical; }
    ExamMenu #list { height: 1fr; border: round $frame; }
    ExamMenu #list:focus { border: round $accent; }
    ExamMenu #details { height: 8; border: round $frame; padding: 0 1; }
    ExamMenu #details:focus { border: round $accent; }
    ExamMenu.wide #choice { layout: horizontal; }
    ExamMenu.wide #list { width: 3fr; height: 1fr; }
    ExamMenu.wide #details { width: 2fr; height: 1fr; }
    ExamMenu #said { height: 1; padding: 0 1; color: $state-degraded; }
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.choices: ExamChoices | None = None
        self.history: list[Outcome] = []
        self._results: list[PastResult] = []
        self._scores: dict[str, str] = {}
        self._due = 0
        self._opening = False
        self._list = MenuList([Line("Reading the items ...")], id="list")

    def compose(self) -> ComposeResult:
        yield Rows([Row("", lead=(("Exam", f"bold {ACCENT}"),))], id="head")
        with Container(id="choice"):
            yield self._list
            with VerticalScroll(id="details"):
                yield Rows()
        yield Static("", id="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read the items once this is on the screen."""
        self.call_after_refresh(self.read)

    def on_resize(self, event: events.Resize) -> None:
        """The details go beside the list where there is room."""
        self.set_class(event.size.width >= WIDE_COLUMNS, "wide")

    @property
    def companions(self) -> list[PickList]:
        """What can be done with the list can be done from anywhere on this screen."""
        return [self._list]

    @work(exclusive=True)
    async def read(self) -> None:
        """Read the items and what was done with them, and show what there is."""
        try:
            await asyncio.to_thread(self._read)
        except BreakfixError as error:
            self._list.show([Line(error.message)])
            return
        except Exception as error:
            breakfix(self).tell_trouble("The items", error)
            return
        self._show()

    def _read(self) -> None:
        from exams.catalogue import find
        from tui.live.exam import Wish

        course = find(self.source)
        self.history = load_history(course.blueprint.id)
        found = past_results()
        self._results = [one for one in found if one.saved.header.get("blueprint") == course.blueprint.id][:_RESULTS]
        self._scores = {one.saved.name: _score(one) for one in self._results}
        seed = new_seed(course.blueprint.id)
        now = int(datetime.now().timestamp())
        self._due = len(wanted_items(course, Wish("due"), self.history, seed, now))
        self.choices = ExamChoices(course, seed)

    def _show(self) -> None:
        if self.choices is None:
            return
        blueprint = self.choices.course.blueprint
        head = Row(
            f"{blueprint.title}, {blueprint.level}", MUTED, ((f"{blueprint.code}  ", f"bold {ACCENT}"),), cut=True
        )
        self.query_one("#head", Rows).show([head])
        self._list.show(list(self._lines(self.choices)))

    def _lines(self, choices: ExamChoices) -> Iterator[Line]:
        studied = min(how_many(choices.course, choices.wish, self.history), choices.study_items)
        yield Line("Exam")
        yield Line("Begin the exam", f"{choices.items} items, {choices.minutes} min", "exam")
        yield from self._choice_lines(choices, "items", "extra", "assigned", "seed")
        yield Line("")
        yield Line("Study")
        yield Line("Begin to study", f"{studied} items" if studied else "none of that kind", "study")
        yield from self._choice_lines(choices, "which", "domain", "objective", "study_items")
        yield Line("")
        yield Line("Today's review")
        yield Line("Begin today's review", f"{self._due} items", "due")
        if self._results:
            yield Line("")
            yield Line("Results")
        for one in self._results:
            when = datetime.fromtimestamp(one.saved.path.stat().st_mtime)
            scored = self._scores.get(one.saved.name, "")
            yield Line(f"{one.mode.capitalize()}  {scored}", f"{when:%Y-%m-%d %H:%M}", one.saved.name)

    @staticmethod
    def _choice_lines(choices: ExamChoices, *names: str) -> Iterator[Line]:
        yield from (Line(f"  {_CHOICES[name]}", choices.text(name), name) for name in names)

    def on_pick_list_moved(self) -> None:
        """Say what the line under the cursor is."""
        line = self._list.line
        if self.choices is not None and line is not None:
            self.query_one("#details Rows", Rows).show(
                about(line.id, self.choices, self.history, breakfix(self).glyphs)
            )
            self.query_one("#details").scroll_home(animate=False)
        self.query_one(Footer).look_again()

    # Choosing

    @property
    def choice(self) -> str | None:
        """The name of the choice under the cursor."""
        line = self._list.line
        return line.id if self.choices is not None and line is not None and line.id in _CHOICES else None

    @property
    def on_number(self) -> bool:
        """Whether the cursor stands on a number that can be typed."""
        return self.choice in TYPED

    @action("exam.menu.next", "Next value", "right", "l", footer=6, when="choice")
    def next_value(self) -> None:
        """The next value of the choice under the cursor."""
        self._step(1)

    @action("exam.menu.previous", "Value before", "left", footer=7, when="choice")
    def previous_value(self) -> None:
        """The value before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.choices is not None and self.choice is not None:
            self.choices.step(self.choice, by)
            self._show()

    @action("exam.menu.digit", "Type a number", *"0123456789", when="on_number", takes_key=True)
    def type_digit(self, digit: str) -> None:
        """Type another number."""
        if self.choices is not None and self.choice is not None:
            self.choices.type_digit(self.choice, digit)
            self._show()

    @action("exam.menu.erase", "Erase a digit", "backspace", when="on_number")
    def take_digit(self) -> None:
        """Take the last digit of the number away."""
        if self.choices is not None and self.choice is not None:
            self.choices.take_digit(self.choice)
            self._show()

    def on_pick_list_chosen(self) -> None:
        """Begin, or change a choice."""
        line, choices = self._list.line, self.choices
        if line is None or choices is None or self._opening:
            return
        if self.choice is not None:
            self.next_value()
        elif line.id == "exam":
            self._begin("The exam", begin_exam(self.source, choices.seed, choices.terms, told=self._told))
        elif line.id == "study":
            self._begin("Study", begin_study(self.source, choices.seed, choices.wish))
        elif line.id == "due":
            from tui.live.exam import Wish

            self._begin("Today's review", begin_study(self.source, choices.seed, Wish("due")))
        else:
            self._show_result(line.id)

    def _told(self, done: int, of: int) -> None:
        self._say(f"Getting ready: item {done + 1} of {of} ...")

    def _say(self, text: str) -> None:
        if self.is_attached:
            self.query_one("#said", Static).update(text)

    def _begin(self, what: str, getting_ready: Coroutine[Any, Any, Sitting]) -> None:
        self._opening = True
        self._say("Getting ready ...")

        async def begin() -> None:
            try:
                sitting = await getting_ready
            finally:
                self._opening = False
                self._say("")
            app = breakfix(self)
            await app.open_sitting(sitting)
            for text in sitting.attempt.paper.shortfalls:
                app.notify(text, severity="warning", timeout=10, markup=False)

        breakfix(self).carry_out(what, begin())

    def _show_result(self, name: str) -> None:
        from exams.report import report
        from tui.screens.exam_result import ExamResult

        for one in self._results:
            if one.saved.name == name:
                again = one.saved.header.get("again")
                self.app.push_screen(ExamResult(report(one.attempt()), self.source, again))

    @action("exam.menu.home", "Home", "escape", "h", "prefix q", footer=40)
    def home(self) -> None:
        """Back to home."""
        breakfix(self).go_home()


def _score(one: PastResult) -> str:
    """What was earned in it: `7 of 9 points, 78 %`."""
    from exams.report import report
    from exams.report_text import percent, points

    try:
        total = report(one.attempt()).total
    except (BreakfixError, TypeError, ValueError, KeyError):
        return "damaged"
    return f"{points(total)} points, {percent(total)}"
