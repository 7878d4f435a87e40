"""Scenario files, read and checked: all mistakes at once, as `file:line: what is wrong, what to write`."""

from __future__ import annotations

from engine.kernel.documents import Document, DocumentError, Problem, read_document
from engine.kernel.validation import validate
from scenarios.checks import mistakes
from scenarios.model import Scenario


def load(text: str | bytes, name: str, stem: str | None = None) -> Scenario:
    """The scenario in a file that its author calls `name`; `stem` is the id that it must have. Raises DocumentError."""
    document = read_document(text, name)
    scenario = validate(document, Scenario)
    problems = [document.problem(path, _told(path, what)) for path, what in mistakes(scenario)]
    problems += _misnamed(document, scenario, stem)
    if problems:
        raise DocumentError(problems)
    return scenario


def _told(path: tuple[str | int, ...], what: str) -> str:
    called = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
    return f"{called}: {what}"


def _misnamed(document: Document, scenario: Scenario, stem: str | None) -> list[Problem]:
    if stem is None or stem == scenario.id:
        return []
    return [document.problem(("id",), f"the id is {scenario.id}, the file's name {stem}; make them the same")]
