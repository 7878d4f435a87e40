"""The fact language for its users: check an expression once, ask it of a world at a time.

facts = Facts()
facts.evaluate(world, now, "all gpu in dgx-02 where gpu.present(gpu)", {})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.facts.expression import Checker, Expression, Names
from engine.facts.fact import Fact, View, catalogue
from engine.facts.parser import parse
from engine.facts.syntax import FactError
from engine.facts.values import COUNT, TEXT, TRUTH, Value, ValueType
from engine.world.world import World


@dataclass(frozen=True)
class Facts:
    """A catalogue of facts; without one, everything in engine/facts/catalogue."""

    known: Mapping[str, Fact] | None = None

    def check(self, text: str, names: Mapping[str, ValueType] | None = None) -> Expression:
        """The expression in `text`, with `names` for what it may refer to. Raises FactError."""
        facts = catalogue() if self.known is None else self.known
        return Checker(facts, names or {}).check(parse(text))

    def check_truth(self, text: str, names: Mapping[str, ValueType] | None = None) -> Expression:
        """An expression that is true or false. Raises FactError for any other."""
        expression = self.check(text, names)
        if expression.type is not TRUTH:
            raise FactError(1, f"this is {expression.type.name}; compare it with something, such as `... == ...`")
        return expression

    def evaluate(self, world: World, now: int, text: str, names: Names) -> Value:
        """The value of an expression in a world at a time. Raises FactError."""
        return self.check(text, {name: _type_of(value) for name, value in names.items()}).ask(View(world, now), names)


def listing() -> list[dict[str, Any]]:
    """The catalogue as data, for `breakfix list facts`."""
    return [
        {"name": fact.name, "signature": fact.signature, "value": _shown(fact.type), "doc": fact.doc}
        for fact in catalogue().values()
    ]


def _shown(kind: ValueType) -> str:
    return f"{kind.name} ({', '.join(kind.units)})" if kind.units else kind.name


def _type_of(value: Value) -> ValueType:
    if isinstance(value, bool):
        return TRUTH
    return COUNT if isinstance(value, int) else TEXT
