"""From a tree to an expression whose names, facts and types are known to fit, ready to be asked of any world."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from engine.facts.fact import PATIENCE, Fact, Parameter, View
from engine.facts.kinds import BY_NAME, TYPES, Kind
from engine.facts.syntax import Call, Comparison, FactError, Junction, Literal, Negation, Quantifier, Tree, Word
from engine.facts.values import COUNT, TEXT, TRUTH, Value, ValueType, read_number
from engine.kernel.errors import BreakfixError
from engine.kernel.names import alternatives, quoted, unknown

Names = Mapping[str, Value]
Ask = Callable[[View, Names], Value]

_ORDER: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression: its type, how to ask it, and for a bare word its text (which may yet be an id)."""

    type: ValueType
    ask: Ask
    word: str | None = None
    column: int = 1


class Checker:
    """Checks trees against a catalogue of facts and the types of the names in use."""

    def __init__(self, facts: Mapping[str, Fact], names: Mapping[str, ValueType]) -> None:
        self._facts = facts
        self._names = dict(names)

    def check(self, tree: Tree) -> Expression:
        """The expression of a tree. Raises FactError."""
        if isinstance(tree, Literal):
            return _literal(tree)
        if isinstance(tree, Word):
            return self._word(tree)
        if isinstance(tree, Call):
            return self._call(tree)
        if isinstance(tree, Comparison):
            return self._comparison(tree)
        if isinstance(tree, Negation):
            return _negation(self._truth(tree.operand, "not"), tree.column)
        if isinstance(tree, Junction):
            operands = [self._truth(operand, tree.word) for operand in tree.operands]
            return _junction(tree.word, operands, tree.column)
        return self._quantifier(tree)

    def _word(self, word: Word) -> Expression:
        if word.text in self._names:
            name = word.text
            return Expression(self._names[name], lambda _, names: names[name], column=word.column)
        if word.text in self._facts:
            raise FactError(word.column, f"{word.text} needs its arguments: {self._facts[word.text].signature}")
        return _constant(TEXT, word.text, word.column, word.text)

    def _truth(self, tree: Tree, word: str) -> Expression:
        expression = self.check(tree)
        if expression.type is not TRUTH:
            raise FactError(expression.column, f"{word} needs something true or false, found {_found(expression)}")
        return expression

    def _call(self, call: Call) -> Expression:
        if call.fact not in self._facts:
            raise FactError(call.column, unknown("fact", call.fact, self._facts))
        fact = self._facts[call.fact]
        if len(call.arguments) != len(fact.parameters):
            raise FactError(call.column, f"wrong number of arguments; write {fact.signature}")
        pairs = zip(call.arguments, fact.parameters, strict=True)
        arguments = tuple(self._argument(tree, parameter, fact) for tree, parameter in pairs)
        return Expression(fact.type, partial(_ask_fact, fact, arguments), column=call.column)

    def _argument(self, tree: Tree, parameter: Parameter, fact: Fact) -> Ask:
        given = self.check(tree)
        if parameter.kind:
            return self._component(given, parameter.kind, fact)
        if parameter.words and given.word not in parameter.words:
            raise FactError(given.column, f"{fact.name} takes {alternatives(parameter.words)}, found {_found(given)}")
        if not _comparable(parameter.type, given.type):
            raise FactError(
                given.column, f"{parameter.name} of {fact.name} is {parameter.type.name}, found {_found(given)}"
            )
        return given.ask

    def _component(self, given: Expression, kind: Kind, fact: Fact) -> Ask:
        fits = given.type in (TEXT, TYPES[kind.name]) or (kind.name == "host" and given.type == TYPES["node"])
        if not fits and not (kind.name == "job" and given.type is COUNT):
            raise FactError(given.column, f"{fact.name} takes a {kind.name} ({kind.doc}), found {_found(given)}")
        return partial(_ask_component, kind, given, tuple(self._names))

    def _comparison(self, tree: Comparison) -> Expression:
        left, right = self.check(tree.left), self.check(tree.right)
        wrong = _mismatch(tree.operator, left.type, right.type)
        if wrong:
            raise FactError(tree.column, wrong)
        return Expression(TRUTH, partial(_compare, tree.operator, left.ask, right.ask), column=left.column)

    def _quantifier(self, tree: Quantifier) -> Expression:
        if tree.kind not in BY_NAME:
            raise FactError(tree.column, unknown("kind of component", tree.kind, BY_NAME))
        place = self._place(tree.place)
        outer = self._names.get(tree.name)
        self._names[tree.name] = TYPES[tree.kind]
        condition = self._truth(tree.condition, "where") if tree.condition else None
        del self._names[tree.name]
        self._names |= {tree.name: outer} if outer else {}
        members = partial(_members, BY_NAME[tree.kind], tree.name, place, condition.ask if condition else None)
        ask, result = _QUANTIFIERS[tree.word]
        return Expression(result, partial(ask, members), column=tree.column)

    def _place(self, word: Word | None) -> Ask | None:
        if word is None:
            return None
        given = self._word(word)
        if given.type not in (TEXT, TYPES["node"], TYPES["host"], TYPES["switch"]):
            raise FactError(word.column, f"in takes a host or a switch, found {_found(given)}")
        return partial(_ask_place, given)


