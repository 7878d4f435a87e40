"""Moodle XML. Source: MoodleDocs, "Moodle XML format"; entities and external references in a file are refused.

multichoice, numerical and matching questions with their feedback. Texts are HTML: paragraphs, and exhibits in <pre>.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from engine.kernel.errors import BreakfixError
from exams.exchange.question import Answer, Kind, Question

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_KINDS = {"multichoice", "numerical", "matching", "truefalse"}


def write(questions: Iterable[Question]) -> str:
    """The questions as Moodle XML."""
    quiz = ElementTree.Element("quiz")
    category: tuple[str, ...] = ()
    for question in questions:
        if question.category != category:
            category = question.category
            element = ElementTree.SubElement(quiz, "question", type="category")
            _text(ElementTree.SubElement(element, "category"), "$course$/" + "/".join(category))
        _add(quiz, question)
    ElementTree.indent(quiz)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(quiz, encoding="unicode")}\n'


def _add(quiz: Element, question: Question) -> None:
    type_ = {"numeric": "numerical", "matching": "matching"}.get(question.kind, "multichoice")
    element = ElementTree.SubElement(quiz, "question", type=type_)
    _text(ElementTree.SubElement(element, "name"), question.name)
    shown = f"<pre>{html.escape(chr(10).join(question.exhibit), quote=False)}</pre>" if question.exhibit else ""
    _html(element, "questiontext", _paragraphs(question.stem) + shown)
    _html(element, "generalfeedback", _paragraphs(question.told))
    if question.kind == "numeric":
        answer = ElementTree.SubElement(element, "answer", fraction="100")
        ElementTree.SubElement(answer, "text").text = question.number
        ElementTree.SubElement(answer, "tolerance").text = question.tolerance
        if question.unit:
            unit = ElementTree.SubElement(ElementTree.SubElement(element, "units"), "unit")
            ElementTree.SubElement(unit, "multiplier").text = "1"
            ElementTree.SubElement(unit, "unit_name").text = question.unit
    elif question.kind == "matching":
        for left, right in (*question.pairs, *(("", text) for text in question.decoys)):
            part = _html(element, "subquestion", _paragraphs(left) if left else "")
            _text(ElementTree.SubElement(part, "answer"), right)
    else:
        _options(element, question)


def _options(element: Element, question: Question) -> None:
    ElementTree.SubElement(element, "single").text = "true" if question.kind == "single" else "false"
    ElementTree.SubElement(element, "shuffleanswers").text = "true"
    right = sum(one.right for one in question.answers)
    for one in question.answers:
        wrong = "0" if question.kind == "single" else "-100"
        fraction = f"{100 / right:.5f}".rstrip("0").rstrip(".") if one.right else wrong
        answer = ElementTree.SubElement(element, "answer", fraction=fraction, format="html")
        ElementTree.SubElement(answer, "text").text = _paragraphs(one.text)
        _html(answer, "feedback", _paragraphs(one.because))


def _text(parent: Element, text: str) -> None:
    ElementTree.SubElement(parent, "text").text = text


def _html(parent: Element, tag: str, text: str) -> Element:
    element = ElementTree.SubElement(parent, tag, format="html")
    ElementTree.SubElement(element, "text").text = text
    return element


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in text.split("\n")) if text else ""


def read(text: str, name: str) -> list[Question]:
    """The questions of a Moodle XML file. Raises BreakfixError for what is no such file."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        quiz = fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise BreakfixError(f"{name}:{error.position[0]}: this is no XML: {error}") from None
    except DefusedXmlException:
        told = "it declares entities or refers to other files, which is refused"
        raise BreakfixError(f"{name}: {told}", "Remove the DOCTYPE.") from None
    if quiz.tag != "quiz":
        raise BreakfixError(f"{name}: the outermost element is <{quiz.tag}>; Moodle's is <quiz>")
    questions: list[Question] = []
    category: tuple[str, ...] = ()
    for element in quiz.iter("question"):
        if element.get("type") == "category":
            path = (element.findtext("category/text") or "").removeprefix("$course$/")
            category = tuple(part for part in path.split("/") if part)
        elif element.get("type") in _KINDS:
            try:
                questions.append(_question(element, category, len(questions) + 1))
            except ValueError as error:
                raise BreakfixError(f"{name}: question {len(questions) + 1}: {error}") from None
        else:
            raise BreakfixError(f"{name}: a question of type {element.get('type')!r} cannot be read")
    return questions


def _question(element: Element, category: tuple[str, ...], number: int) -> Question:
    label = " ".join((element.findtext("name/text") or f"question-{number}").split())
    stem, exhibit = _read_html(element.findtext("questiontext/text") or "")
    told, _ = _read_html(element.findtext("generalfeedback/text") or "")
    if element.get("type") == "numerical":
        answer = element.find("answer")
        value = (answer.findtext("text") if answer is not None else "") or ""
        float(value)
        tolerance = (answer.findtext("tolerance") if answer is not None else None) or "0"
        unit = element.findtext("units/unit/unit_name") or ""
        return Question(
            label, "numeric", stem, exhibit, number=value, tolerance=tolerance, unit=unit, told=told, category=category
        )
    if element.get("type") == "matching":
        pairs = [
            (_read_html(part.findtext("text") or "")[0], " ".join((part.findtext("answer/text") or "").split()))
            for part in element.iter("subquestion")
        ]
        return Question(
            label, "matching", stem, exhibit, pairs=tuple((left, right) for left, right in pairs if left),
            decoys=tuple(right for left, right in pairs if not left), told=told, category=category,
        )  # fmt: skip
    answers = tuple(
        Answer(
            _read_html(one.findtext("text") or "")[0],
            float(one.get("fraction", "0")) > 0,
            _read_html(one.findtext("feedback/text") or "")[0],
        )
        for one in element.findall("answer")
    )
    if not any(one.right for one in answers):
        raise ValueError("no answer has a fraction above 0")
    kind: Kind = "multiple" if (element.findtext("single") or "true").strip() in ("false", "0") else "single"
    return Question(label, kind, stem, exhibit, answers, told=told, category=category)


class _Reader(HTMLParser):
    """Paragraphs of an HTML text, and the lines of what stands in <pre>."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = [""]
        self.shown: list[str] = []
        self._pre = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._pre |= tag == "pre"
        if tag in ("p", "br", "div", "li", "tr") and self.lines[-1]:
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        self._pre = self._pre and tag != "pre"
        if tag == "p":
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if self._pre:
            self.shown.append(data)
        else:
            self.lines[-1] += re.sub(r"\s+", " ", data)


def _read_html(text: str) -> tuple[str, tuple[str, ...]]:
    """The text, and the exhibit that stands in <pre>."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    lines = [line.strip() for line in reader.lines]
    shown = "".join(reader.shown)
    return "\n".join(line for line in lines if line), tuple(shown.split("\n")) if shown else ()
