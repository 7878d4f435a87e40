"""Places in files that people write, and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from engine.kernel.errors import BreakfixError

SHOWN_PROBLEMS = 50


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file that a person wrote; lines and columns count from 1."""

    name: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.name}:{self.line}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong, where it stands, and what to write instead."""

    location: Location
    text: str

    def __str__(self) -> str:
        return f"{self.location}: {self.text}"


class DocumentError(BreakfixError):
    """Everything that is wrong with a file, in the order of its lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN_PROBLEMS]]
        if len(self.problems) > SHOWN_PROBLEMS:
            lines.append(f"and {len(self.problems) - SHOWN_PROBLEMS} more problems")
        super().__init__("\n".join(lines))


@dataclass(slots=True)
class Place:
    """Where a value stands, how an unquoted word was written, and the places of what it contains."""

    line: int
    column: int
    written: str | None = None
    inside: dict[str | int, Place] = field(default_factory=dict)


def refuse(location: Location, text: str) -> NoReturn:
    """Give up on a file because of one problem."""
    raise DocumentError([Problem(location, text)])
