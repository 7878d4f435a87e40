"""What a diagnosis and an order to the machine room may name, as lists to choose from.

Neither list depends on what is wrong, so neither tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.facts.kinds import BY_NAME
from engine.hands.action import HandsAction, catalogue, parts, places
from engine.kernel.units import format_duration
from engine.world.inventory import Inventory
from engine.world.world import World
from scenarios.answering import is_right
from scenarios.components import NOTHING
from scenarios.components import parts as known_parts
from scenarios.components import places as known_places
from tui.live.drill import LiveDrill
from tui.live.part_finder import AlikePlaces, find_parts

_MOST = 300
"""More than this nobody reads; typing narrows them down."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: `value` is what is chosen, `text` says what it is.

    A choice that `opens` is only half of one: its value leads to others. `group` is a heading that several share.
    """

    value: str
    text: str = ""
    group: str = ""
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """The choices that fit what was typed, how many that is of how many, and whether it names one of them exactly."""

    choices: tuple[Choice, ...]
    found: int
    of: int
    exact: bool = False


def matching(choices: Sequence[Choice], typed: str) -> Matches:
    """The choices whose value or text holds every typed word. Where the typed text names one, all of them."""
    words = typed.casefold().split()
    named = next((number for number, one in enumerate(choices) if one.value == typed and not one.opens), None)
    fitting = choices
    if named is None:
        fitting = [one for one in choices if all(word in f"{one.value} {one.text}".casefold() for word in words)]
    first = named if named is not None and named >= _MOST else 0
    return Matches(tuple(fitting[first : first + _MOST]), _whole(fitting), _whole(choices), exact=named is not None)


def _whole(choices: Sequence[Choice]) -> int:
    return sum(not one.opens for one in choices)


def diagnosis_words(component: str, title: str) -> str:
    """A diagnosis in words: where, and the title of its cause."""
    return title if component == NOTHING else f"{component}, {title}"


def causes(drill: LiveDrill, typed: str) -> Matches:
    """Causes by their titles, under the part of the cluster that they belong to."""
    known = sorted(drill.session.vocabulary.items(), key=lambda item: ("." in item[0], item[0]))
    return matching([Choice(cause, title, _group(cause)) for cause, title in known], typed)


def questions(drill: LiveDrill, typed: str) -> Matches:
    """The questions of a lab by their texts; those that are answered rightly come last, under a heading."""
    stage, answers = drill.session.stage, drill.session.answers
    found = []
    for question in stage.scenario.questions:
        done = question.id in answers and is_right(stage, question, answers[question.id])
        found.append(Choice(question.id, " ".join(stage.fill(question.text).split()), "answered" if done else ""))
    return matching(sorted(found, key=lambda one: one.group), typed)


def _group(cause: str) -> str:
    return cause.partition(".")[0] if "." in cause else ""


def components(drill: LiveDrill, typed: str) -> Matches:
    """Machines, switches and racks, and that nothing is broken; typing finds parts of machines and switches too."""
    world = drill.simulation.world
    place, slash, _ = typed.partition("/")
    if slash and place in known_places(world):
        return _parts_of(known_parts(world, place), typed)
    chosen = [Choice(NOTHING, "nothing is broken")]
    for kind in ("host", "switch", "rack"):
        for name in BY_NAME[kind].ids(world, None):
            chosen += [Choice(name, kind), Choice(f"{name}/", "its parts", opens=True)]
    return _with_parts(chosen, _alike_places(world), typed)


def _alike_places(world: World) -> tuple[AlikePlaces, ...]:
    """Machines and switches with the parts that each has."""
    inventory = world.inventory
    nodes, switches = inventory.node_names, inventory.switches
    alike = [*_alike((name, inventory.pattern(name)) for name in nodes)]
    alike += _alike((name, str(switch.outer_ports)) for name, switch in switches.items())
    return tuple(AlikePlaces(places, _names(known_parts(world, places[0]))) for places in alike)


def _alike(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Places in groups: those whose second word is the same have the same parts."""
    groups: dict[str, list[str]] = {}
    for place, pattern in named:
        groups.setdefault(pattern, []).append(place)
    return map(tuple, groups.values())


def _names(parts: Iterable[str]) -> tuple[str, ...]:
    """Parts without the place where they are."""
    return tuple(part.partition("/")[2] for part in parts)


def _with_parts(places: Sequence[Choice], alike: Sequence[AlikePlaces], typed: str) -> Matches:
    """The places that fit, and after them the parts that fit, wherever they are."""
    found = matching(places, typed)
    if found.exact or not typed.strip():
        return found
    parts = find_parts(alike, typed.casefold().split(), _MOST)
    choices = (*found.choices, *map(Choice, parts.ids))[:_MOST]
    return Matches(choices, found.found + parts.found, found.of + parts.of)


def targets(drill: LiveDrill, action: str, typed: str) -> Matches:
    """What a machine-room action can be done to."""
    inventory, known = drill.simulation.world.inventory, catalogue()
    if action not in known:
        return Matches((), 0, 0)
    jobs = known[action].jobs
    kinds = [kind for kind in jobs if kind not in ("node", "rack")]
    place, slash, _ = typed.partition("/")
    if slash and place in places(inventory):
        return _parts_of(_work_parts(inventory, place, kinds), typed)
    chosen: list[Choice] = []
    for name in inventory.node_names:
        chosen += [Choice(name, "node")] if "node" in known[action].jobs else []
        chosen += [Choice(f"{name}/", "its parts", opens=True)] if kinds else []
    if "port" in kinds:
        chosen += [Choice(f"{name}/", "its cables", opens=True) for name in inventory.switches]
    for name in inventory.racks:
        chosen += [Choice(name, "rack")] if "rack" in jobs else []
        chosen += [Choice(f"{name}/", "its PDUs", opens=True)] if {"pdu", "strip"} & jobs.keys() else []
    return _with_parts(chosen, [*_alike_work(inventory, kinds)], typed)


def _work_parts(inventory: Inventory, place: str, kinds: Sequence[str]) -> list[str]:
    return [part for kind in kinds for part in parts(inventory, place, kind)]


def _alike_work(inventory: Inventory, kinds: Sequence[str]) -> Iterator[AlikePlaces]:
    """Nodes and switches by what can be worked on there. Nodes of one pattern may be cabled differently, so cables go
    by the place's own list.
    """
    named: dict[tuple[str, ...], list[str]] = {}
    for place in places(inventory):
        named.setdefault(_names(_work_parts(inventory, place, kinds)), []).append(place)
    for names, members in named.items():
        if names:
            yield AlikePlaces(tuple(members), names)


def actions(typed: str) -> Matches:
    """What can be ordered, with what it is done to and how long it takes."""
    return matching([Choice(one.name, f"{one.title} ({_targets(one)})") for one in catalogue().values()], typed)


def action_words(name: str) -> str:
    """How an action is done, and how long it takes; empty for none."""
    action = catalogue().get(name)
    if action is None:
        return ""
    times = sorted({job.duration for job in action.jobs.values()})
    return f"{action.doc} Takes {' to '.join(format_duration(time) for time in dict.fromkeys((times[0], times[-1])))}."


def _targets(action: HandsAction) -> str:
    return ", ".join(action.jobs)


def _parts_of(ids: Sequence[str], typed: str) -> Matches:
    """Parts to choose from, with the way back to all machines."""
    found = matching([Choice(part) for part in ids], typed)
    return replace(found, choices=(Choice("", "back to all machines", opens=True), *found.choices))
