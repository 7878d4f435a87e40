"""What varies and what breaks in a world must make sense, in scenarios and in the exhibits of exams alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from engine.facts.facts import Facts
from engine.facts.kinds import BY_NAME
from engine.kernel.documents import Path
from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.sites.model import StandingModel
from scenarios.ground import Ground
from scenarios.model import Choice, ComponentChoice, FaultUse, NumberChoice, TimeChoice
from scenarios.templates import names_in, time_offset
from scenarios.vary import Varied, name_types

if TYPE_CHECKING:
    from engine.faults.fault import Fault

Found = Iterator[tuple[Path, str]]
"""(path in the file, what is wrong) of each mistake."""


def refused(path: Path, work: Callable[[], object], where: str = "") -> Found:
    """The complaint of `work`, if it has one."""
    try:
        work()
    except BreakfixError as error:
        yield path, where + error.message


def site_mistakes(ground: Ground, path: Path) -> Found:
    """A site that there is not, or that can't be built."""
    yield from ((path, what) for what in ground.mistakes())


def work_mistakes(ground: Ground, standing: StandingModel | None, path: Path) -> Found:
    """Work in place of the site's own that names what the site does not have, or does not fit on it."""
    yield from (((*path, *where), what) for where, what in ground.work_mistakes(standing))


def vary_mistakes(varied: Varied, path: Path) -> Found:
    """Choices that cannot be made."""
    for name, choice in varied.vary.items():
        if name in BY_NAME and choice.kind != name:
            yield (*path, name), f"{name} is also a kind of component; call this something else"
        yield from _choice(varied, name, (*path, name), choice)


def _choice(varied: Varied, name: str, path: Path, choice: Choice) -> Found:
    names = list(varied.vary)
    if isinstance(choice, ComponentChoice):
        if choice.in_ in names[names.index(name) :]:
            yield (*path, "in"), f"{choice.in_} is chosen after {name}; put it before"
        for key, text in (("where", choice.where), ("prefer", choice.prefer)):
            yield from refused((*path, key), partial(Facts().check_truth, text or "true", name_types(varied, name)))
    if isinstance(choice, NumberChoice) and choice.low > choice.high:
        yield (*path, "low"), "low is more than high"
    if isinstance(choice, TimeChoice):
        keys = ("low", "high", "step")
        wrong = [found for key in keys for found in refused((*path, key), partial(time_offset, getattr(choice, key)))]
        yield from wrong
        if not wrong and (time_offset(choice.low) > time_offset(choice.high) or time_offset(choice.step) <= 0):
            yield path, "low is more than high, or the step is not positive"


def fault_mistakes(uses: Iterable[tuple[Path, FaultUse]], ground: Ground) -> Found:
    """Faults that there are not, and those with parameters, values or targets that they do not take."""
    from engine.faults.fault import catalogue

    known = catalogue()
    for path, use in uses:
        if use.fault not in known:
            yield (*path, "fault"), unknown("fault", use.fault, known)
            continue
        names = [parameter.name for parameter in known[use.fault].parameters]
        for name in use.parameters:
            if name not in names:
                yield (*path, "parameters", name), unknown(f"parameter of {use.fault}", name, names)
        yield from _literal_values(ground, path, use, known[use.fault])


def _literal_values(ground: Ground, path: Path, use: FaultUse, fault: Fault) -> Found:
    """Targets and values that the seed does not choose can be checked before anybody plays."""
    from engine.faults.fault import check_target

    for parameter in fault.parameters:
        value = use.parameters.get(parameter.name)
        if value is not None and not names_in(value):
            yield from refused((*path, "parameters", parameter.name), partial(parameter.read, value))
    if not names_in(use.target) and not any(ground.mistakes()):
        yield from refused((*path, "target"), partial(check_target, ground.inventory(), fault, use.target))
