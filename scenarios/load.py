"""Scenario files, read and checked: all mistakes at once, as `file:line: what is wrong, what to write`."""

from __future__ import annotations

from pathlib import Path

from engine.kernel.documents import SIZE_LIMIT, Document, DocumentError, Problem, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from engine.kernel.validation import validate
from scenarios.checks import mistakes
from scenarios.ground import Beside, ground_of
from scenarios.model import Scenario


def load(text: str | bytes, name: str, stem: str | None = None, beside: Beside | None = None) -> Scenario:
    """The scenario in a file that its author calls `name`; `stem` is the id that it must have, `beside` reads what lies
    beside it. Raises DocumentError.
    """
    document = read_document(text, name)
    scenario = validate(document, Scenario)
    try:
        scenario.on(ground_of(scenario.site, beside))
    except BreakfixError as error:
        raise DocumentError([document.problem(("site",), error.message)]) from None
    problems = [document.problem(path, _told(path, what)) for path, what in mistakes(scenario)]
    problems += _misnamed(document, scenario, stem)
    if problems:
        raise DocumentError(problems)
    return scenario


def load_file(path: Path, stem: str | None = None) -> Scenario:
    """The scenario in a file, with the site file that lies beside it where it names one. Raises BreakfixError."""

    def beside(name: str) -> bytes:
        return _read(path.parent / name)

    return load(_read(path), str(path), stem, beside)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise BreakfixError(
            f"{quoted(str(path))} cannot be read: {reason}", "Give a packaged name or a file's path."
        ) from None


def _told(path: tuple[str | int, ...], what: str) -> str:
    called = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
    return f"{called}: {what}"


def _misnamed(document: Document, scenario: Scenario, stem: str | None) -> list[Problem]:
    if stem is None or stem == scenario.id:
        return []
    return [document.problem(("id",), f"the id is {scenario.id}, the file's name {stem}; make them the same")]
