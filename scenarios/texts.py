"""Every place in a scenario that holds a text of some kind, with its path in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.kernel.documents import Path
from scenarios.model import FaultUse, OtherMove, Scenario
from scenarios.patterns import TextPattern
from scenarios.templates import names_in

Texts = Iterator[tuple[Path, str]]


def templates(scenario: Scenario) -> Texts:
    """Texts that may hold names."""
    for key in ("sender", "subject", "text"):
        yield ("briefing", key), getattr(scenario.briefing, key)
    for key in ("lead", "settle", "solution", "debrief"):
        yield (key,), getattr(scenario, key)
    for path, use in fault_uses(scenario):
        yield from _of_fault(path, use)
    yield from _fields(("workloads",), scenario.workloads, "user", "at", "line")
    for path, moves in _moves(scenario):
        yield from _fields(path, moves, "at", "who", "host", "line", "message")
    for name in ("evidence", "goals", "safety", "wrong_fixes"):
        yield from _fields((name,), getattr(scenario, name), "says")
    yield from _fields(("wrong_fixes",), scenario.wrong_fixes, "lines")
    yield from _fields(("hints",), scenario.hints, "text")
    yield from _fields(("questions",), scenario.questions, "text", "because", "hint")
    if diagnosis := scenario.diagnosis:
        yield ("diagnosis", "component"), diagnosis.component
        yield from _fields(("diagnosis", "accept"), diagnosis.accept, "component")
        yield from _fields(("diagnosis", "also"), diagnosis.also, "component")
        for number, one in enumerate(diagnosis.also):
            yield from _fields(("diagnosis", "also", number, "accept"), one.accept, "component")
        yield from _fields(("diagnosis", "wrong"), diagnosis.wrong, "component", "because")
    if words := scenario.record:
        for key in ("component", "cause"):
            yield from ((("record", key, number), word) for number, word in enumerate(getattr(words, key)))


def times(scenario: Scenario) -> Texts:
    """Durations that hold no name; those with names are known when the seed has chosen."""
    found: list[tuple[Path, str]] = [(("lead",), scenario.lead), (("settle",), scenario.settle)]
    found += [((*path, "onset"), use.onset) for path, use in fault_uses(scenario)]
    found += _fields(("workloads",), scenario.workloads, "at")
    for path, moves in _moves(scenario):
        found += _fields(path, moves, "at")
    return ((path, text) for path, text in found if not names_in(text))


def facts(scenario: Scenario) -> Texts:
    """Facts that may use all names."""
    for name in ("evidence", "goals", "safety"):
        yield from _fields((name,), getattr(scenario, name), "fact")
    yield from _fields(("faults",), scenario.faults, "when")
    yield from _fields(("moves",), scenario.moves, "when")


def patterns(scenario: Scenario) -> Iterator[tuple[Path, TextPattern]]:
    """Patterns of evidence and of answers."""
    for number, one in enumerate(scenario.evidence):
        for key in ("patterns", "every", "without"):
            yield from ((("evidence", number, key, place), pattern) for place, pattern in enumerate(getattr(one, key)))
    for number, question in enumerate(scenario.questions):
        for place, pattern in enumerate(question.accept):
            yield ("questions", number, "accept", place), pattern


def fault_uses(scenario: Scenario) -> Iterator[tuple[Path, FaultUse]]:
    """Faults, noise, and what would stand instead."""
    for name in ("faults", "noise"):
        for number, use in enumerate(getattr(scenario, name)):
            yield (name, number), use
    for number, wrong in enumerate(scenario.diagnosis.wrong if scenario.diagnosis else ()):
        for place, use in enumerate(wrong.instead):
            yield ("diagnosis", "wrong", number, "instead", place), use


def causes_named(scenario: Scenario) -> Texts:
    """Causes that the diagnosis names."""
    diagnosis = scenario.diagnosis
    if diagnosis is None:
        return
    yield ("diagnosis", "cause"), diagnosis.cause
    yield from _fields(("diagnosis", "accept"), diagnosis.accept, "cause")
    yield from _fields(("diagnosis", "wrong"), diagnosis.wrong, "cause")
    yield from ((("diagnosis", "near", cause), cause) for cause in diagnosis.near)
    yield from _fields(("diagnosis", "also"), diagnosis.also, "cause")
    for number, one in enumerate(diagnosis.also):
        yield from _fields(("diagnosis", "also", number, "accept"), one.accept, "cause")
        yield from ((("diagnosis", "also", number, "near", cause), cause) for cause in one.near)


def scripts(scenario: Scenario) -> Texts:
    """Scripts of moves."""
    yield ("solution",), scenario.solution
    yield from _fields(("wrong_fixes",), scenario.wrong_fixes, "lines")


def _moves(scenario: Scenario) -> Iterator[tuple[Path, tuple[OtherMove, ...]]]:
    """What other people do, and what they did where a wrong cause is the true one."""
    yield ("moves",), scenario.moves
    for number, wrong in enumerate(scenario.diagnosis.wrong if scenario.diagnosis else ()):
        yield ("diagnosis", "wrong", number, "moves"), wrong.moves


def _fields(path: Path, items: Iterable[Any], *keys: str) -> Texts:
    for number, item in enumerate(items):
        for key in keys:
            if text := getattr(item, key):
                yield (*path, number, key), text


def _of_fault(path: Path, use: FaultUse) -> Texts:
    yield (*path, "target"), use.target
    yield (*path, "onset"), use.onset
    yield from (((*path, "parameters", name), value) for name, value in use.parameters.items())
