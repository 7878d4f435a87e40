"""What a bank file must mean, beyond its form: names, facts, faults, objectives and scenarios that exist."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from engine.facts.facts import Facts
from engine.facts.values import ValueType
from engine.kernel.documents import Path
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted, unknown
from exams import item as items
from exams import texts
from exams.blueprint import Blueprint
from exams.exhibits import Varying
from exams.item import BankFile, Item
from exams.quantities import fact_in_unit
from scenarios import catalogue as scenarios
from scenarios.ground import Ground
from scenarios.templates import names_in, require, time_offset
from scenarios.vary import name_types
from scenarios.world_checks import Found, fault_mistakes, refused, site_mistakes, vary_mistakes

if TYPE_CHECKING:
    pass


def mistakes(bank: BankFile, blueprint: Blueprint | None) -> Found:
    """(path in the file, what is wrong) of everything that is. Without a blueprint objectives are not looked up."""
    for key in ("id", "uuid"):
        values = [getattr(item, key) for item in bank.items]
        for number, value in enumerate(values):
            if value in values[:number]:
                yield ("items", number, key), f"the {key} {quoted(value)} stands here twice"
    for number, item in enumerate(bank.items):
        for path, what in _item(item, blueprint):
            yield ("items", number, *path), what


def _item(item: Item, blueprint: Blueprint | None) -> Found:
    yield from _objective(item, blueprint)
    yield from _scenarios(item)
    yield from _exhibit(item)
    yield from _texts(item)
    yield from _ids(item)
    yield from _key(item)


def _objective(item: Item, blueprint: Blueprint | None) -> Found:
    if blueprint is None:
        return
    domains = {domain.id: domain for domain in blueprint.domains}
    if item.domain not in domains:
        yield ("domain",), unknown("domain", item.domain, domains)
        return
    objectives = [objective.id for objective in domains[item.domain].objectives]
    if item.objective not in objectives:
        yield ("objective",), unknown(f"objective of {item.domain}", item.objective, objectives)


def _scenarios(item: Item) -> Found:
    named: list[tuple[Path, str]] = [(("practise", number), name) for number, name in enumerate(item.practise)]
    if isinstance(item, items.HandsOnItem):
        named.append((("scenario",), item.scenario))
    for path, name in named:
        if name not in scenarios.places():
            yield path, unknown("scenario", name, scenarios.places())


def _types(item: Item) -> Mapping[str, ValueType]:
    """The names that an item's texts and facts may use."""
    return name_types(Varying(item.id, item.exhibit)) if item.exhibit and item.exhibit.lines else {}


def _texts(item: Item) -> Found:
    types = _types(item)
    for path, text in texts.templates(item):
        yield from refused(path, partial(require, text, types))
    for path, text in texts.truths(item):
        yield from refused(path, partial(Facts().check_truth, text, types))
    for path, pattern in texts.patterns(item):
        yield from refused(path, partial(pattern.require, types))
    if isinstance(item, items.Numeric) and item.fact is not None:
        yield from refused(("fact",), partial(_require_number, item.fact, item.unit, types))


def _require_number(fact: str, unit: str, types: Mapping[str, ValueType]) -> None:
    expression = Facts().check(fact, types)
    if not expression.type.ordered:
        raise BreakfixError(f"this is {expression.type.name}; a number is needed")
    fact_in_unit(0, expression.type, unit)


def _exhibit(item: Item) -> Found:
    exhibit = item.exhibit
    if exhibit is None or not exhibit.lines:
        asked = [*texts.truths(item), *([(("fact",), "")] if getattr(item, "fact", None) else [])]
        yield from ((path, "a fact is asked of a world; give an exhibit with `lines`") for path, _ in asked)
        if exhibit and (exhibit.vary or exhibit.faults or exhibit.noise or exhibit.settings):
            yield ("exhibit",), "an exhibit that is a text has no world to vary or to break; give `lines`"
        if exhibit is None and isinstance(item, items.Point):
            yield ("kind",), "there is nothing to point at; give an exhibit"
        return
    site = Ground(exhibit.site or "")
    yield from site_mistakes(site, ("exhibit", "site"))
    times: list[tuple[Path, str]] = [(("exhibit", "lead"), exhibit.lead)]
    times += [((*path, "onset"), use.onset) for path, use in texts.fault_uses(item)]
    for path, text in times:
        if not names_in(text):
            yield from refused(path, partial(time_offset, text))
    yield from vary_mistakes(Varying(item.id, exhibit), ("exhibit", "vary"))
    yield from fault_mistakes(texts.fault_uses(item), site)


def _ids(item: Item) -> Found:
    """Each part has an id of its own, and says something of its own."""
    parts = {"options": ("id", "text"), "steps": ("id", "text"), "pairs": ("id", "left")}
    for name, keys in parts.items():
        for key in keys:
            values = [getattr(part, key) for part in getattr(item, name, ())]
            for number, value in enumerate(values):
                if value in values[:number]:
                    yield (name, number, key), f"{quoted(value)} stands here twice"
    if isinstance(item, items.Matching):
        rights = [pair.right for pair in item.pairs]
        for number, text in enumerate(item.decoys):
            if text in (*rights, *item.decoys[:number]):
                yield ("decoys", number), f"{quoted(text)} stands on the right already"


def _key(item: Item) -> Found:
    """As many right options as the kind has; where facts decide, only what is plain without a world."""
    if not isinstance(item, items.Single | items.Multiple):
        return
    asked = sum(option.fact is not None for option in item.options)
    right = sum(option.right is True for option in item.options)
    if isinstance(item, items.Single):
        if right > 1 or (right == 0 and not asked):
            yield ("options",), f"{right} options are right; in a single-choice item one is"
    elif right == len(item.options) or right + asked < 2:
        yield ("options",), f"{right} of {len(item.options)} options are right; give at least two, and not all"
