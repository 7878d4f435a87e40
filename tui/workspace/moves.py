"""The learner's moves in a drill, as actions: each opens its dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from textual.screen import Screen

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.live.live import Live
from tui.widgets.dialog import Dialog
from tui.widgets.terminal_pane import TerminalPane

Result = TypeVar("Result")


class Moves(Screen[None], Acts):
    """A screen on which a session is played. In a sandbox there are no moves."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live

    @property
    def drill(self) -> LiveDrill:
        """The session, where it is a drill."""
        assert isinstance(self.live, LiveDrill)
        return self.live

    @property
    def is_drill(self) -> bool:
        """Whether the drill's moves can be made."""
        return isinstance(self.live, LiveDrill) and not self.live.over

    @property
    def is_over(self) -> bool:
        """Whether a drill was handed in and its debrief can be seen."""
        return isinstance(self.live, LiveDrill) and self.live.over

    @property
    def can_diagnose(self) -> bool:
        """Whether there is something to be diagnosed: in a lab there is not."""
        return self.is_drill and self.drill.session.scenario.diagnosis is not None

    @property
    def can_answer(self) -> bool:
        """Whether there are questions."""
        return self.is_drill and bool(self.drill.session.scenario.questions)

    @property
    def can_hint(self) -> bool:
        """Whether there are hints, taken or not."""
        return self.is_drill and bool(self.drill.session.scenario.hints)

    def back_to_terminal(self) -> None:
        """Give the focus to the terminal."""
        raise NotImplementedError

    def show_session(self) -> None:
        """Show the session as it is now."""
        raise NotImplementedError

    def ask(
        self, dialog: Dialog[Result], what: str = "", answered: Callable[[Result], Awaitable[None]] | None = None
    ) -> None:
        """Show a dialog; when it was answered, go on with its result."""

        def ended(result: Result | None) -> None:
            self.back_to_terminal()
            self.show_session()
            if answered is not None and result is not None:
                breakfix(self).carry_out(what, _coroutine(answered(result)))

        self.app.clear_notifications()
        self.app.push_screen(dialog, ended)

    async def told(self, text: str) -> None:
        """Say what came of a move, and show the session as it is after it."""
        if text:
            self.notify(text, timeout=4)
        self.show_session()

    @action("drill.diagnose", "Diagnose", "f4", "prefix g", footer=35, when="can_diagnose")
    def diagnose(self) -> None:
        """Say what is broken and why. The first diagnosis earns the points."""
        from tui.screens.diagnosis import DiagnosisDialog

        self.ask(DiagnosisDialog(self.drill), "Diagnosis", self.told)

    @action("drill.hands", "Hands", "f6", "prefix r", footer=40, when="is_drill")
    def order_hands(self) -> None:
        """Order work in the machine room: reseat, replace, power-cycle, clean."""
        from tui.screens.hands import HandsDialog

        self.ask(HandsDialog(self.drill), "Remote hands", self.told)

    @action("drill.answer", "Answer", "f4", "prefix a", footer=35, when="can_answer")
    def answer(self) -> None:
        """Answer a question of the lab."""
        from tui.screens.answer import AnswerDialog

        self.ask(AnswerDialog(self.drill), "Answer", self.told)

    @action("drill.note", "Note", "prefix e", footer=60, when="is_drill")
    def note(self) -> None:
        """Write a note for the ticket."""
        from tui.screens.note import NoteDialog

        self.ask(NoteDialog(self.drill), "Note", self.told)

    @action("drill.escalate", "Escalate", "prefix E", when="can_diagnose")
    def escalate(self) -> None:
        """Hand the case to the vendor, with what you know and where the bundle lies."""
        from tui.screens.escalate import EscalateDialog

        self.ask(EscalateDialog(self.drill), "Escalate", self.told)

    @action("drill.hint", "Hint", "prefix h", footer=50, when="can_hint")
    def hint(self) -> None:
        """Hints, from vague to plain. Each costs points."""
        from tui.screens.hint import HintDialog

        self.ask(HintDialog(self.drill))

    @action("drill.submit", "Hand in", "f9", "prefix s", footer=44, when="is_drill")
    def submit(self) -> None:
        """Hand in: the drill ends and is scored."""
        from tui.screens.submit import SubmitDialog

        async def handed_in(done: bool) -> None:
            if done:
                await self._debrief()

        self.ask(SubmitDialog(self.drill), "Hand in", handed_in)

    @action("drill.debrief", "Debrief", "f4", "prefix g", footer=35, when="is_over")
    def debrief(self) -> None:
        """The result of the drill that was handed in."""
        breakfix(self).carry_out("Debrief", self._debrief())

    async def _debrief(self) -> None:
        from tui.screens.debrief import Debrief

        result = await self.drill.submit()
        breakfix(self).passed = result.passed
        self.show_session()
        if any(isinstance(screen, Debrief) for screen in self.app.screen_stack):
            return
        self.app.push_screen(Debrief(self.drill, result), self._debriefed)

    def _debriefed(self, answer: str | None) -> None:
        if answer is None:
            self.back_to_terminal()
            return
        source = self.drill.source
        self.app.clear_notifications()
        self.drill.forget()
        app = breakfix(self)
        app.go_home()
        if answer == "again":
            app.carry_out("Another seed", app.open_drill(source))

    def on_terminal_pane_pin_wanted(self, message: TerminalPane.PinWanted) -> None:
        """Keep a line as evidence."""
        if not self.is_drill:
            self.notify("Lines are pinned as evidence in drills.", timeout=4)
            return
        breakfix(self).carry_out("Pin", self._pin(message.text))

    async def _pin(self, text: str) -> None:
        await self.told(await self.drill.pin(text))


async def _coroutine(work: Awaitable[None]) -> None:
    await work
