"""An exam in plain mode: one item at a time, letters to answer, a few words for everything else, and the clock."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

from engine.kernel.errors import BreakfixError
from exams.answer_text import read_answer
from exams.answers import answer_data
from exams.report import Report
from tui.live.exam import Sitting
from tui.plain.bare_lines import INTERRUPTED
from tui.plain.exam_reading import Lines, TimedReader
from tui.plain.exam_say import say
from tui.plain.exam_told import opening, passed_warning, time_left, told_answer, told_item, told_list, told_state
from tui.plain.exam_words import EXAM_HELP, EXAM_WORDS, read_typed


class ExamConversation:
    """Somebody at an exam, line by line."""

    def __init__(self, sitting: Sitting, lines: Lines) -> None:
        self.sitting = sitting
        self.left = False
        self._reader = TimedReader(lines, self._tick)
        self._told_left = sitting.time_left
        self._acts: dict[str, Callable[[str], Awaitable[None]]] = {
            "": self._answer,
            "next": self._next,
            "previous": self._previous,
            "go": self._go,
            "flag": self._flag,
            "note": self._note,
            "clear": self._clear,
            "list": self._list,
            "time": self._time,
            "again": self._again,
            "lab": self._lab,
            "submit": self._submit,
            "help": self._help,
            "quit": self._quit,
        }

    async def run(self) -> Report | None:
        """Talk until it is handed in, or left (None)."""
        if not self.sitting.over:
            self._tell_item()
        while not (self.sitting.over or self.left):
            line = await self._reader.read(f"item {self.sitting.number + 1}> ")
            if not self.sitting.over:
                await self._typed(line)
        if self.left:
            self.sitting.close()
            say(_leaving(self.sitting))
            return None
        if self.sitting.attempt.ended == "time":
            say("\nThe time is over; the exam is handed in as it stands.")
        return self.sitting.finish()

    def _tick(self) -> bool:
        """Let the time pass, and say so when little is left."""
        over = self.sitting.tick()
        left = self.sitting.time_left
        if not over and (warning := passed_warning(self._told_left, left)):
            print(f"\n{warning}", flush=True)
        self._told_left = left
        return not over

    async def _typed(self, line: str | None) -> None:
        """What was typed, or the end of input, or Ctrl-C."""
        if line is None:
            print()
            self.left = True
        elif line == INTERRUPTED:
            self.left = await self._agreed("Leave? Everything is kept. y leaves, anything else goes on> ", leaving=True)
        else:
            try:
                typed = read_typed(self.sitting.item, line, EXAM_WORDS)
                await self._acts[typed.word](typed.rest)
            except BreakfixError as error:
                if not self.sitting.over:
                    say(error)

    async def _agreed(self, question: str, *, leaving: bool = False) -> bool:
        """Whether a question is answered with yes; Ctrl-C says yes to leaving only, the end of input leaves."""
        line = await self._reader.read(question)
        if line is None:
            self.left = not self.sitting.over
        return line is not None and (leaving if line == INTERRUPTED else line.strip().casefold() in ("y", "yes"))

    def _tell_item(self) -> None:
        print(f"\n{told_item(self.sitting)}")

    def _look(self, number: int) -> None:
        self.sitting.goto(number)
        self._tell_item()

    # What can be typed

    async def _answer(self, text: str) -> None:
        """An answer; after a whole one the next item comes."""
        sitting = self.sitting
        if sitting.item.kind == "hands-on":
            raise BreakfixError("This is done in a shell: `lab` opens it.")
        sitting.answer(answer_data(read_answer(sitting.item, text)))
        say(told_answer(sitting.attempt, sitting.number))
        self._go_on()

    def _go_on(self) -> None:
        """To the next item, if this one has all it needs."""
        if not self.sitting.attempt.is_complete(self.sitting.number):
            return
        if self.sitting.number + 1 < self.sitting.count:
            self._look(self.sitting.number + 1)
        else:
            say(f"That was the last item. {told_state(self.sitting.attempt)}\n`submit` hands in.")

    async def _next(self, rest: str) -> None:
        if self.sitting.number + 1 == self.sitting.count:
            raise BreakfixError("This is the last item. `list` tells what is answered, `submit` hands in.")
        self._look(self.sitting.number + 1)

    async def _previous(self, rest: str) -> None:
        if not self.sitting.number:
            raise BreakfixError("This is the first item.")
        self._look(self.sitting.number - 1)

    async def _go(self, rest: str) -> None:
        if not (rest.isascii() and rest.isdigit() and 1 <= int(rest[:9]) <= self.sitting.count):
            raise BreakfixError(f"Write the number of an item, from 1 to {self.sitting.count}, such as `go 2`.")
        self._look(int(rest) - 1)

    async def _flag(self, rest: str) -> None:
        self.sitting.flag(not self.sitting.response.flagged)
        say("Flagged." if self.sitting.response.flagged else "No longer flagged.")

    async def _note(self, rest: str) -> None:
        self.sitting.note(rest)
        say("Noted." if rest else "The note is gone.")

    async def _clear(self, rest: str) -> None:
        self.sitting.answer(None)
        say("Not answered.")

    async def _list(self, rest: str) -> None:
        say(told_list(self.sitting.attempt))

    async def _time(self, rest: str) -> None:
        say(time_left(self.sitting.time_left))

    async def _again(self, rest: str) -> None:
        self._tell_item()

    async def _lab(self, rest: str) -> None:
        from tui.plain.exam_lab import play_lab

        if self.sitting.item.kind != "hands-on":
            raise BreakfixError("There is no lab at this item.")
        if await play_lab(self.sitting):
            self._go_on()

    async def _submit(self, rest: str) -> None:
        say(told_state(self.sitting.attempt))
        if await self._agreed("Hand in? y hands in, anything else goes on> ") and not self.sitting.over:
            self.sitting.submit()

    async def _help(self, rest: str) -> None:
        print(EXAM_HELP)

    async def _quit(self, rest: str) -> None:
        self.left = True


def tell_opening(sitting: Sitting, *, resumed: bool) -> None:
    """What the exam is; of one that was taken up again, where it stands."""
    attempt = sitting.attempt
    if resumed:
        say(f"{attempt.paper.code}  {attempt.paper.title}, taken up again. {told_state(attempt)}")
    else:
        say(opening(attempt.paper))


def tell_problems(sitting: Sitting, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Say on stderr what could not be saved, but for what is known. Returns what is known now."""
    problems = {problem for problem in (sitting.journal.broken, sitting.kept) if problem}
    for problem in sorted(problems - known):
        print(f"breakfix: {problem}", file=sys.stderr)
    return known | problems


def _leaving(sitting: Sitting) -> str:
    if sitting.journal.broken:
        return "Not handed in."
    runs = " The time runs on." if sitting.attempt.paper.assigned else ""
    return f"Not handed in; `breakfix exam --resume` goes on with it.{runs}"
