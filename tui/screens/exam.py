"""An exam or a study session under way: one item at a time."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.widgets import Input, Static

from engine.kernel.errors import BreakfixError
from exams.answers import AnswerError, answer_data
from tui.actions import action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.live.exam import Sitting
from tui.screens.exam_acts import ItemActs
from tui.widgets.exam_answered import Answered, GoOn, LabWanted
from tui.widgets.exam_areas import NumberArea
from tui.widgets.exam_item import ItemView
from tui.widgets.exam_sure import SureStrip
from tui.widgets.exam_told import item_told
from tui.widgets.exam_top import ExamTop
from tui.widgets.footer import Footer

_TICK_SECONDS = 1.0


class ExamScreen(ItemActs):
    """A sitting. Everything that is done is in its journal at once; leaving keeps it."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Exams and study",
        """
        One item at a time. Under the question stands with which keys it is answered; Enter answers, and once it is
        answered, goes on. In an exam nothing is told before you hand in, and when the time is over it is handed in as
        it stands. Tab goes from the answers to the exhibit and back.

        When you leave, everything is kept: home has it under "Go on with". In a practice exam the time stops
        meanwhile, in an assigned one it runs on.
        """,
    )
    AUTO_FOCUS = ""
    CSS: ClassVar[str] = """
    ExamScreen #said { height: auto; max-height: 3; dock: bottom; margin: 0 0 1 0; padding: 0 1;
                       color: $state-degraded; display: none; }
    ExamScreen #said.told { display: block; }
    """

    def __init__(self, sitting: Sitting) -> None:
        super().__init__(sitting)
        self.labs: dict[int, LiveDrill] = {}
        self._ended = False

    def compose(self) -> ComposeResult:
        yield ExamTop(self.sitting)
        yield ItemView(id="item")
        yield SureStrip()
        yield Static(id="said", markup=False)
        yield Footer()

    async def on_mount(self) -> None:
        """Show the item in view; from now on the time is looked at."""
        self.set_interval(_TICK_SECONDS, self._tick)
        if self.sitting.over:
            self.call_after_refresh(self._end)
        elif self.sitting.attempt.items:
            await self.show_item()
        else:
            await self._next()

    def leaving(self) -> None:
        """The program ends, or another screen takes over: everything is kept."""
        for lab in self.labs.values():
            lab.close()
        self.sitting.close()

    # Showing

    async def show_item(self) -> None:
        """Show the item in view."""
        sitting = self.sitting
        self.query_one(SureStrip).ask(False)
        self.say("")
        if sitting.response.revealed:
            mark = sitting.attempt.mark(sitting.number)
            told = item_told(sitting.item, sitting.response, mark, breakfix(self).glyphs)
            await self.view.tell(sitting.item, sitting.response, told, self._about())
        else:
            await self.view.ask(sitting.item, sitting.response, self._about())
        self.look_again()

    def _about(self) -> str:
        """Domain and objective: only in study."""
        item, paper = self.sitting.item, self.sitting.attempt.paper
        titles = {part.id: part.title for part in (*paper.domains, *paper.objectives)}
        return "" if self.sitting.is_exam else f"{titles.get(item.domain, '')}: {titles.get(item.objective, '')}"

    def say(self, text: str) -> None:
        """Say something above the last line; empty for nothing."""
        said = self.query_one("#said", Static)
        said.update(text)
        said.set_class(bool(text), "told")

    def _tick(self) -> None:
        """The time goes on; when it is over, this is handed in as it stands."""
        if self._ended:
            return
        if self.sitting.time_left == 0 or self.sitting.tick():
            self._end()
            return
        self.query_one(ExamTop).look_again()

    # Answering

    def on_answered(self, message: Answered) -> None:
        """An answer was given on the screen."""
        message.stop()
        if self.sitting.over or self.sitting.response.revealed:
            return
        self.say("")
        try:
            if message.why_not is not None:
                raise AnswerError(message.why_not)
            self.sitting.answer(message.data)
        except AnswerError as error:
            self._refuse(error.message)
            if self._typing:
                self.sitting.answer(None)
        self.view.show_answer(answer_data(self.sitting.response.answer) if not self._typing else message.data)
        self.look_again()
        self._tick()

    @property
    def _typing(self) -> bool:
        """Whether a field has the focus."""
        return isinstance(self.focused, Input)

    async def on_go_on(self, message: GoOn) -> None:
        """Enter on an answer that stands."""
        message.stop()
        if self.sitting.is_exam:
            await self.next()
        elif self._held_by_number():
            return
        elif self.sitting.response.answer is None:
            self.say("Nothing is answered yet.")
        else:
            self.query_one(SureStrip).ask(True)

    async def on_sure_strip_said(self, message: SureStrip.Said) -> None:
        """Study: mark and explain."""
        self.sitting.confidence(message.level)
        await self.mark_item()

    def on_sure_strip_withdrawn(self) -> None:
        """Back to the answer."""
        self.query_one(SureStrip).ask(False)
        self.view.focus_answer()

    async def mark_item(self) -> None:
        """Study: mark the item in view, and explain it."""
        self.sitting.reveal()
        if self.sitting.kept:
            self.notify(self.sitting.kept, severity="warning", markup=False)
        await self.show_item()

    def _held_by_number(self) -> bool:
        """Whether what is typed is no number that counts: it is said why, and the item stays in view."""
        area = self.view.area
        why = area.why_not if isinstance(area, NumberArea) and not self.sitting.over else ""
        if why:
            self._refuse(why)
        return bool(why)

    def _refuse(self, why: str) -> None:
        self.say(f"{breakfix(self).glyphs.degraded} {_sentence(why)}")

    # Going from item to item

    @property
    def browsing(self) -> bool:
        """Whether the arrow keys are free to go from item to item."""
        return not self._typing

    @action("exam.on", "Go on", "enter", footer=4, when="revealed")
    async def go_on(self) -> None:
        """The next item."""
        await self._next()

    @action("exam.next", "Next", "f8", "prefix right", footer=15)
    async def next(self) -> None:
        """The next item; after the last one, what there is to look at before handing in."""
        await self._next()

    @action("exam.previous", "Back", "f7", "prefix left", footer=16)
    async def previous(self) -> None:
        """The item before."""
        await self._goto(self.sitting.number - 1)

    @action("exam.right", "Next", "right", "n", when="browsing")
    async def right(self) -> None:
        """The next item."""
        await self._next()

    @action("exam.left", "Back", "left", "p", when="browsing")
    async def left(self) -> None:
        """The item before."""
        await self._goto(self.sitting.number - 1)

    async def _next(self) -> None:
        sitting = self.sitting
        if self._held_by_number():
            return
        if sitting.number + 1 < len(sitting.attempt.items):
            await self._goto(sitting.number + 1)
        elif sitting.more:
            self.say("Getting the next item ready ...")
            try:
                await sitting.next_item()
            except BreakfixError as error:
                self.say(str(error))
                return
            await self.show_item()
        else:
            self.finish()

    async def _goto(self, number: int) -> None:
        if self._held_by_number():
            return
        if 0 <= number < len(self.sitting.attempt.items) and not self.sitting.over:
            self.sitting.goto(number)
            await self.show_item()

    @action("exam.overview", "Overview", "f3", "prefix n", footer=25)
    def overview(self) -> None:
        """All items: which are answered, which have a flag; go to one."""
        from tui.screens.exam_navigator import ExamNavigator

        async def go(number: int) -> None:
            await self._goto(number)

        def chosen(number: int | None) -> None:
            if number is not None:
                breakfix(self).carry_out("Overview", go(number))

        self.app.push_screen(ExamNavigator(self.sitting), chosen)

    # Labs

    def on_lab_wanted(self, message: LabWanted) -> None:
        """Open the lab of a hands-on item, or go back to it."""
        message.stop()
        from tui.screens.exam_lab import open_lab

        breakfix(self).carry_out("Lab", open_lab(self))

    async def lab_done(self, number: int, share: str) -> None:
        """A lab was handed in and earned this share of its goals."""
        if self.sitting.over:
            return
        self.labs.pop(number).forget()
        self.sitting.do({"event": "answer", "item": number, "answer": share})
        await self.show_item()

    # The end

    @action("exam.finish", "Hand in", "f9", "prefix s", footer=22)
    def finish(self) -> None:
        """Look at what is open, and hand in."""
        from tui.screens.exam_submit import ExamSubmit

        if self._held_by_number():
            return

        def answered(answer: Any) -> None:
            if answer is True:
                self._end()
            elif isinstance(answer, int):
                breakfix(self).carry_out("Items", self._goto(answer))

        self.app.push_screen(ExamSubmit(self.sitting), answered)

    @action("exam.home", "Home", "prefix q", footer=85)
    def go_home(self) -> None:
        """Leave this; it is kept and can be taken up again from home."""
        breakfix(self).go_home()

    def _end(self) -> None:
        """Hand in: first the labs that are open, as they stand, and then the whole."""
        if self._ended:
            return
        self._ended = True
        while self.app.screen is not self:
            self.app.pop_screen()
        if self.labs and not self.sitting.over:
            self.sitting.closing = True
            self.say("Handing in the labs as they stand ...")
            breakfix(self).carry_out("Labs", self._hand_in_labs())
        else:
            self._show_result()

    async def _hand_in_labs(self) -> None:
        from tui.screens.exam_lab import lab_share

        try:
            for number, lab in self.labs.items():
                self.sitting.earned(number, await lab_share(lab))
        finally:
            self._show_result()

    def _show_result(self) -> None:
        """The result in place of this."""
        from tui.screens.exam_result import ExamResult

        for lab in self.labs.values():
            lab.forget()
        by_time = self.sitting.time_left == 0
        found = self.sitting.finish()
        for text in (self.sitting.kept, self.sitting.journal.broken):
            if text:
                self.notify(text, severity="warning", markup=False, timeout=10)
        if by_time:
            self.notify("The time is over. It was handed in as it stood.", severity="warning", timeout=10)
        self.app.switch_screen(ExamResult(found, self.sitting.source, self.sitting.again))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
