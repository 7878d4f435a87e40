"""CSV: a question a row, for spreadsheets. The columns are ours; a header names them.

Options stand in `option 1` to `option 12` with `because 1` to `because 12`, the letters of the right ones in `right`;
pairs as `left -> right` in the same columns, decoys without a left side.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from engine.kernel.errors import BreakfixError
from exams.exchange.layout import ARROW, in_pair
from exams.exchange.question import Answer, Kind, Question
from exams.rendered import LETTERS

_MOST = 12
COLUMNS = (
    "name", "kind", "category", "stem", "exhibit", "right", "number", "tolerance", "unit", "told",
    *(f"{word} {place}" for place in range(1, _MOST + 1) for word in ("option", "because")),
)  # fmt: skip


def write(questions: Iterable[Question]) -> str:
    """The questions as CSV."""
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, lineterminator="\n", restval="")
    rows.writeheader()
    rows.writerows(_row(question) for question in questions)
    return text.getvalue()


def _row(question: Question) -> dict[str, str]:
    row = {
        "name": question.name, "kind": question.kind, "category": "/".join(question.category),
        "stem": question.stem, "exhibit": "\n".join(question.exhibit), "told": question.told,
    }  # fmt: skip
    if question.kind == "numeric":
        return row | {"number": question.number, "tolerance": question.tolerance, "unit": question.unit}
    if question.kind == "matching":
        pairs = [*question.pairs, *(("", text) for text in question.decoys)]
        joined = [f"{in_pair(left)}{ARROW}{in_pair(right)}" for left, right in pairs]
        return row | {f"option {place}": text for place, text in enumerate(joined, 1)}
    row["right"] = "".join(letter for letter, one in zip(LETTERS, question.answers, strict=False) if one.right)
    for place, one in enumerate(question.answers, 1):
        row |= {f"option {place}": one.text, f"because {place}": one.because}
    return row


def read(text: str, name: str) -> list[Question]:
    """The questions of such a table. Raises BreakfixError as file:line."""
    rows = csv.DictReader(io.StringIO(text))
    missing = {"name", "kind", "stem", "option 1"} - set(rows.fieldnames or ())
    if missing:
        raise BreakfixError(f"{name}:1: the header lacks {', '.join(sorted(missing))}")
    questions = []
    for row in rows:
        try:
            questions.append(_question({key: value or "" for key, value in row.items() if key}))
        except ValueError as error:
            raise BreakfixError(f"{name}:{rows.line_num}: {error}") from None
    return questions


def _question(row: dict[str, str]) -> Question:
    kind = row["kind"]
    exhibit = tuple(row["exhibit"].split("\n")) if row.get("exhibit") else ()
    category = tuple(part for part in row.get("category", "").split("/") if part)
    told = row.get("told", "")
    options = [(row.get(f"option {place}", ""), row.get(f"because {place}", "")) for place in range(1, _MOST + 1)]
    options = [pair for pair in options if pair[0]]
    if kind == "numeric":
        float(row["number"])
        return Question(
            row["name"], "numeric", row["stem"], exhibit, number=row["number"], tolerance=row["tolerance"] or "0",
            unit=row["unit"], told=told, category=category,
        )  # fmt: skip
    if kind == "matching":
        pairs = [tuple(text.split(ARROW, 1)) for text, _ in options if ARROW in text]
        if len(pairs) != len(options):
            raise ValueError(f"a pair is written left{ARROW}right")
        return Question(
            row["name"], "matching", row["stem"], exhibit,
            pairs=tuple((left, right) for left, right in pairs if left),
            decoys=tuple(right for left, right in pairs if not left), told=told, category=category,
        )  # fmt: skip
    if kind not in ("single", "multiple"):
        raise ValueError(f"the kind {kind!r} is none; write single, multiple, numeric or matching")
    answers = tuple(
        Answer(text, letter in row["right"], because) for letter, (text, because) in zip(LETTERS, options, strict=False)
    )
    if not any(one.right for one in answers):
        raise ValueError("no answer is right; name the letters of the right ones under `right`")
    known: Kind = "single" if kind == "single" else "multiple"
    return Question(row["name"], known, row["stem"], exhibit, answers, told=told, category=category)
