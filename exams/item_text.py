"""Items as plain text: as they are asked on paper or line by line, and with everything there is to say afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from exams.answer_text import told_answer, written_answer
from exams.answers import Answer
from exams.feedback import feedback
from exams.rendered import LETTERS, Citation, Rendered

WIDTH = 78


def item_text(rendered: Rendered, number: int | None = None, width: int = WIDTH) -> str:
    """The item as it is asked."""
    head = f"{number}. " if number is not None else ""
    lines = [*_paragraphs(head + rendered.stem, width), ""]
    if rendered.exhibit:
        lines += [*exhibit_lines(rendered), ""]
    for place, choice in enumerate(rendered.choices):
        mark = str(place + 1) if rendered.kind == "matching" else LETTERS[place]
        lines += _hanging(f"  {mark}  ", choice.text, width)
    if rendered.rights:
        lines.append("")
        for place, choice in enumerate(rendered.rights):
            lines += _hanging(f"     {LETTERS[place]}  ", choice.text, width)
    return "\n".join([*lines, *([""] if rendered.choices else []), rendered.ask])


def exhibit_lines(rendered: Rendered) -> list[str]:
    """The exhibit; with numbers where a line has to be named."""
    if rendered.kind != "point":
        return [f"    {line}".rstrip() for line in rendered.exhibit]
    digits = len(str(len(rendered.exhibit)))
    return [f"{number:>{digits + 2}}  {line}".rstrip() for number, line in enumerate(rendered.exhibit, 1)]


def review_text(rendered: Rendered, answer: Answer | None, note: str = "", width: int = WIDTH) -> str:
    """What was answered, what is right, why, and where it says so."""
    given = " / ".join(told_answer(rendered, answer))
    written = written_answer(rendered, answer) if rendered.choices and answer is not None else ""
    lines = _hanging("Your answer: ", f"{written}  {given}".strip() + (f" ({note})" if note else ""), width)
    for told in feedback(rendered, answer):
        head = f"  {told.mark}  ".replace("    ", "  ")
        word = f"[{told.word}] " if told.word else ""
        lines += ["", *_hanging(head, word + told.text, width)]
        lines += _hanging(" " * len(head), told.because, width)
    lines += ["", *(line for source in rendered.sources for line in _hanging("Source: ", citation(source), width))]
    return "\n".join(lines)


def citation(source: Citation) -> str:
    """A source on one line."""
    parts = [source.title, source.locator, source.url, f"checked {source.checked}" if source.checked else ""]
    return ", ".join(part for part in parts if part)


def _paragraphs(text: str, width: int) -> Iterator[str]:
    """Text wrapped; its own line breaks stay."""
    for line in text.splitlines():
        yield from wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def _hanging(head: str, text: str, width: int) -> list[str]:
    """Text wrapped behind a head."""
    indent = " " * len(head)
    lines = list(_paragraphs(text, max(width - len(head), 20)))
    return [(head if place == 0 else indent) + line for place, line in enumerate(lines)]


def paper_text(items: Iterable[Rendered], width: int = WIDTH) -> str:
    """All items as they are asked, one after the other."""
    return "\n\n\n".join(item_text(item, number, width) for number, item in enumerate(items, 1)) + "\n"
