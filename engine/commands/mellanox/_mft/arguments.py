"""How MFT's tools read their words: `-d DEVICE`, `--device DEVICE`, `--yes`, and plain words between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.options import Option


class Refused(Exception):
    """A word that the tool does not take; the text says which."""


@dataclass(slots=True)
class Words:
    """What was typed: options by their long name, and the words that are none."""

    options: dict[str, str] = field(default_factory=dict)
    operands: list[str] = field(default_factory=list)

    def __contains__(self, name: str) -> bool:
        return name in self.options

    def __getitem__(self, name: str) -> str:
        return self.options.get(name, "")


def read(arguments: Sequence[str], table: Sequence[Option]) -> Words:
    """Read the words of a line. Raises Refused with the word that is unknown or lacks its value."""
    known = _by_spelling(table)
    found, rest = Words(), list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-") or word == "-":
            found.operands.append(word)
            continue
        option = known.get(name)
        if option is None:
            raise Refused(word)
        if option.argument and not equals:
            if not rest:
                raise Refused(word)
            value = rest.pop(0)
        found.options[option.long or option.short or ""] = value
    return found


def _by_spelling(table: Sequence[Option]) -> Mapping[str, Option]:
    names: dict[str, Option] = {}
    for option in table:
        if option.short:
            names[f"-{option.short}"] = option
        if option.long:
            names[f"--{option.long}"] = option
    return names
