"""An item as it is put before somebody: what is shown, in which order, and the key. Attempts store it, so a later
change of the bank changes nothing in them.

The key names answers by id, never by letter or place: those are only how they stand on the screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from engine.kernel.errors import BreakfixError

T = TypeVar("T")

Kind = Literal["single", "multiple", "ordering", "matching", "numeric", "point", "hands-on"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose, to order or to match, and what there is to say about it."""

    id: str
    text: str
    because: str = ""


@dataclass(frozen=True, slots=True)
class LineRemark:
    """What there is to say about a line of the exhibit; lines count from 1."""

    line: int
    because: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Where something is said, and when somebody last looked (an ISO date)."""

    title: str
    locator: str = ""
    url: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Rendered:
    """An item at a seed.

    `exhibit` are its lines, of which those numbered in `typed` (from 1) are prompts with what was typed. `choices` are
    options, steps, or texts to be matched with `rights`. The key is `key` (ids; of steps in their order), for matching
    `pairs`, for numbers `number` and `tolerance` in `unit` (exact, such as `51.6` or `155/3`), for pointing `lines`.
    """

    kind: Kind
    item: str
    uuid: str
    seed: int
    domain: str
    objective: str
    difficulty: int
    stem: str
    exhibit: tuple[str, ...] = ()
    typed: tuple[int, ...] = ()
    language: str = ""
    choices: tuple[Choice, ...] = ()
    rights: tuple[Choice, ...] = ()
    key: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    number: str = ""
    tolerance: str = "0"
    unit: str = ""
    lines: tuple[int, ...] = ()
    remarks: tuple[LineRemark, ...] = ()
    because: str = ""
    otherwise: str = ""
    scenario: str = ""
    minutes: int = 0
    sources: tuple[Citation, ...] = ()
    practise: tuple[str, ...] = ()

    @property
    def ask(self) -> str:
        """What is to be done, in a few words, for under the stem."""
        if self.kind == "multiple":
            return f"Choose {len(self.key)}."
        if self.kind == "numeric" and self.unit:
            return f"Give the number in {self.unit}."
        return _ASK[self.kind]

    @property
    def output_lines(self) -> tuple[int, ...]:
        """The numbers of the exhibit's lines that can be pointed at: those that nobody typed."""
        return tuple(number for number in range(1, len(self.exhibit) + 1) if number not in self.typed)

    def choice(self, id: str) -> Choice:
        """The option, the step or the text on the left of that id. Raises KeyError."""
        return {one.id: one for one in self.choices}[id]

    def remark(self, line: int) -> str:
        """What there is to say about a line of the exhibit."""
        return {one.line: one.because for one in self.remarks}.get(line, self.otherwise)


_ASK = {
    "single": "Choose one.",
    "ordering": "Put them in order.",
    "matching": "Match each on the left with one on the right.",
    "numeric": "Give the number.",
    "point": "Point at the line.",
    "hands-on": "Solve it in the shell.",
}


def letter(choices: tuple[Choice, ...], id: str) -> str:
    """The letter that a choice has on the screen."""
    return LETTERS[[one.id for one in choices].index(id)]


def to_data(value: Any) -> Any:
    """A frozen record of this package as plain data for JSON."""
    return _adapter(type(value)).dump_python(value, mode="json")


def from_data(kind: type[T], data: object) -> T:
    """The record of that type that `to_data` wrote. Raises BreakfixError for anything else."""
    from pydantic import ValidationError

    try:
        record: T = _adapter(kind).validate_python(data)
        return record
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise BreakfixError(f"a broken record of an exam: {place}: {first['msg']}") from None


_ADAPTERS: dict[type[Any], Any] = {}


def _adapter(kind: type[Any]) -> Any:
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
