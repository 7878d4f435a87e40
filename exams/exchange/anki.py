"""Anki: a deck of cards, for `File, Import` (genanki writes the package). A card asks, its back has key and reasons.

Ids of decks and notes follow from the exam and the items, so that a later import renews cards and keeps their history.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from typing import Any

from engine.kernel.random import hash64
from exams.exchange.question import Question
from exams.rendered import LETTERS

_STYLE = """
.card { font-family: sans-serif; font-size: 18px; text-align: left; }
pre { font-size: 13px; white-space: pre-wrap; }
.right { font-weight: bold; }
.told { color: gray; font-size: 14px; }
"""


def write(questions: Sequence[Question], title: str) -> bytes:
    """The questions as an .apkg file: a deck of the exam's title."""
    import genanki

    model = genanki.Model(
        _id("breakfix/model"),
        "breakfix question",
        fields=[{"name": "Question"}, {"name": "Answer"}],
        templates=[
            {"name": "Card", "qfmt": "{{Question}}", "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}"},
        ],
        css=_STYLE,
    )
    deck = genanki.Deck(_id(f"breakfix/{title}"), f"breakfix: {title}")
    for question in questions:
        tags = [part.replace(" ", "-") for part in question.category]
        fields = [_front(question), _back(question)]
        guid = genanki.guid_for("breakfix", title, question.name)
        deck.add_note(genanki.Note(model=model, fields=fields, tags=tags, guid=guid))
    return _packed(genanki.Package(deck))


def _packed(package: Any) -> bytes:
    file = io.BytesIO()
    package.write_to_file(file, timestamp=0)
    return file.getvalue()


def _id(name: str) -> int:
    """An id as Anki wants it: below 2^31, the same for the same name."""
    return hash64(0, name) % (1 << 30) + (1 << 30)


def _front(question: Question) -> str:
    parts = [_lines(question.stem)]
    if question.exhibit:
        parts.append(f"<pre>{html.escape(chr(10).join(question.exhibit))}</pre>")
    if question.kind == "multiple":
        parts.append(f"<p>Choose {sum(one.right for one in question.answers)}.</p>")
    if question.answers:
        options = "".join(f"<li>{html.escape(one.text)}</li>" for one in question.answers)
        parts.append(f'<ol type="A">{options}</ol>')
    if question.kind == "matching":
        rights = sorted([*dict.fromkeys(right for _, right in question.pairs), *question.decoys])
        left = "".join(f"<li>{html.escape(text)}</li>" for text, _ in question.pairs)
        right = "".join(f"<li>{html.escape(text)}</li>" for text in rights)
        parts.append(f'<ol>{left}</ol><ol type="A">{right}</ol>')
    if question.unit:
        parts.append(f"<p>In {html.escape(question.unit)}.</p>")
    return "".join(parts)


def _back(question: Question) -> str:
    parts = []
    for letter, one in zip(LETTERS, question.answers, strict=False):
        style = "right" if one.right else "wrong"
        mark = "&#10003;" if one.right else "&#10007;"
        parts.append(f'<p class="{style}">{mark} {letter}. {html.escape(one.text)}</p>{_lines(one.because)}')
    for left, right in question.pairs:
        parts.append(f'<p class="right">{html.escape(left)} &rarr; {html.escape(right)}</p>')
    if question.kind == "numeric":
        within = f" (within {question.tolerance})" if question.tolerance not in ("", "0") else ""
        parts.append(f'<p class="right">{question.number} {html.escape(question.unit)}{within}</p>')
    return "".join([*parts, f'<div class="told">{_lines(question.told)}</div>'])


def _lines(text: str) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n") if line)
