"""What the seed chooses in a scenario or an exhibit: components, times, numbers and words, in the file's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.facts.fact import View
from engine.facts.facts import Facts
from engine.facts.kinds import TYPES, kind_named
from engine.facts.values import COUNT, DURATION, TEXT, Value, ValueType
from engine.kernel.calendar import local
from engine.kernel.errors import BreakfixError
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, format_duration
from engine.world.world import World
from scenarios import names as known_names
from scenarios.model import Choice, ComponentChoice, NumberChoice, TimeChoice, WordChoice
from scenarios.templates import fill, time_offset


class Varied(Protocol):
    """What holds choices: a scenario, or the exhibit of an exam's item. `lead` is the time before somebody comes."""

    @property
    def id(self) -> str: ...

    @property
    def vary(self) -> Mapping[str, Choice]: ...

    @property
    def lead(self) -> str: ...


@dataclass
class Choices:
    """What was chosen: `facts` are values for the fact language, `texts` for patterns, lines and briefings."""

    facts: dict[str, Value] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


@dataclass
class _Draw:
    """The drawing of everything that varies in one thing; `kind` is what that thing is called."""

    kind: str
    varied: Varied
    simulation: Simulation[World]
    choices: Choices
    lateness: int = 0

    @property
    def called(self) -> str:
        return f"{self.kind} {self.varied.id}"

    def stream(self, name: str) -> Stream:
        return self.simulation.stream(f"{self.kind}/{self.varied.id}/{name}")

    def keep(self, name: str, value: Value, text: str) -> None:
        self.choices.facts[name] = value
        self.choices.texts[name] = text


def choose(varied: Varied, simulation: Simulation[World], kind: str = "scenario", lateness: int = 0) -> Choices:
    """Choose everything that varies; `kind` is what is varied. What happened at a time that was chosen came `lateness`
    ns later. Raises BreakfixError if nothing fits a condition.
    """
    texts = known_names.site_names(simulation.world)
    draw = _Draw(kind, varied, simulation, Choices(dict(texts), dict(texts)), lateness)
    for name, choice in varied.vary.items():
        _DRAWS[type(choice)](draw, name, choice)
    return draw.choices


def name_types(varied: Varied, last: str | None = None) -> dict[str, ValueType]:
    """The types of the names in its facts, up to and with the name `last`."""
    types: dict[str, ValueType] = {name: TEXT for name in known_names.SITE_NAMES}
    for name, choice in varied.vary.items():
        types[name] = _type_of(choice)
        types |= {f"{name}.{attribute}": TEXT for attribute in known_names.attribute_names(choice.kind)}
        if name == last:
            break
    return types


def _type_of(choice: Choice) -> ValueType:
    if isinstance(choice, ComponentChoice):
        return TYPES[choice.kind]
    return DURATION if isinstance(choice, TimeChoice) else COUNT if isinstance(choice, NumberChoice) else TEXT


def _component(draw: _Draw, name: str, choice: ComponentChoice) -> None:
    world, choices = draw.simulation.world, draw.choices
    place = str(choices.facts.get(choice.in_, choice.in_)) if choice.in_ else None
    candidates = list(kind_named(choice.kind).ids(world, place))
    types, view = name_types(draw.varied, name), View(world, draw.simulation.now)

    def named(one: str) -> dict[str, str]:
        found = known_names.attributes(world, choice.kind, one)
        return {name: one} | {f"{name}.{attribute}": text for attribute, text in found.items()}

    def fitting(fact: str) -> list[str]:
        condition = Facts().check_truth(fact, types)
        return [one for one in candidates if condition.ask(view, {**choices.facts, **named(one)})]

    candidates = fitting(choice.where) if choice.where else candidates
    candidates = fitting(choice.prefer) or candidates if choice.prefer else candidates
    if not candidates:
        what = f"{draw.called}: no {choice.kind} fits `{name}` at seed {draw.simulation.seed}"
        raise BreakfixError(what, "Loosen its `where`.")
    chosen = draw.stream(name).choice(candidates)
    for known, text in named(chosen).items():
        draw.keep(known, text, text)


def _time(draw: _Draw, name: str, choice: TimeChoice) -> None:
    low, high, step = time_offset(choice.low), time_offset(choice.high), time_offset(choice.step)
    value = low + draw.stream(name).integer(0, (high - low) // step) * step
    draw.keep(name, value, format_duration(value))
    inventory = draw.simulation.world.inventory
    arrival = inventory.start + time_offset(fill(draw.varied.lead, draw.choices.texts))
    moment = arrival - value + (draw.lateness if value >= MINUTE else 0)
    for known, time in (("clock", moment), ("before", moment - MINUTE)):
        clock = local(inventory.timezone, time).strftime("%H:%M")
        draw.keep(f"{name}.{known}", clock, clock)


def _number(draw: _Draw, name: str, choice: NumberChoice) -> None:
    value = draw.stream(name).integer(choice.low, choice.high)
    draw.keep(name, value, str(value))


def _word(draw: _Draw, name: str, choice: WordChoice) -> None:
    value = draw.stream(name).choice(choice.of)
    draw.keep(name, value, value)


_DRAWS: Mapping[type[Any], Callable[[_Draw, str, Any], None]] = {
    ComponentChoice: _component,
    TimeChoice: _time,
    NumberChoice: _number,
    WordChoice: _word,
}
