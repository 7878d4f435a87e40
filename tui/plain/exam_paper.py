"""An exam without a conversation: its paper printed, and a file of answers marked."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError

if TYPE_CHECKING:
    from exams.attempt import Attempt
    from exams.catalogue import Course
    from exams.paper import Paper, Terms
    from exams.rendered import Rendered
    from exams.report import Report


def paper_of(course: Course, seed: int, terms: Terms) -> Paper:
    """The paper that this seed gives everybody: what somebody has seen before does not change it."""
    from exams.paper import exam_paper
    from tui.plain.exam_opening import progress

    return asyncio.run(exam_paper(course, seed, terms, told=progress()))


def printed(paper: Paper, *, keys: bool) -> str:
    """The items as they are asked; with `keys` also the right answers, and why."""
    from exams.report_text import clock

    time = f", {clock(paper.time)}" if paper.time is not None else ""
    head = f"{paper.code}  {paper.title}  (seed {paper.seed})\n{len(paper.items)} items{time}"
    parts = [head, *paper.shortfalls, *(_asked(item, number) for number, item in enumerate(paper.items, 1))]
    if keys:
        parts += ["Key", *(_key(item, number) for number, item in enumerate(paper.items, 1))]
    return "\n\n\n".join(parts) + "\n"


def _asked(item: Rendered, number: int) -> str:
    """An item as it is asked, and its id, by which a file of answers in JSON names it."""
    from exams.item_text import item_text

    return f"{item_text(item, number)}\n(item {item.item})"


def lacking(paper: Paper, terms: Terms) -> list[str]:
    """What was asked for and is not in the paper, in sentences."""
    labs = sum(item.kind == "hands-on" for item in paper.items)
    questions = len(paper.items) - labs
    found = []
    if terms.count is not None and questions < terms.count:
        found.append(f"--items {terms.count}: the paper has {questions}; its domains have no more for their weights")
    if terms.labs is not None and labs < terms.labs:
        found.append(f"--labs {terms.labs}: {paper.code} has {f'only {labs}' if labs else 'none'}")
    return found


def incomplete(attempt: Attempt, file: str) -> list[str]:
    """The answers in a file that lack a part, in sentences."""
    from exams.answer_text import written_answer

    found = []
    for number, (item, response) in enumerate(zip(attempt.items, attempt.responses, strict=True)):
        if response.answer is None or attempt.is_complete(number):
            continue
        lacks = f"choose {len(item.key)}" if item.kind == "multiple" else f"match all {len(item.choices)}"
        written = written_answer(item, response.answer)
        found.append(f"{file}: item {number + 1} ({item.kind}): {written} is only a part; {lacks}")
    return found


def _key(item: Rendered, number: int) -> str:
    """The right answer to an item, and what there is to say about it."""
    from exams.answer_text import written_answer
    from exams.answers import right_answer
    from exams.item_text import review_text

    told = review_text(item, None).partition("\n")[2]
    return f"{number}. {written_answer(item, right_answer(item))}\n{told}"


def marked(paper: Paper, file: str) -> Report:
    """The report on the answers in a file (`-`: standard input). Raises BreakfixError."""
    from exams.answer_file import read_answers
    from exams.report import report
    from exams.unattended import handed_in

    return report(handed_in(paper, read_answers(text_of(file), file, paper.items)))


def text_of(file: str) -> str:
    """The text of a file, or of standard input for `-`. Raises BreakfixError."""
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BreakfixError(f"{file} is not a text file in UTF-8") from None
    except OSError as error:
        raise BreakfixError(f"the answers {file} can't be read: {error.strerror}") from None