def _constant(kind: ValueType, value: Value, column: int, word: str | None = None) -> Expression:
    return Expression(kind, lambda _, __: value, word, column)


def _literal(tree: Literal) -> Expression:
    if tree.kind == "text":
        return _constant(TEXT, tree.text, tree.column, tree.text)
    if tree.kind == "keyword":
        return _constant(TRUTH, tree.text == "true", tree.column)
    try:
        value, kind = read_number(tree.text)
    except BreakfixError as error:
        raise FactError(tree.column, error.message) from None
    return _constant(kind, value, tree.column)


def _negation(operand: Expression, column: int) -> Expression:
    return Expression(TRUTH, lambda view, names: not operand.ask(view, names), column=column)


def _junction(word: str, operands: list[Expression], column: int) -> Expression:
    test = all if word == "and" else any
    return Expression(TRUTH, lambda view, names: test(operand.ask(view, names) for operand in operands), column=column)


def _ask_fact(fact: Fact, arguments: tuple[Ask, ...], view: View, names: Names) -> Value:
    return fact.ask(view, *(argument(view, names) for argument in arguments))


def _ask_component(kind: Kind, given: Expression, known: tuple[str, ...], view: View, names: Names) -> Value:
    identifier = str(given.ask(view, names))
    if kind.name == "job" or given.type.component:
        return identifier
    try:
        return kind.require(view.world, identifier)
    except BreakfixError as error:
        hint = f" (names that are known here: {', '.join(known)})" if known else ""
        raise FactError(given.column, error.message + hint) from None


def _ask_place(given: Expression, view: View, names: Names) -> str:
    place = str(given.ask(view, names))
    inventory = view.world.inventory
    if place not in inventory.node_index and place not in inventory.switches:
        raise FactError(given.column, unknown("host or switch", place, [*inventory.host_names, *inventory.switches]))
    return place


def _members(
    kind: Kind, name: str, place: Ask | None, condition: Ask | None, view: View, names: Names
) -> Iterator[bool]:
    """For each component, whether the condition holds."""
    where = str(place(view, names)) if place else None
    for identifier in kind.ids(view.world, where):
        view.patience.left -= 1
        if view.patience.left < 0:
            raise FactError(1, f"this asks about more than {PATIENCE} components; nest less")
        yield condition is None or bool(condition(view, {**names, name: identifier}))


Members = Callable[[View, Names], Iterator[bool]]
_QUANTIFIERS: Mapping[str, tuple[Callable[[Members, View, Names], Value], ValueType]] = {
    "all": (lambda members, view, names: all(members(view, names)), TRUTH),
    "any": (lambda members, view, names: any(members(view, names)), TRUTH),
    "count": (lambda members, view, names: sum(members(view, names)), COUNT),
}


def _compare(sign: str, left: Ask, right: Ask, view: View, names: Names) -> bool:
    """No comparison holds with a value that is not there."""
    a, b = left(view, names), right(view, names)
    if a is None or b is None:
        return False
    if sign in _ORDER:
        return _ORDER[sign](int(a), int(b))
    if sign == "contains":
        return str(b) in str(a)
    return (a == b) is (sign == "==")


def _comparable(left: ValueType, right: ValueType) -> bool:
    return left == right or (left.textual and right.textual)


def _mismatch(sign: str, left: ValueType, right: ValueType) -> str | None:
    """Why two types cannot be compared so, or None."""
    if COUNT in (left, right) and TRUTH in (left, right):
        return "true or false cannot be compared with a number; put a count in parentheses: (count ... where ...) == 7"
    if COUNT in (left, right) and (units := left.units or right.units):
        quantity = left if left.units else right
        return f"{quantity.name} needs a unit ({', '.join(units)}), such as {quantity.example}"
    if not _comparable(left, right):
        return f"{left.name} cannot be compared with {right.name}"
    if sign in _ORDER and not left.ordered:
        return f"{sign} needs numbers; compare {left.name} with == or !="
    if sign == "contains" and not left.textual:
        return f"contains needs texts, found {left.name}"
    return None


def _found(given: Expression) -> str:
    return quoted(given.word) if given.word is not None else given.type.name
