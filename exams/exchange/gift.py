"""Moodle's GIFT: plain text, a question a paragraph. Source: MoodleDocs, "GIFT format".

`::name:: stem { =right#why ~wrong#why ####told }`; several right ones carry weights (`~%50%`), wrong ones -100 %;
`{#51.6:0.1}` is a number with its tolerance, `{ =left -> right }` a pair, `= -> text` a decoy. The characters ~ = # { }
and : are written with a backslash, a line break as \\n.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.kernel.errors import BreakfixError
from exams.exchange.layout import ARROW, in_pair, joined, parted
from exams.exchange.question import Answer, Question

_SPECIAL = re.compile(r"([\\~=#{}:])")
_NAMED = re.compile(r"::(?P<name>(?:\\.|[^:\\])*)::", re.DOTALL)
_WEIGHT = re.compile(r"%(?P<weight>-?\d+(?:\.\d+)?)%")


def write(questions: Iterable[Question]) -> str:
    """The questions as a GIFT file."""
    blocks: list[str] = []
    category: tuple[str, ...] = ()
    for question in questions:
        if question.category != category:
            category = question.category
            blocks.append(f"$CATEGORY: {'/'.join(category)}")
        told = f"\n\t####{_escaped(question.told)}" if question.told else ""
        text = _escaped(joined(question.stem, question.exhibit))
        blocks.append(f"::{_escaped(question.name)}::{text} {{{_answers(question)}{told}\n}}")
    return "\n\n".join(blocks) + "\n"


def _answers(question: Question) -> str:
    if question.kind == "numeric":
        return f"#{question.number}:{question.tolerance}{f'#{_escaped(question.unit)}' if question.unit else ''}"
    if question.kind == "matching":
        pairs = [f"\n\t={_escaped(in_pair(left))}{ARROW}{_escaped(in_pair(right))}" for left, right in question.pairs]
        return "".join([*pairs, *(f"\n\t={ARROW}{_escaped(in_pair(text))}" for text in question.decoys)])
    right = sum(one.right for one in question.answers)
    single = question.kind == "single"
    lines = []
    for one in question.answers:
        weight = f"{100 / right:.5f}".rstrip("0").rstrip(".") if one.right else "-100"
        mark = ("=" if one.right else "~") if single else f"~%{weight}%"
        because = f"#{_escaped(one.because)}" if one.because else ""
        lines.append(f"\n\t{mark}{_escaped(one.text)}{because}")
    return "".join(lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "\\n")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text, flags=re.DOTALL).strip()


def read(text: str, name: str) -> list[Question]:
    """The questions of a GIFT file that its author calls `name`. Raises BreakfixError as file:line."""
    questions: list[Question] = []
    category: tuple[str, ...] = ()
    for line, block in _blocks(text):
        if block.startswith("$CATEGORY:"):
            category = tuple(part for part in block.removeprefix("$CATEGORY:").strip().split("/") if part)
            continue
        try:
            questions.append(replace(_question(block, len(questions) + 1), category=category))
        except ValueError as error:
            raise BreakfixError(f"{name}:{line}: {error}") from None
    return questions


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs with the number of their first line; comments are left out."""
    block: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip().startswith("//"):
            continue
        if line.strip():
            start = start if block else number
            block.append(line)
        elif block:
            yield start, "\n".join(block).strip()
            block = []


def _question(block: str, number: int) -> Question:
    named = _NAMED.match(block)
    label = _plain(named["name"]) if named else f"question-{number}"
    body = block[named.end() :] if named else block
    body = re.sub(r"^\s*\[(html|moodle|plain|markdown)\]", "", body)
    pieces = _split(body, "{")
    if len(pieces) != 2:
        raise ValueError("a question has its answers in braces, once; write { =right ~wrong }")
    inner = _split(pieces[1], "}")
    if len(inner) != 2 or inner[1].strip():
        raise ValueError("the answers end with }, and nothing follows; fill-in questions cannot be read")
    answers, *told = _split(inner[0], "####")
    stem, exhibit = parted(_plain(pieces[0]))
    return _with_answers(answers.strip(), Question(label, "single", stem, exhibit, told=_plain("".join(told))))


def _with_answers(text: str, question: Question) -> Question:
    if text.startswith("#"):
        return _numeric(text[1:], question)
    if text.upper() in ("T", "F", "TRUE", "FALSE"):
        true = text.upper().startswith("T")
        return replace(question, answers=(Answer("True", true), Answer("False", not true)))
    marked = _marked(text)
    if marked and all("->" in body for _, body in marked):
        pairs = [tuple(map(_plain, body.split("->", 1))) for _, body in marked]
        return replace(
            question,
            kind="matching",
            pairs=tuple((left, right) for left, right in pairs if left),
            decoys=tuple(right for left, right in pairs if not left),
        )
    answers = tuple(_answer(mark, body) for mark, body in marked)
    if not any(one.right for one in answers):
        raise ValueError("no answer is right; mark it with =")
    weighted = any(_WEIGHT.match(body.strip()) for _, body in marked)
    return replace(question, kind="multiple" if weighted else "single", answers=answers)


def _answer(mark: str, body: str) -> Answer:
    weight = _WEIGHT.match(body.strip())
    text, *because = _split(body.strip()[weight.end() :] if weight else body, "#")
    right = float(weight["weight"]) > 0 if weight else mark == "="
    return Answer(_plain(text), right, _plain("".join(because)))


def _numeric(text: str, question: Question) -> Question:
    value, *unit = _split(text, "#")
    number, _, tolerance = value.strip().removeprefix("=").partition(":")
    try:
        float(number), float(tolerance or 0)
    except ValueError:
        raise ValueError(f"{value.strip()!r} is no number with a tolerance; write #51.6:0.1") from None
    return replace(
        question, kind="numeric", number=number, tolerance=tolerance or "0", unit=_plain("".join(unit)), answers=()
    )


def _marked(text: str) -> list[tuple[str, str]]:
    """Answers with the sign before them."""
    found: list[tuple[str, str]] = []
    escaped = False
    for character in text:
        if not escaped and character in "=~":
            found.append((character, ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + character)
        elif character.strip():
            raise ValueError("each answer begins with = or ~")
        escaped = character == "\\" and not escaped
    return found


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that no backslash stands before."""
    return re.split(rf"(?<!\\)(?:{re.escape(separator)})", text)
