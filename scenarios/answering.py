"""Answers to the questions of a lab: whether one is right, and what there is to say about it."""

from __future__ import annotations

from scenarios.model import Question
from scenarios.stage import Stage


def is_right(stage: Stage, question: Question, text: str) -> bool:
    """Whether a text answers the question."""
    return any(pattern.find(text.strip(), stage.choices.texts) for pattern in question.accept)


def comment(stage: Stage, question: Question, text: str) -> str:
    """What to tell somebody who has just given an answer."""
    right = is_right(stage, question, text)
    more = question.because if right else question.hint
    return " ".join(["Right." if right else "Not that.", stage.fill(more).strip() if more else ""]).strip()


def numbered(stage: Stage, answers: dict[str, str]) -> list[str]:
    """The questions as text, each with the last answer to it and whether that is right."""
    lines = []
    for question in stage.scenario.questions:
        lines.append(f"  {question.id:<16} {stage.fill(question.text)}")
        if question.id in answers:
            verdict = "right" if is_right(stage, question, answers[question.id]) else "not right"
            lines.append(f"  {'':<16} you said: {answers[question.id]} ({verdict})")
    return lines
