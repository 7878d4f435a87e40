"""An answer to a question of a lab."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from tui.actions import action
from tui.live.choices import Matches, questions
from tui.widgets.finder import Finder
from tui.widgets.form import Form
from tui.widgets.keys_taken import keys_taken


class AnswerDialog(Form[str]):
    """Answers a question. Its result is what there is to say about the answer."""

    title_text = "Answer"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Answer",
        """
        Choose the question, write the answer: a name, a number, a word from what a command printed. It is told right or
        wrong at once, and nothing is lost by a wrong one.
        """,
    )
    CSS: ClassVar[str] = """
    AnswerDialog Finder { height: auto; max-height: 12; }
    AnswerDialog #field { height: 1; margin: 1 0 0 0; }
    AnswerDialog #field Label { width: 18; text-style: bold; }
    AnswerDialog #field Input { width: 1fr; }
    """
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("give", "Answer"), ("back", "Back"))

    def fields(self) -> ComposeResult:
        yield Finder("Which question?", self._questions, self._picked, "question", titles=True)
        with Horizontal(id="field"):
            yield Label("The answer")
            yield Input(compact=True, id="answer")

    def _questions(self, typed: str) -> Matches:
        return questions(self.live, typed)

    @property
    def _question(self) -> Finder:
        return self.query_one("#question", Finder)

    def on_mount(self) -> None:
        """Begin with the first question that is not answered rightly."""
        open_ones = [one for one in questions(self.live, "").choices if not one.group]
        if open_ones:
            self._question.value = open_ones[0].value
            self._picked()

    def _picked(self) -> None:
        self.set_focus(self.query_one("#answer", Input))

    @property
    def writing(self) -> bool:
        """Whether the cursor is in the answer."""
        return isinstance(self.focused, Input) and self.focused.id == "answer"

    @action("answer.give", "Answer", "enter", footer=10, when="writing")
    async def give(self) -> None:
        """Give the answer."""
        field = self.query_one("#answer", Input)
        await keys_taken(field)
        if not self._question.value:
            self.complain("Choose a question.")
            self._question.enter()
        elif not field.value.strip():
            self.complain("Write the answer first.")
            self.set_focus(field)
        else:
            reply = await self.make(f":answer {self._question.value} {field.value.strip()}")
            if reply is not None:
                self.dismiss(reply)

    async def pressed(self, button: str) -> None:
        await self.give()
