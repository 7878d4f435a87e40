"""Tab for the learner's moves: their words, causes, components and machine-room actions."""

from __future__ import annotations

from collections.abc import Iterable

from engine.hands.action import catalogue
from engine.shell.completion import Completion
from engine.world.world import World
from scenarios.components import NOTHING, parts, places
from scenarios.script import MOVE_WORDS
from scenarios.session import DrillSession

OTHER_WORDS = ("help", "briefing", "causes", "questions", "quit")


def complete_move(session: DrillSession, line: str, cursor: int) -> Completion:
    """Completions at `cursor` of a line that begins with a colon."""
    before = line[:cursor]
    word = before.split(" ")[-1]
    if " " not in before:
        found = [f":{name} " for name in (*MOVE_WORDS, *OTHER_WORDS)]
    elif word.startswith("cause="):
        found = [f"cause={cause} " for cause in session.vocabulary]
    elif word.startswith(("component=", "target=")):
        key, _, part = word.partition("=")
        found = [f"{key}={name}" for name in _components(session.simulation.world, part)]
    else:
        found = _words(session, before.split(" ")[0])
    return Completion(len(word), tuple(sorted(name for name in found if name.startswith(word))))


def _words(session: DrillSession, move: str) -> list[str]:
    if move == ":answer":
        return [f"{question.id} " for question in session.scenario.questions]
    if move == ":diagnose":
        return ["component=", "cause="]
    if move == ":hands":
        return [*(f"{name} " for name in catalogue()), "target="]
    return []


def _components(world: World, part: str) -> Iterable[str]:
    """Machines and switches; the parts of one once its name is there."""
    name, slash, _ = part.partition("/")
    if slash:
        return parts(world, name)
    known = places(world)
    return [NOTHING, *known, *(f"{place}/" for place in known)]
