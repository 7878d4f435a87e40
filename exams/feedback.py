"""What there is to say about each possible answer to an item, once it may be said."""

from __future__ import annotations

from dataclasses import dataclass

from exams.answers import Answer, Chosen, Matched, Ordered, Pointed
from exams.quantities import exact, number_text
from exams.rendered import Rendered, letter


@dataclass(frozen=True, slots=True)
class Told:
    """A possible answer: its mark on the screen (`B`, `2`), whether it is right, whether it was given, and why."""

    mark: str
    text: str
    right: bool
    given: bool
    because: str
    word: str = ""


_WORDS = {
    (True, True): "right, chosen",
    (True, False): "right",
    (False, True): "wrong, chosen",
    (False, False): "",
}
"""Right and given in words, since state is never told by colour alone."""


_PLACED = "right in your answer"


def _told(mark: str, text: str, right: bool, given: bool, because: str) -> Told:
    return Told(mark, text, right, given, because, _WORDS[right, given])


def _placed(mark: str, text: str, given: bool, because: str, otherwise: str) -> Told:
    """A part of an order or of a matching, as it should be; the word says whether it was so, or what was `otherwise`.

    Without an answer there is nothing to say (`otherwise` is empty).
    """
    return Told(mark, text, True, given, because, _PLACED if given else otherwise)


def feedback(rendered: Rendered, answer: Answer | None) -> tuple[Told, ...]:
    """Everything to be said about an item, in the order of the screen; steps in their right order."""
    if rendered.kind == "ordering":
        return _ordering(rendered, answer)
    if rendered.kind == "matching":
        return _matching(rendered, answer)
    if rendered.kind == "numeric":
        limits = f" (within {number_text(exact(rendered.tolerance))})" if exact(rendered.tolerance) else ""
        text = f"{number_text(exact(rendered.number))} {rendered.unit}".strip() + limits
        return (_told("", text, True, False, rendered.because),)
    if rendered.kind == "point":
        return _point(rendered, answer)
    chosen = answer.ids if isinstance(answer, Chosen) else ()
    return tuple(
        _told(letter(rendered.choices, one.id), one.text, one.id in rendered.key, one.id in chosen, one.because)
        for one in rendered.choices
    )


def _ordering(rendered: Rendered, answer: Answer | None) -> tuple[Told, ...]:
    """A step was given rightly where it stands in its place."""
    given = answer.ids if isinstance(answer, Ordered) else ()
    steps = {one.id: one for one in rendered.choices}
    otherwise = "you put another step here" if given else ""
    return tuple(
        _placed(str(place), steps[id].text, given[place - 1 : place] == (id,), steps[id].because, otherwise)
        for place, id in enumerate(rendered.key, 1)
    )


def _matching(rendered: Rendered, answer: Answer | None) -> tuple[Told, ...]:
    given = dict(answer.pairs) if isinstance(answer, Matched) else {}
    key, rights = dict(rendered.pairs), {one.id: one.text for one in rendered.rights}
    found = []
    for number, one in enumerate(rendered.choices, 1):
        right, text = given.get(one.id) == key[one.id], f"{one.text} - {rights[key[one.id]]}"
        otherwise = "you matched another text" if one.id in given else "you matched none" if given else ""
        found.append(_placed(str(number), text, right, one.because, otherwise))
    return tuple(found)


def _point(rendered: Rendered, answer: Answer | None) -> tuple[Told, ...]:
    """The right lines, the one that was given, and those that there is something to say about."""
    given = answer.line if isinstance(answer, Pointed) else 0
    lines = sorted({*rendered.lines, *(one.line for one in rendered.remarks), *([given] if given else [])})
    return tuple(
        _told(
            str(line), rendered.exhibit[line - 1].strip(), line in rendered.lines, line == given, rendered.remark(line)
        )
        for line in lines
    )
