"""What the seed chooses in a scenario: components, times, numbers and words, one after another in the file's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.facts.fact import View
from engine.facts.facts import Facts
from engine.facts.kinds import TYPES, kind_named
from engine.facts.values import COUNT, DURATION, TEXT, Value, ValueType
from engine.kernel.calendar import local
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import format_duration
from engine.world.world import World
from scenarios import names as known_names
from scenarios.model import Choice, ComponentChoice, NumberChoice, Scenario, TimeChoice, WordChoice
from scenarios.templates import fill, time_offset


@dataclass
class Choices:
    """What was chosen: `facts` are values for the fact language, `texts` for patterns, lines and briefings."""

    facts: dict[str, Value] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def choose(scenario: Scenario, simulation: Simulation[World]) -> Choices:
    """Choose everything that varies. Raises BreakfixError if nothing fits a condition."""
    texts = known_names.site_names(simulation.world)
    choices = Choices(dict(texts), dict(texts))
    for name, choice in scenario.vary.items():
        draw = _DRAWS[type(choice)]
        draw(scenario, name, choice, simulation, choices)
    return choices


def name_types(scenario: Scenario, last: str | None = None) -> dict[str, ValueType]:
    """The types of the names in a scenario's facts, up to and with the name `last`."""
    types: dict[str, ValueType] = {name: TEXT for name in known_names.SITE_NAMES}
    for name, choice in scenario.vary.items():
        types[name] = _type_of(choice)
        types |= {f"{name}.{attribute}": TEXT for attribute in known_names.attribute_names(choice.kind)}
        if name == last:
            break
    return types


def _type_of(choice: Choice) -> ValueType:
    if isinstance(choice, ComponentChoice):
        return TYPES[choice.kind]
    return DURATION if isinstance(choice, TimeChoice) else COUNT if isinstance(choice, NumberChoice) else TEXT


def _stream(scenario: Scenario, name: str, simulation: Simulation[World]) -> Any:
    return simulation.stream(f"scenario/{scenario.id}/{name}")


def _component(
    scenario: Scenario, name: str, choice: ComponentChoice, simulation: Simulation[World], choices: Choices
) -> None:
    world = simulation.world
    place = str(choices.facts.get(choice.in_, choice.in_)) if choice.in_ else None
    candidates = list(kind_named(choice.kind).ids(world, place))
    types, view = name_types(scenario, name), View(world, simulation.now)

    def fitting(fact: str) -> list[str]:
        condition = Facts().check_truth(fact, types)
        return [one for one in candidates if condition.ask(view, {**choices.facts, name: one})]

    candidates = fitting(choice.where) if choice.where else candidates
    candidates = fitting(choice.prefer) or candidates if choice.prefer else candidates
    if not candidates:
        what = f"scenario {scenario.id}: no {choice.kind} fits `{name}` at seed {simulation.seed}"
        raise BreakfixError(what, "Loosen its `where`.")
    chosen = _stream(scenario, name, simulation).choice(candidates)
    found = known_names.attributes(world, choice.kind, chosen)
    _keep(choices, name, chosen, chosen)
    for attribute, text in found.items():
        _keep(choices, f"{name}.{attribute}", text, text)


def _time(scenario: Scenario, name: str, choice: TimeChoice, simulation: Simulation[World], choices: Choices) -> None:
    low, high, step = time_offset(choice.low), time_offset(choice.high), time_offset(choice.step)
    value = low + _stream(scenario, name, simulation).integer(0, (high - low) // step) * step
    _keep(choices, name, value, format_duration(value))
    inventory = simulation.world.inventory
    arrival = inventory.start + time_offset(fill(scenario.lead, choices.texts))
    clock = local(inventory.timezone, arrival - value).strftime("%H:%M")
    _keep(choices, f"{name}.clock", clock, clock)


def _number(
    scenario: Scenario, name: str, choice: NumberChoice, simulation: Simulation[World], choices: Choices
) -> None:
    value = _stream(scenario, name, simulation).integer(choice.low, choice.high)
    _keep(choices, name, value, str(value))


def _word(scenario: Scenario, name: str, choice: WordChoice, simulation: Simulation[World], choices: Choices) -> None:
    value = _stream(scenario, name, simulation).choice(choice.of)
    _keep(choices, name, value, value)


def _keep(choices: Choices, name: str, value: Value, text: str) -> None:
    choices.facts[name] = value
    choices.texts[name] = text


_DRAWS: Mapping[type[Any], Callable[..., None]] = {
    ComponentChoice: _component,
    TimeChoice: _time,
    NumberChoice: _number,
    WordChoice: _word,
}
