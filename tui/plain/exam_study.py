"""A study session in plain mode: a question, an answer, how sure it was, and at once everything there is to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError
from exams.answer_text import read_answer
from exams.answers import answer_data
from exams.item_text import review_text
from exams.report import Report, report
from exams.report_text import percent, points
from tui.live.exam import Sitting
from tui.plain.bare_lines import INTERRUPTED
from tui.plain.exam_reading import Lines, TimedReader
from tui.plain.exam_say import say, text_width
from tui.plain.exam_told import told_answer, told_item
from tui.plain.exam_words import STUDY_HELP, STUDY_WORDS, read_typed

if TYPE_CHECKING:
    from exams.attempt import Confidence

SURE: dict[str, Confidence | None] = {
    "s": "sure",
    "sure": "sure",
    "u": "unsure",
    "unsure": "unsure",
    "g": "guess",
    "guess": "guess",
    "": None,
}
"""How the question about confidence is answered."""


class StudyConversation:
    """Somebody who studies, line by line."""

    def __init__(self, sitting: Sitting, lines: Lines) -> None:
        self.sitting = sitting
        self.left = False
        self._done = False
        """Whether the item in view was explained or skipped."""
        self._reader = TimedReader(lines, lambda: not sitting.tick())
        self._acts: dict[str, Callable[[str], None]] = {
            "": self._answer,
            "next": self._next,
            "show": self._show,
            "flag": self._flag,
            "note": self._note,
            "again": self._again,
            "help": lambda rest: print(STUDY_HELP),
            "quit": self._quit,
        }

    async def run(self) -> Report | None:
        """Talk until there are no more items, or it is left (None)."""
        sitting = self.sitting
        going_on = await sitting.next_item() if not sitting.attempt.items else True
        while going_on and not self.left:
            self._done = False
            if not sitting.response.revealed:
                await self._ask()
            going_on = not self.left and await sitting.next_item()
        if self.left and (sitting.more or not sitting.response.revealed):
            sitting.close()
            say(_standing(report(sitting.attempt)) + "\n`breakfix study --resume` goes on.")
            return None
        found = sitting.finish()
        say(f"\n{_standing(found)} `breakfix report` tells more.")
        return found

    async def _ask(self) -> None:
        """One item, until it is explained and left, or skipped, or the session is left."""
        print(f"\n{told_item(self.sitting)}")
        while not (self._done or self.left):
            explained = self.sitting.response.revealed
            line = await self._reader.read("Enter goes on> " if explained else "answer> ")
            if line is None or line == INTERRUPTED:
                print()
                self.left = True
            elif explained and not line.strip():
                self._done = True
            else:
                await self._typed(line)

    async def _typed(self, line: str) -> None:
        try:
            typed = read_typed(self.sitting.item, line, STUDY_WORDS)
            self._acts[typed.word](typed.rest)
        except BreakfixError as error:
            say(error)
            return
        if not typed.word and self.sitting.attempt.is_complete(self.sitting.number):
            await self._how_sure()

    async def _how_sure(self) -> None:
        """Ask how sure the answer is, then explain. Who leaves here has not answered."""
        while (line := await self._reader.read("How sure? s sure, u unsure, g guess, Enter skips> ")) is not None:
            if line == INTERRUPTED:
                break
            word = line.strip().casefold()
            if word in SURE:
                self.sitting.confidence(SURE[word])
                self._explain()
                return
        print()
        self.left = True

    def _explain(self) -> None:
        sitting = self.sitting
        sitting.reveal()
        mark = sitting.attempt.mark(sitting.number)
        note = mark.note if sitting.response.answer is not None else ""
        told = review_text(sitting.item, sitting.response.answer, note, text_width())
        print(f"\n{'Right.' if mark.right else 'Not right.'}\n{told}")
        if sitting.item.practise:
            say("Practise it: " + ", ".join(f"`breakfix drill {name}`" for name in sitting.item.practise))

    # What can be typed

    def _answer(self, text: str) -> None:
        if self.sitting.response.revealed:
            raise BreakfixError("It is explained already. Enter goes on.")
        self.sitting.answer(answer_data(read_answer(self.sitting.item, text)))
        if not self.sitting.attempt.is_complete(self.sitting.number):
            say(told_answer(self.sitting.attempt, self.sitting.number))

    def _next(self, rest: str) -> None:
        self._done = True

    def _show(self, rest: str) -> None:
        if not self.sitting.response.revealed:
            self.sitting.answer(None)
            self._explain()

    def _flag(self, rest: str) -> None:
        self.sitting.flag(not self.sitting.response.flagged)
        say("Flagged." if self.sitting.response.flagged else "No longer flagged.")

    def _note(self, rest: str) -> None:
        self.sitting.note(rest)
        say("Noted." if rest else "The note is gone.")

    def _again(self, rest: str) -> None:
        print(f"\n{told_item(self.sitting)}")

    def _quit(self, rest: str) -> None:
        self.left = True


def _standing(found: Report) -> str:
    """`7.5 of 10 points, 75 %.`"""
    if not found.total.n:
        return "Nothing was answered."
    return f"{points(found.total)} points, {percent(found.total)}."
