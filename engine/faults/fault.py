"""Faults: causes of trouble with parameters, one file each: `engine/faults/<id with . as _>.py` declares `FAULT`.

A fault changes a cause in the world at its onset (a board's defect, a fan, packages) and never what a command shows.
Written on one line: `gpu.fell_off_bus target=dgx-02/gpu5 onset=3m cause=seating`. What was injected is kept in the
world as the truth to diagnose; nothing that a command shows reads it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from engine.faults.targets import target_kinds
from engine.kernel import units
from engine.kernel.actions import Action
from engine.kernel.errors import BreakfixError
from engine.kernel.events import Event, Handler
from engine.kernel.names import quoted, unknown
from engine.kernel.simulation import Simulation
from engine.world.events import FaultOnset
from engine.world.inventory import Inventory
from engine.world.records import ActiveFault
from engine.world.world import World

Value = int | str | None
Values = Mapping[str, Value]
Inject = Callable[[Simulation[World], str, Values], None]

_CATALOGUE = "`breakfix list faults` shows them all."


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a fault: `kind` is integer, duration, choice or text; `default` None means that the fault draws
    or works it out.
    """

    name: str
    kind: str
    default: str | None
    doc: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    def read(self, text: str) -> Value:
        """The value that `text` stands for. Raises BreakfixError with what may be written."""
        if self.kind == "integer":
            return self._within(_integer(self.name, text))
        if self.kind == "duration":
            return self._within(units.duration(text))
        if self.kind == "choice" and text not in self.choices:
            raise BreakfixError(f"{self.name}={text}: " + unknown("choice", text, self.choices))
        return text

    def _within(self, value: int) -> int:
        low, high = self.least, self.most
        if (low is not None and value < low) or (high is not None and value > high):
            show = units.format_duration if self.kind == "duration" else str
            limits = [f"at least {show(low)}"] if low is not None else []
            limits += [f"at most {show(high)}"] if high is not None else []
            raise BreakfixError(f"{self.name} must be {' and '.join(limits)}")
        return value


@dataclass(frozen=True, slots=True)
class Fault:
    """A cause of trouble. `targets` are kinds of component (see engine.faults.targets); `inject` begins it on one."""

    id: str
    title: str
    targets: tuple[str, ...]
    inject: Inject
    parameters: tuple[Parameter, ...] = ()
    doc: str = ""

    def values(self, given: Mapping[str, str]) -> Values:
        """Typed values of all parameters. Raises BreakfixError for unknown names and bad values."""
        known = {parameter.name for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise BreakfixError(unknown(f"parameter of {self.id}", name, {*known, "target", "onset"}))
        texts = {parameter.name: given.get(parameter.name, parameter.default) for parameter in self.parameters}
        readers = {parameter.name: parameter.read for parameter in self.parameters}
        return MappingProxyType({name: None if text is None else readers[name](text) for name, text in texts.items()})


def catalogue() -> dict[str, Fault]:
    """All faults by id, sorted."""
    found = [importlib.import_module(f"engine.faults.{stem}").FAULT for stem in _modules()]
    return {each.id: each for each in sorted(found, key=lambda each: str(each.id))}


def fault(identifier: str) -> Fault:
    """The fault `identifier`. Raises BreakfixError with the nearest names if there is none."""
    known = catalogue()
    if identifier not in known:
        raise BreakfixError(unknown("fault", identifier, known), _CATALOGUE)
    return known[identifier]


def parse_fault(text: str) -> InjectFault:
    """The action for `gpu.fell_off_bus target=dgx-02/gpu5 onset=3m`. Raises BreakfixError for what is wrong with the
    line.

    Whether the site has the target is checked by `check_target`, and again when the fault is injected.
    """
    words = text.split()
    if not words:
        raise BreakfixError("an empty fault; write it like gpu.fell_off_bus target=dgx-02/gpu5", _CATALOGUE)
    chosen = fault(words[0])
    given = dict(_pair(chosen, word) for word in words[1:])
    target, onset = given.pop("target", ""), given.pop("onset", "0s")
    if not target:
        raise BreakfixError(f"{chosen.id} needs a target, such as target={_example(chosen)}")
    chosen.values(given)
    return InjectFault(chosen.id, target, tuple(sorted(given.items())), units.duration(onset))


def check_target(inventory: Inventory, chosen: Fault, target: str) -> None:
    """Raises BreakfixError, with the nearest names, unless `target` is a component of the site that the fault can
    befall.
    """
    names: list[str] = []
    for kind in chosen.targets:
        if target_kinds()[kind].has(inventory, target):
            return
        names += target_kinds()[kind].near(inventory, target)
    wanted = " or ".join(target_kinds()[kind].title for kind in chosen.targets)
    raise BreakfixError(f"{chosen.id} befalls {wanted}: " + unknown("target", target, names))


@dataclass(frozen=True, slots=True)
class InjectFault(Action):
    """Begin a fault `after` ns. Raises BreakfixError if the site has no such target."""

    fault: str
    target: str
    parameters: tuple[tuple[str, str], ...] = ()
    after: int = 0

    def perform(self, simulation: Simulation[World]) -> None:
        chosen = fault(self.fault)
        check_target(simulation.world.inventory, chosen, self.target)
        chosen.values(dict(self.parameters))
        event = FaultOnset(self.fault, self.target, self.parameters)
        if self.after > 0:
            simulation.schedule(event, self.after)
        else:
            _begin(simulation, event)


def _begin(simulation: Simulation[World], event: FaultOnset) -> None:
    chosen, table = fault(event.fault), simulation.world.faults
    active = ActiveFault(event.fault, event.target, event.parameters, simulation.now)
    table.update("", active=(*table[""].active, active))
    chosen.inject(simulation, event.target, chosen.values(dict(event.parameters)))


def _modules() -> list[str]:
    """Modules of this package that declare a fault: all but those that help (`_` in front)."""
    stems = [entry.name.removesuffix(".py") for entry in files("engine.faults").iterdir() if entry.name.endswith(".py")]
    return sorted(stem for stem in stems if not stem.startswith("_") and stem not in ("fault", "targets"))


def _pair(chosen: Fault, word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise BreakfixError(
            f"{quoted(word)} is not of the form name=value; write {chosen.id} target={_example(chosen)}"
        )
    return name, value


def _example(chosen: Fault) -> str:
    return target_kinds()[chosen.targets[0]].example


def _integer(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BreakfixError(f"{name}={text}: {quoted(text)} is not a whole number") from None


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((FaultOnset, _begin),)
