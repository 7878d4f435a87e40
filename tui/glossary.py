"""The glossary: the words of the field with what they mean and which commands show them (`glossary.txt`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Term:
    """A word. `names` are all that it is called, the usual one first."""

    names: tuple[str, ...]
    means: str
    shown_by: str

    @property
    def title(self) -> str:
        """`BER (bit error rate)`."""
        first, *others = self.names
        return f"{first} ({', '.join(others)})" if others else first


@cache
def terms() -> tuple[Term, ...]:
    """All terms, in the order of their names."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    found = [_term(line) for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(sorted(found, key=lambda term: term.names[0].lower()))


def _term(line: str) -> Term:
    names, means, shown_by = (part.strip() for part in line.split("|"))
    return Term(tuple(name.strip() for name in names.split(";")), means, shown_by)


def fitting(text: str) -> list[Term]:
    """The terms for what somebody typed: those of that name, else those that begin so, else all that hold its words."""
    wanted = text.strip().lower()
    named = [term for term in terms() if wanted in (name.lower() for name in term.names)]
    begins = [term for term in terms() if any(name.lower().startswith(wanted) for name in term.names)]
    return named or begins or [term for term in terms() if _holds(term, wanted.split())]


def _holds(term: Term, words: Iterable[str]) -> bool:
    told = " ".join((*term.names, term.means, term.shown_by)).lower()
    return all(word in told for word in words)
