"""Blueprints and bank files, read and checked: all mistakes at once, as `file:line: what is wrong, what to write`."""

from __future__ import annotations

from collections.abc import Callable

from engine.kernel.documents import Document, DocumentError, Path, Problem, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.validation import validate
from exams.blueprint import Blueprint
from exams.item import BankFile

BlueprintOf = Callable[[str], Blueprint]


def load_blueprint(text: str | bytes, name: str, stem: str | None = None) -> Blueprint:
    """The blueprint in a file that its author calls `name`; `stem` is the id that it must have.

    Raises DocumentError.
    """
    document = read_document(text, name)
    blueprint = validate(document, Blueprint)
    _refuse(_misnamed(document, ("id",), blueprint.id, stem))
    return blueprint


def load_bank(
    text: str | bytes, name: str, blueprint_of: BlueprintOf | None = None, topic: str | None = None
) -> BankFile:
    """The bank file that its author calls `name`; `blueprint_of` finds the blueprint that it names, `topic` is the one
    that it must have. Raises DocumentError.
    """
    from exams.mistakes import mistakes  # knows facts and faults, which a list of blueprints does without

    document = read_document(text, name)
    bank = validate(document, BankFile)
    problems = _misnamed(document, ("topic",), bank.topic, topic)
    blueprint = None
    if blueprint_of:
        try:
            blueprint = blueprint_of(bank.blueprint)
        except DocumentError:
            raise
        except BreakfixError as error:
            problems.append(document.problem(("blueprint",), error.message))
    _refuse(problems + [document.problem(path, _told(bank, path, what)) for path, what in mistakes(bank, blueprint)])
    return bank


def _told(bank: BankFile, path: Path, what: str) -> str:
    """A complaint with the item's id and the place in it."""
    _, number, *rest = path
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest).removeprefix(".")
    return f"{bank.items[int(number)].id}: {place}: {what}"


def _misnamed(document: Document, path: Path, id: str, stem: str | None) -> list[Problem]:
    if stem is None or stem == id:
        return []
    return [document.problem(path, f"the {path[-1]} is {id}, the file's name {stem}; make them the same")]


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise DocumentError(problems)
