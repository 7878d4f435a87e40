"""The format of question banks: what an item is. docs/exams.md explains it to authors.

A bank file (`exams/banks/<blueprint>/<topic>.yaml`) holds items of one topic. Every item has an explanation for every
answer that can be given, and a source. Texts may hold `{name}` for what the seed chose in an item's exhibit.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from engine.kernel.validation import StrictModel
from exams.blueprint import Source
from scenarios.model import Choice, FactText, FaultUse, Id, Name, Short, Text, Uuid
from scenarios.patterns import TextPattern

Difficulty = Annotated[int, Field(ge=1, le=5)]


class Exhibit(StrictModel):
    """What an item shows: either a fixed `text`, or `lines` that are run on a seeded world, with what they print.

    `vary`, `faults`, `noise`, `lead` and `settings` are those of scenarios; the lines are typed on the login host after
    `lead`. So every seed gives another exhibit, and each is true.
    """

    text: Text | None = None
    language: Annotated[Short | None, Field(description="what the fixed text is, such as yaml or slurm.conf")] = None
    site: Short | None = None
    settings: Annotated[dict[str, str], Field(default_factory=dict)]
    lead: Short = "1h"
    vary: Annotated[dict[Name, Choice], Field(default_factory=dict)]
    faults: tuple[FaultUse, ...] = ()
    noise: tuple[FaultUse, ...] = ()
    lines: tuple[Short, ...] = ()
    wide: Annotated[bool, Field(description="more than 80 columns cannot be avoided")] = False

    @model_validator(mode="after")
    def _one_kind(self) -> Exhibit:
        if (self.text is None) == (not self.lines):
            raise ValueError("an exhibit has either a text, or lines to run; give one of them")
        if (self.site is None) != (not self.lines):
            raise ValueError("lines are run on a site, and only they; give `site` with `lines`")
        return self


class Option(StrictModel):
    """One answer. `right` says whether it is; or `fact` is asked of the exhibit's world, and is right if it is true."""

    id: Id
    text: Short
    right: bool | None = None
    fact: FactText | None = None
    because: Text

    @model_validator(mode="after")
    def _judged(self) -> Option:
        if (self.right is None) == (self.fact is None):
            raise ValueError("an option is right or wrong by `right: true/false`, or by a `fact`; give one of them")
        return self


class Base(StrictModel):
    """What every item has."""

    id: Id
    uuid: Uuid
    domain: Id
    objective: Id
    difficulty: Difficulty
    stem: Text
    exhibit: Exhibit | None = None
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    practise: Annotated[tuple[Id, ...], Field(description="scenarios that train what this asks")] = ()


class Single(Base):
    """One right answer of several."""

    kind: Literal["single"]
    options: Annotated[tuple[Option, ...], Field(min_length=3, max_length=6)]


class Multiple(Base):
    """Several right answers; the stem is shown with "Choose N"."""

    kind: Literal["multiple"]
    options: Annotated[tuple[Option, ...], Field(min_length=4, max_length=8)]


class Step(StrictModel):
    """One step of an order; steps stand in the file as they must be ordered."""

    id: Id
    text: Short
    because: Text


class Ordering(Base):
    """Steps to be put in order."""

    kind: Literal["ordering"]
    steps: Annotated[tuple[Step, ...], Field(min_length=3, max_length=8)]


class Pair(StrictModel):
    """A text on the left and the one on the right that belongs to it."""

    id: Id
    left: Short
    right: Short
    because: Text


class Matching(Base):
    """Texts to be matched; `decoys` are texts on the right that belong to nothing."""

    kind: Literal["matching"]
    pairs: Annotated[tuple[Pair, ...], Field(min_length=3, max_length=8)]
    decoys: tuple[Short, ...] = ()


class Numeric(Base):
    """A number. It is `value`, or what `fact` gives in the exhibit's world; right within `tolerance` (in `unit`)."""

    kind: Literal["numeric"]
    value: float | int | None = None
    fact: FactText | None = None
    tolerance: Annotated[float | int, Field(ge=0)] = 0
    unit: Annotated[str, Field(max_length=20)] = ""
    because: Text

    @model_validator(mode="after")
    def _known(self) -> Numeric:
        if (self.value is None) == (self.fact is None):
            raise ValueError("the number is a `value` or a `fact`; give one of them")
        return self


class LineNote(StrictModel):
    """What to say about lines of the exhibit that hold a pattern."""

    pattern: TextPattern
    because: Text


class Point(Base):
    """A line of the exhibit to point at. Lines that hold `right` are; `wrong` explains others."""

    kind: Literal["point"]
    right: LineNote
    wrong: tuple[LineNote, ...] = ()
    otherwise: Text


class HandsOnItem(Base):
    """A small scenario to be solved in the shell; the points are those of its goals."""

    kind: Literal["hands-on"]
    scenario: Id
    minutes: Annotated[int, Field(ge=1, le=120)]


Item = Annotated[Single | Multiple | Ordering | Matching | Numeric | Point | HandsOnItem, Field(discriminator="kind")]


class BankFile(StrictModel):
    """A file of items on one topic."""

    format: Literal[1]
    blueprint: Id
    topic: Id
    title: Short
    authors: Annotated[tuple[Short, ...], Field(min_length=1)]
    licence: Short
    items: Annotated[tuple[Item, ...], Field(min_length=1)]
