"""What plain mode says about an attempt: where one is, what is answered, how much time is left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from textwrap import wrap

from exams.answer_text import written_answer
from exams.answers import Chosen, Matched
from exams.attempt import Attempt
from exams.item_text import WIDTH, item_text
from exams.paper import Paper
from tui.live.exam import Sitting
from tui.plain.exam_say import text_width
from tui.plain.exam_words import how_to_answer

WARNINGS = (300_000, 60_000)
"""It is told when so much time is left (ms)."""


def told_time(milliseconds: int) -> str:
    """`9 minutes 12 seconds`, `1 hour 2 minutes`, in words."""
    seconds = -(-milliseconds // 1000)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    parts = [(hours, "hour"), (minutes, "minute"), (0 if hours else seconds, "second")]
    return " ".join(_counted(count, word) for count, word in parts if count) or "no time"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def time_left(left: int | None) -> str:
    """The sentence about the time that is left (ms; None without a limit)."""
    return "There is no time limit." if left is None else f"{told_time(left).capitalize()} left."


def passed_warning(before: int | None, after: int | None) -> str:
    """What to say when the time left has passed one of the warnings; empty otherwise."""
    if before is None or after is None:
        return ""
    passed = [limit for limit in WARNINGS if after <= limit < before]
    return f"{told_time(min(passed)).capitalize()} left." if passed else ""


def opening(paper: Paper) -> str:
    """What the exam is, before it begins."""
    labs = sum(item.kind == "hands-on" for item in paper.items)
    count = _counted(len(paper.items) - labs, "question") + (f" and {_counted(labs, 'hands-on lab')}" if labs else "")
    lines = [f"{paper.code}  {paper.title}  (practice exam, seed {paper.seed})", f"{count}. No pass mark is published."]
    if paper.time is not None:
        extra = f", with {paper.extra} % extra time" if paper.extra else ""
        lines.append(f"Time: {told_time(paper.time)} from now on{extra}. {_how_it_runs(paper)}")
    lines += ["Nothing is told about your answers before you hand in.", *paper.shortfalls]
    lines.append("Type `help` for what can be typed.")
    return "\n".join(part for line in lines for part in wrap(line, WIDTH, break_on_hyphens=False))


def _how_it_runs(paper: Paper) -> str:
    if paper.deadline is None:
        return "It stops while breakfix does not run."
    until = datetime.fromtimestamp(paper.deadline)
    return f"It is an assigned exam: the time runs until {until:%H:%M:%S}, also while breakfix does not run."


def told_item(sitting: Sitting) -> str:
    """The item in view: where it stands, what is asked, what was answered, how to answer."""
    item, response = sitting.item, sitting.response
    head = [f"{'Item' if sitting.is_exam else 'Question'} {sitting.number + 1} of {sitting.count}."]
    head += [time_left(sitting.time_left)] if sitting.time_left is not None else []
    head += ["Flagged."] if response.flagged else []
    lines = [" ".join(head), "", item_text(item, width=text_width())]
    if response.answer is not None:
        lines.append(told_answer(sitting.attempt, sitting.number))
    if response.note:
        lines.append(f"Your note: {response.note}")
    if response.answer is None:
        lines.append(f"Answer with {how_to_answer(item)}.")
    return "\n".join(lines)


def told_answer(attempt: Attempt, number: int) -> str:
    """The answer to an item, and what it lacks."""
    item, answer = attempt.items[number], attempt.responses[number].answer
    if answer is None:
        return "Not answered."
    lacking = ""
    if isinstance(answer, Chosen) and not attempt.is_complete(number):
        lacking = f" {len(answer.ids)} of {len(item.key)} are chosen; write all letters together."
    if isinstance(answer, Matched) and not attempt.is_complete(number):
        lacking = f" {len(answer.pairs)} of {len(item.choices)} are matched; write all pairs together."
    return f"Your answer: {written_answer(item, answer)}.{lacking}"


def told_list(attempt: Attempt) -> str:
    """Every item in a line, then how many are answered."""
    return "\n".join([*_rows(attempt), told_state(attempt)])


def _rows(attempt: Attempt) -> Iterator[str]:
    for number, (item, response) in enumerate(zip(attempt.items, attempt.responses, strict=True)):
        words = [written_answer(item, response.answer) if response.answer is not None else "not answered"]
        if response.answer is not None and not attempt.is_complete(number):
            words.append("not complete")
        words += ["flagged"] if response.flagged else []
        words += ["note"] if response.note else []
        words += ["you are here"] if number == attempt.current else []
        yield f"{number + 1:>3}  {', '.join(words)}"


def told_state(attempt: Attempt) -> str:
    """How many items are answered, and which are not or are flagged."""
    numbers = range(len(attempt.items))
    parts = {
        "not answered": [n for n in numbers if attempt.responses[n].answer is None],
        "not complete": [n for n in numbers if attempt.responses[n].answer and not attempt.is_complete(n)],
        "flagged": [n for n in numbers if attempt.responses[n].flagged],
    }
    lines = [f"{attempt.answered} of {len(attempt.items)} are answered."]
    lines += [f"{what.capitalize()}: {', '.join(str(n + 1) for n in found)}." for what, found in parts.items() if found]
    return "\n".join(lines)
