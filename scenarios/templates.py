"""Texts of a scenario with `{name}` for what the seed chose.

In a shell line, braces have meanings of their own: `${VAR}`, `{a,b}`, `{print $1}`, `{}` stay as they are, since they
are no lone names. A lone word in braces must be a known name; to mean the word itself, double the braces: `{{print}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted, unknown
from engine.kernel.units import DAY, duration, format_duration

LONGEST = 30 * DAY
"""Nothing in a scenario takes longer; a longer time is a slip, and would be waited for."""

_NAME = r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*"
_PLACE = re.compile(rf"(?<!\$)\{{\{{(?P<literal>{_NAME})\}}\}}|(?<![${{])\{{(?P<name>{_NAME})\}}")


class TemplateError(BreakfixError):
    """A name in a text that stands for nothing."""


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with the values of its names."""
    require(text, values)
    return _PLACE.sub(lambda found: f"{{{found['literal']}}}" if found["literal"] else values[found["name"]], text)


def require(text: str, known: Iterable[str]) -> None:
    """Raise TemplateError if the text holds a name that is not known."""
    available = set(known)
    for name in names_in(text):
        if name not in available:
            told = unknown("name", name, available)
            raise TemplateError(f"{told} (to mean the braces themselves, write {{{{{name}}}}})")


def names_in(text: str) -> list[str]:
    """The names that stand in the text, in order."""
    return [found["name"] for found in _PLACE.finditer(text) if found["name"]]


def time_offset(text: str) -> int:
    """Nanoseconds of `40m`, `-1h30m`, `0s`. Raises BreakfixError for anything else, and for more than 30 days."""
    cleaned = text.strip()
    time = -duration(cleaned[1:]) if cleaned.startswith("-") else duration(cleaned)
    if abs(time) > LONGEST:
        raise BreakfixError(f"{quoted(text)} is longer than {format_duration(LONGEST)}")
    return time
