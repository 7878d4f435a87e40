"""How a fact is declared: a function with a docstring whose annotations say what it takes and what it gives.

    @fact("gpu.temperature")
    def temperature(view: View, gpu: Gpu) -> Temperature | None:
        \"\"\"What the GPU's own sensor shows.\"\"\"

Facts are found by their place: `engine/facts/catalogue/<topic>.py`.
"""

from __future__ import annotations

import importlib
import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from engine.facts.kinds import KINDS, Kind
from engine.facts.values import COUNT, QUANTITIES, TEXT, TRUTH, Value, ValueType
from engine.world.world import World

F = TypeVar("F", bound=Callable[..., Any])

_PLAIN = {bool: TRUTH, int: COUNT, str: TEXT}
_MARK = "_fact_name"

PATIENCE = 200_000


@dataclass(slots=True)
class Patience:
    """How many components one question may still look at; nested quantifiers over a large site multiply."""

    left: int = PATIENCE


@dataclass(frozen=True, slots=True)
class View:
    """What a fact looks at: a world at a time (ns since the site's start)."""

    world: World
    now: int
    patience: Patience = field(default_factory=Patience, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a fact takes: a component of a kind, one of some words, a text or a number."""

    name: str
    kind: Kind | None = None
    words: tuple[str, ...] = ()
    type: ValueType = TEXT

    @property
    def doc(self) -> str:
        """How the listing shows it."""
        return f"{self.name}={'|'.join(self.words)}" if self.words else self.name


@dataclass(frozen=True, slots=True)
class Fact:
    """A named statement: `ask(view, *arguments)` gives its value."""

    name: str
    parameters: tuple[Parameter, ...]
    type: ValueType
    doc: str
    ask: Callable[..., Value]

    @property
    def signature(self) -> str:
        """`gpu.xid(gpu, number)`."""
        return f"{self.name}({', '.join(parameter.doc for parameter in self.parameters)})"


def fact(name: str) -> Callable[[F], F]:
    """Declare that a function of the catalogue is the fact `name`."""

    def mark(function: F) -> F:
        setattr(function, _MARK, name)
        return function

    return mark


def declared(function: Callable[..., Any]) -> Fact:
    """The fact that a marked function declares."""
    hints = typing.get_type_hints(function)
    names = list(inspect.signature(function).parameters)[1:]
    parameters = tuple(_parameter(name, hints[name]) for name in names)
    doc = inspect.cleandoc(function.__doc__ or "")
    return Fact(getattr(function, _MARK), parameters, _result(hints["return"]), doc, function)


@cache
def catalogue() -> dict[str, Fact]:
    """Every fact by name, in order of names."""
    found = [declared(function) for name in _topics() for function in _marked(name)]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def _topics() -> list[str]:
    place = files("engine.facts.catalogue")
    names = sorted(entry.name for entry in place.iterdir() if entry.name.endswith(".py"))
    return [f"engine.facts.catalogue.{name.removesuffix('.py')}" for name in names if not name.startswith("_")]


def _marked(module: str) -> list[Callable[..., Any]]:
    members = vars(importlib.import_module(module)).values()
    return [member for member in members if inspect.isfunction(member) and hasattr(member, _MARK)]


def _parameter(name: str, hint: Any) -> Parameter:
    if hint in KINDS:
        return Parameter(name, kind=KINDS[hint])
    if typing.get_origin(hint) is typing.Literal:
        return Parameter(name, words=typing.get_args(hint))
    return Parameter(name, type=QUANTITIES.get(hint) or _PLAIN[hint])


def _result(hint: Any) -> ValueType:
    """The type of values, with or without `| None`."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        hint = next(option for option in typing.get_args(hint) if option is not type(None))
    return QUANTITIES.get(hint) or _PLAIN[hint]
