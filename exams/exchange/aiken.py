"""Aiken: one right answer of several, as plain text. Source: MoodleDocs, "Aiken format".

A question on one line, `A. text` for each answer, `ANSWER: A`. Nothing else: no explanations, no exhibits, no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.kernel.errors import BreakfixError
from exams.exchange.question import Answer, Loss, Question
from exams.rendered import LETTERS

_OPTION = re.compile(r"(?P<letter>[A-Z])[.)]\s+(?P<text>\S.*)")
_ANSWER = re.compile(r"ANSWER:\s*(?P<letter>[A-Z])\s*")


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """The questions that Aiken can hold, and what was lost."""
    blocks, losses = [], []
    for question in questions:
        if question.kind != "single":
            losses.append(Loss(question.name, f"left out: Aiken has no {question.kind} questions"))
            continue
        if question.exhibit:
            losses.append(Loss(question.name, "left out: Aiken has one line for a question, and no exhibit"))
            continue
        lines = [" ".join(question.stem.split())]
        lettered = zip(LETTERS, question.answers, strict=False)
        lines += [f"{letter}. {' '.join(one.text.split())}" for letter, one in lettered]
        right = next(place for place, one in enumerate(question.answers) if one.right)
        blocks.append("\n".join([*lines, f"ANSWER: {LETTERS[right]}"]))
    if blocks:
        losses.append(Loss("", "explanations, sources, names and objectives: Aiken has no place for them"))
    return "\n\n".join(blocks) + "\n", losses


def read(text: str, name: str) -> list[Question]:
    """The questions of an Aiken file. Raises BreakfixError as file:line."""
    questions: list[Question] = []
    stem = ""
    options: list[tuple[str, str]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        option, answer = _OPTION.fullmatch(line), _ANSWER.fullmatch(line)
        if not line:
            continue
        if answer:
            letters = [letter for letter, _ in options]
            if not stem or answer["letter"] not in letters:
                raise BreakfixError(f"{name}:{number}: ANSWER: {answer['letter']} names none of the answers before it")
            answers = tuple(Answer(told, letter == answer["letter"]) for letter, told in options)
            questions.append(Question(f"question-{len(questions) + 1}", "single", stem, answers=answers))
            stem, options = "", []
        elif option and stem:
            options.append((option["letter"], option["text"]))
        elif not stem:
            stem = line
        else:
            raise BreakfixError(f"{name}:{number}: an answer is `A. text`, and after the last comes `ANSWER: A`")
    if stem:
        raise BreakfixError(f"{name}: the last question has no line `ANSWER: A`")
    return questions
